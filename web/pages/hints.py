"""Hints on a sheet: in the first game of its kind in a house, one short sentence a phase, once on each device."""

from dataclasses import replace

from flask import request

from companion.game.how_to import Hint
from companion.game.players import PlayerId
from companion.table.table import Table
from web.house import host

SEEN = "hints"  # The cookie has the phases whose hint this device has seen, with "." between them; hints.js writes it.


def of(table: Table, player: PlayerId | None) -> Hint | None:
    """The hint on that player's page now, named by its game and phase; None for whom the game does not wait.

    There is none in a locked game either, which is a tournament's.
    """
    session, awaited = table.session, table.game.rules.awaiting(table.state)
    if session.locked or table.ended_early or (awaited and player is not None and player not in awaited):
        return None
    hint = table.game.pages.hint(table.state)
    if hint is None:
        return None
    name = f"{session.game}-{hint.phase}".replace(" ", "-")
    if name in request.cookies.get(SEEN, "").split(".") or not host().journal.is_first(session.id, session.game):
        return None
    return replace(hint, phase=name)
