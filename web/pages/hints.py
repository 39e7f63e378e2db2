"""Hints on a sheet: in the first game of its kind in a house, one short sentence a phase, once on each device."""

from dataclasses import replace

from flask import request

from companion.game.how_to import Hint
from companion.table.table import Table
from web.house import host

SEEN = "hints"  # The cookie has the phases whose hint this device has seen, with "." between them; hints.js writes it.


def of(table: Table) -> Hint | None:
    """The hint for this device now, named by its game and phase; none in a locked game, which is a tournament's."""
    session = table.session
    hint = None if session.locked or table.ended_early else table.game.pages.hint(table.state)
    if hint is None:
        return None
    name = f"{session.game}-{hint.phase}".replace(" ", "-")
    if name in request.cookies.get(SEEN, "").split(".") or not host().journal.is_first(session.id, session.game):
        return None
    return replace(hint, phase=name)
