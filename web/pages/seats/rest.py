"""Resting: a player leaves for a while, and the game goes on without waiting until one tap says that they are back."""

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import IllegalEvent, NotFound
from companion.games.resting import Rested, Returned
from companion.journal.session import new_id
from companion.table.standing import resting
from companion.table.table import Table
from companion.words import _
from web.access import gate, rights
from web.house import host

rest = Blueprint("rest", __name__)


@rest.post("/s/<id:session>/rest")
def change(session: str) -> AnyResponse:
    """Lets the player `absent` rest, or with the field `back` play again; a second tap changes nothing."""
    table, player, is_back = host().table(session), request.form.get("absent", ""), "back" in request.form
    event = asked(table, player, is_back)
    if (player in resting(table)) == is_back:
        table.submit(event, event_id=new_id(), seen_seq=None, source="tablet", sender=gate.sender())
    return redirect(url_for("pages.sheet_page", session=session, player=gate.only_player()), 303)


def asked(table: Table, player: str, is_back: bool) -> Rested | Returned:
    """The event that a device asks for.

    Raises NotFound for a player who sits elsewhere, NotAllowed for another device's seat, IllegalEvent where the game
    lets nobody rest.
    """
    if player not in table.session.players:
        raise NotFound(_("That player isn't at this table. Choose one of the session's players."))
    event = Returned(player) if is_back else Rested(player)
    rights.required_to_enter(table, event)
    if not is_possible(table):
        raise IllegalEvent(why_not(table))
    return event


def is_possible(table: Table) -> bool:
    """Whether this game lets a seat rest, and is still played by two or more."""
    return Rested in table.game.events and len(table.session.players) > 1


def why_not(table: Table) -> str:
    """Why nobody can rest in this game, and what to do instead."""
    why = _(table.game.why_no_rest) if table.game.why_no_rest else _("There is nobody else to play on.")
    return _("{why} Let somebody play for them, or end here and start again with other players.", why=why)
