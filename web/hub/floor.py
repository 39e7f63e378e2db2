"""What the staff look after while tables play: who calls them, games that wait, absentees, free tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.clock import wall_us
from companion.hub.chimes import Rung
from companion.hub.hall import HALL, TableState
from companion.hub.presence import Presence
from companion.hub.results import Result
from companion.hub.tournament.attendance import Tournament, find_absentees
from companion.hub.tournament.events import PLAIN
from companion.hub.tournament.play import Play
from companion.letters.offer import CHIME_SENTENCES, COMES
from companion.words import retold
from web.hub.board import name_of_table
from web.hub.here import hub, referees_too, staff_only
from web.hub.places import placed, suggestions_of
from web.hub.rounds import table_name
from web.hub.tournaments import playing, table_names

floor = Blueprint("floor", __name__)

CHIME_LISTED_US = 10 * 60_000_000


@dataclass(frozen=True)
class WaitingGame:
    """A game of a tournament that has not begun.

    table       name of its table, "" while it has none
    players     names, by seat
    absentees   (name of a player, name of the table where that player still sits, since when that game goes on or 0)
    presence    whether its table is there, None while it has none
    """

    tournament: str
    title: str
    number: int
    table: str
    players: tuple[str, ...]
    absentees: tuple[tuple[str, str, int], ...]
    presence: Presence | None = None


def floor_values(states: Mapping[str, TableState], presences: Mapping[str, Presence]) -> dict[str, Any]:
    """What goes on at the tables, which are now as they have said, and there or not."""
    now_us, names, rung = wall_us(), table_names(), hub().record.chimes.newest()
    calls = sorted(
        (table.calls_us, key, names[key], is_coming(table, rung.get(key)))
        for key, table in states.items()
        if table.calls_us and key in names and presences[key].is_here
    )
    results, tournaments = hub().record.results.all(), hub().record.desk.going_on()
    given = {play.pairing.table for tournament in tournaments for play in tournament.state.open if play.is_at_ours}
    senders = names
    if results or not given <= names.keys():  # Those whose key was taken away have names, too.
        senders = {table["id"]: name_of_table(table) for table in hub().record.tables()}
    return {
        "troubles": [retold(sentence) for sentence in hub().troubles(names, presences)],
        "advice": retold(hub().advice),
        "results": [shown_result(result) for result in results if not result.is_left],
        "left_results": [shown_result(result) for result in results if result.is_left],
        "senders": senders,
        "calls": calls,
        "suggested": [
            (tournament, play, suggestions_of(tournament, play))
            for tournament in tournaments
            for play in tournament.state.open
            if play.sayings
        ],
        "waiting_games": waiting_games(tournaments, states, senders, presences),
        "free": [
            (key, names[key]) for key in hub().record.desk.free_tables() if key in names and not presences[key].is_busy
        ],
        "rung": [
            (chime.given_us, names[key], CHIME_SENTENCES.get(chime.what, ""))
            for key, chime in sorted(rung.items(), key=lambda pair: -pair[1].given_us)
            if key in names and now_us - chime.given_us < CHIME_LISTED_US
        ],
    }


def shown_result(result: Result) -> tuple[Result, str, str]:
    """A result with its places, and with those that count now, as people read them."""
    return result, placed(result.places), placed(result.now)


def is_coming(table: TableState, rung: Rung | None) -> bool:
    """Whether the table that calls was told that somebody comes."""
    return rung is not None and rung.what == COMES and rung.given_us >= table.calls_us


def waiting_games(
    tournaments: list[Tournament],
    states: Mapping[str, TableState],
    names: Mapping[str, str],
    presences: Mapping[str, Presence],
) -> list[WaitingGame]:
    """The games that have not begun, those of the oldest tournament first."""
    begun = playing()
    tables = hub().record.desk.playing_at()

    def waiting(tournament: Tournament, play: Play) -> WaitingGame:
        return WaitingGame(
            tournament.id,
            tournament.title,
            play.pairing.number,
            table_name(play, names),
            tuple(tournament.name_of(entrant) for entrant in play.pairing.seats),
            tuple(
                (
                    absentee.name,
                    names.get(absentee.table, ""),
                    states[absentee.table].began_us if absentee.table in states else 0,
                )
                for absentee in find_absentees(tournament, play, tournaments, tables)
            ),
            presences.get(play.pairing.table),
        )

    return [
        waiting(tournament, play)
        for tournament in tournaments
        for play in tournament.state.open
        if play.pairing.session not in begun and play.pairing.table != PLAIN and not play.sayings
    ]


@floor.post("/staff/chime")
@staff_only
def chime() -> AnyResponse:
    """Has the tables that were chosen ring, or all of them."""
    chosen = list(table_names()) if "all" in request.form else request.form.getlist("table")
    hub().record.chimes.ring(chosen, request.form.get("what", ""))
    return redirect(url_for("staff.page"), 303)


@floor.post("/staff/tables/<key>/come")
@referees_too
def come(key: str) -> AnyResponse:
    """Tells a table that has called that somebody comes."""
    hub().record.chimes.ring([key], COMES)
    hub().live.publish(HALL)
    return redirect(url_for("staff.page"), 303)
