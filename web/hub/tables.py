"""One table of a hall: what it is like now, and the games that it has sent."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, render_template

from companion.clock import wall_us
from companion.errors import NotFound
from companion.games import GAMES
from companion.hub.dating import SAID
from companion.hub.league import Counted, Who
from companion.words import _, retold
from web.hub.board import line
from web.hub.here import hub, readers_only

tables = Blueprint("tables", __name__)

MOST_GAMES = 50  # on a table's page, the newest


def name_of_table(table: dict[str, Any]) -> str:
    """The name of a table as the lists of the record have it."""
    return str(table["name"]) or _("Table {number}", number=table["number"])


@tables.get("/tables/<key>")
@readers_only
def page(key: str) -> str:
    """The page of one table that was enrolled."""
    table = next((one for one in hub().record.tables() if one["id"] == key), None)
    if table is None:
        raise NotFound(_("There's no such table here. Choose one on the board."))
    now_us = wall_us()
    games = hub().record.league.games_of(key, MOST_GAMES)
    names = hub().record.league.names()
    return render_template(
        "hall/table.html",
        table=table,
        one=line(key, name_of_table(table), hub().hall.all().get(key), now_us),
        now_us=now_us,
        games=[(game, title_of(game.game), places(game, names)) for game in games],
        clocks=SAID,
        seats={game.session: [(player, called(game, player, names)) for player in game.players] for game in games},
        orders={
            session: [(given, retold(given.said)) for given in found]
            for session, found in hub().record.orders.of_table(key).items()
        },
    )


def title_of(game: str) -> str:
    """The title of a kind of game, its id if this hub does not have it."""
    return GAMES[game].pages.title if game in GAMES else game


def places(game: Counted, names: Mapping[Who, str]) -> list[tuple[int, list[str]]]:
    """Each place that was taken, best first, and who took it."""
    found, place = [], 1
    for group in game.ranks:
        found.append((place, [called(game, player, names) for player in group]))
        place += len(group)
    return found


def called(game: Counted, player: str, names: Mapping[Who, str]) -> str:
    """A player of a game that was sent: by name if the table made it known, else by seat."""
    who = game.people.get(player)
    name = names.get(who, "") if who else ""
    return name or _("Seat {number}", number=game.players.index(player) + 1)
