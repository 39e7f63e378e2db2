"""One table of a hall: what it is like now, and the games that it has sent."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, render_template

from companion.clock import wall_us
from companion.errors import NotFound
from companion.hub.dating import CLOCK_SENTENCES
from companion.hub.league import CountedGame, Who
from companion.shelf import title_of
from companion.words import _, retold
from web.hub.board import line, name_of_table, whom_we_seated
from web.hub.here import hub, readers_only

tables = Blueprint("tables", __name__)

MOST_GAMES = 50  # A table's page lists the newest.


@tables.get("/tables/<key>")
@readers_only
def page(key: str, refusal: str = "") -> str:
    """The page; after a refusal with its sentence, and with what was typed."""
    return render_template("hall/table.html", **page_values(key, refusal))


@tables.get("/tables/<key>/now")
@readers_only
def fragment(key: str) -> str:
    """The part of that page that changes."""
    return render_template("hall/table_now.html", **page_values(key))


def page_values(key: str, refusal: str = "") -> dict[str, Any]:
    table = next((candidate for candidate in hub().record.tables() if candidate["id"] == key), None)
    if table is None:
        raise NotFound(_("There's no such table here. Choose one on the board."))
    now_us, states = wall_us(), hub().hall.all()
    presence = hub().record.presences.all()[key]
    games = hub().record.league.games_of(key, MOST_GAMES)
    names = hub().record.league.names()
    return {
        "table": table,
        "refusal": refusal,
        "tells_two": any(two.table == key for two in hub().record.stories.all()),
        "line": line(name_of_table(table), presence, states.get(key), now_us, whom_we_seated(states.values())),
        "now_us": now_us,
        "games": [(game, title_of(game.game), places(game, names)) for game in games],
        "clocks": CLOCK_SENTENCES,
        "seats": {
            game.session: [(player, player_name(game, player, names)) for player in game.players] for game in games
        },
        "orders": {
            session: [(order, retold(order.refusal)) for order in given_orders]
            for session, given_orders in hub().record.orders.of_table(key).items()
        },
    }


def places(game: CountedGame, names: Mapping[Who, str]) -> list[tuple[int, list[str]]]:
    """Each place that was taken, best first, and who took it."""
    taken_places, place = [], 1
    for group in game.ranks:
        taken_places.append((place, [player_name(game, player, names) for player in group]))
        place += len(group)
    return taken_places


def player_name(game: CountedGame, player: str, names: Mapping[Who, str]) -> str:
    """A player of a game that was sent: by name if the table made it known, else by seat."""
    who = game.people.get(player)
    name = names.get(who, "") if who else ""
    return name or _("Seat {number}", number=game.players.index(player) + 1)
