"""The standings of a hall: everybody whom a table has made known, by the rules of a house's season."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from companion.errors import BadInput, NotFound
from companion.house import seasons
from companion.hub.dating import CLOCK_SENTENCES
from companion.hub.league import CountedGame, Who
from companion.shelf import GAMES, title_of
from companion.words import _
from web.hub.board import name_of_table
from web.hub.here import hub, readers_only
from web.hub.tables import MOST_GAMES, places

standings = Blueprint("standings", __name__)


@dataclass(frozen=True)
class Season:
    """A season: one kind of game or all (""), from a day to a day, inclusive; None for no limit."""

    game: str
    first: date | None
    last: date | None

    @property
    def moments(self) -> tuple[int | None, int | None]:
        """When it begins, and when it has ended, as wall times by this machine's own time zone."""
        end = self.last + timedelta(days=1) if self.last else None
        return midnight(self.first), midnight(end)


def read_season() -> Season:
    """The season in the query; raises BadInput."""
    game = request.args.get("game", "")
    if game and game not in GAMES:
        raise BadInput(_("There's no such game. Choose one from the list."))
    season = Season(game, read_day("from"), read_day("to"))
    if season.first and season.last and season.first > season.last:
        raise BadInput(_("This season ends before it begins. Change one of its days."))
    return season


def read_day(name: str) -> date | None:
    """A day of the query, None for none; raises BadInput."""
    text = request.args.get(name, "")
    if not text:
        return None
    with suppress(ValueError):
        day = date.fromisoformat(text)
        if 1971 <= day.year <= 2999:
            return day
    raise BadInput(_("A day is written as year-month-day, such as 2026-11-21. Type it again."))


def midnight(day: date | None) -> int | None:
    """The wall time at which a day begins here."""
    return None if day is None else round(datetime.combine(day, time()).timestamp() * 1_000_000)


def table_of(games: list[CountedGame]) -> list[dict[str, Any]]:
    """A line for each person whom a table has made known, most points first."""
    ids = {who: "/".join(who) for game in games for who in game.people.values()}
    seated = {player: ids[who] for game in games for player, who in game.people.items()}
    people: dict[str, Who] = {text: who for who, text in ids.items()}
    names = hub().record.league.names()
    lines, place, before = [], 0, None
    for number, line in enumerate(seasons.standings(map(played, games), seated), start=1):
        who = people[line.person]
        if (line.points, line.place) != before:
            place, before = number, (line.points, line.place)
        lines.append(
            {
                "id": line.person,
                "rank": place,
                "name": names.get(who, ""),
                "table": who[0],
                "person": who[1],
                "points": line.points,
                "games": line.games,
                "wins": line.wins,
                "place": line.place,
            }
        )
    return lines


def played(game: CountedGame) -> seasons.Played:
    """A game as a season needs it. Points are compared within a game alone, and a hub is told the ranking."""
    score = dict.fromkeys(game.players, 0)
    winners = game.ranks[0] if game.ranks else ()
    outcome = seasons.Outcome(True, score, winners, game.ranks)
    return seasons.Played(game.session, game.game, game.players, game.created_us, outcome)


@standings.get("/v1/standings")
@readers_only
def rows() -> Response:
    """The standings for programs: ?game=…&from=2026-11-01&to=2026-11-30."""
    season = read_season()
    lines = table_of(hub().record.league.games(season.game, *season.moments))
    return jsonify([line | {"place": float(line["place"])} for line in lines])


@standings.get("/standings")
@readers_only
def page() -> str:
    season = read_season()
    games = hub().record.league.games(season.game, *season.moments)
    return render_template(
        "hall/standings.html",
        season=season,
        asked={name: text for name, text in request.args.items() if name in ("game", "from", "to")},
        games=GAMES.values(),
        lines=table_of(games),
        counting=sum(seasons.counts(played(game)) for game in games),
        table_names=table_names(),
    )


@standings.get("/standings/<table>/<person>")
@readers_only
def games_of(table: str, person: str) -> str:
    """The games of one person, the newest first: those of a season, as the standings have it."""
    season, who, names = read_season(), (table, person), hub().record.league.names()
    if who not in names:
        raise NotFound(_("Nobody is known here by this address. Choose a name in the standings."))
    games = hub().record.league.games(season.game, *season.moments)
    mine = [game for game in reversed(games) if who in game.people.values()]
    return render_template(
        "hall/person.html",
        name=names[who],
        games=[(game, title_of(game.game), places(game, names)) for game in mine[:MOST_GAMES]],
        table_names=table_names(),
        clocks=CLOCK_SENTENCES,
    )


def table_names() -> dict[str, str]:
    """Key → name, of every table that counted once: games stay where its key was taken away since."""
    return {table["id"]: name_of_table(table) for table in hub().record.tables()}
