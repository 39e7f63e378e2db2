"""Dice that the program draws, for players who have none and no camera that looks."""

from urllib.parse import urlencode

from flask import Response, request, url_for

from companion.cameras.names import ABOVE
from companion.game.players import Viewer
from companion.game.readings import Kind
from companion.table import rolls
from companion.table.table import Table
from web.access import rights
from web.api import requests
from web.api.answers import origin, receipt
from web.api.operations import Operations, Parameter
from web.house import host

READS_DICE = (Kind.DICE, Kind.STACKS)

operations = Operations()


@operations.at_table(
    "/roll",
    "Roll dice that the program draws; the entry says so",
    requests.Roll,
    parameters=(Parameter("player", "query", {"type": "string"}),),
)
def roll(table: Table, body: requests.Roll) -> Response:
    before = rolls.earlier_receipt(table, body.event_id)
    if before is not None:
        return receipt(before)
    draft = {name[2:]: value for name, value in request.args.items() if name.startswith("d.")}
    viewer = Viewer(request.args.get("player") or None, table.names, draft)
    event = rolls.drawn(table.game.rules.dice.throw(table.state, viewer))
    rights.required_to_enter(table, event)
    return receipt(rolls.enter(table, event, origin(body)))


def address(table: Table, viewer: Viewer) -> str:
    """Where a page posts a roll; "" unless dice are wanted and no camera looks at them."""
    watched = host().active.session == table.session.id and host().status.is_up(ABOVE)
    throw = table.game.rules.dice.throw(table.state, viewer)
    if throw is None or not rights.may_enter(table, throw.event(tuple(faces[0] for faces in throw.dice))):
        return ""
    if watched and table.game.sight.eyes(table.state).above in READS_DICE:
        return ""
    query = {"player": viewer.player or "", **{f"d.{name}": value for name, value in viewer.draft.items()}}
    return f"{url_for('api.roll', session=table.session.id)}?{urlencode(query)}"
