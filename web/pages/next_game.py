"""From one game to the next: play again, go on with a game that was put aside, clear the table."""

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.access.tickets import TICKETS
from companion.errors import NotAllowed
from companion.game.game import AnyGame
from companion.house import next_game
from companion.shelf import GAMES
from companion.table.table import Table
from companion.words import _
from web.access import gate, referee
from web.access.rights import may_begin, required_to_hold
from web.house import host

next_games = Blueprint("next_game", __name__)


@next_games.post("/s/<id:session>/again")
def again(session: str) -> AnyResponse:
    """Begins the next game with the same players: the same game, or another of its family."""
    if not may_begin():
        raise NotAllowed(_("This device can join only one game. Start the next one on the shared tablet."))
    table = next_game.begin_again(host(), session, request.form.get("game", ""), gate.device())
    host().live.publish(TICKETS)
    return referee.begun(table)


@next_games.post("/s/<id:session>/continue")
def go_on(session: str) -> AnyResponse:
    """Makes a game that was put aside the active game again."""
    host().table(session)
    required_to_hold(session)
    host().active.hold(session)
    return redirect(url_for("pages.sheet_page", session=session), 303)


@next_games.post("/clear")
def clear() -> AnyResponse:
    """Clears the table for the next group; see `companion.house.next_game.clear`."""
    next_game.clear(host())
    host().live.publish(TICKETS)
    return redirect(url_for("pages.home"), 303)


def family(table: Table) -> tuple[AnyGame, ...]:
    """The other games of this game's family, to which its players may change by one tap."""
    own = table.game
    return tuple(
        game
        for game in GAMES.values()
        if own.rules.family and game.rules.family == own.rules.family and game is not own
    )
