"""What the staff look after while tables play: who calls them, games that wait, people held elsewhere, free tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.clock import wall_us
from companion.hub.chimes import Rung
from companion.hub.hall import HALL, Heard
from companion.hub.tournament.holding import Tournament, held
from companion.hub.tournament.state import Play
from companion.letters.offer import CHIME_SENTENCES, COMES
from web.hub.here import hub, staff_only
from web.hub.tournaments import playing, table_names

floor = Blueprint("floor", __name__)

SHOWN_US = 10 * 60_000_000  # how long the staff see what they had a table ring


@dataclass(frozen=True)
class Waits:
    """A game of a tournament that has not begun.

    table       name of its table, "" while it has none
    players     names, by seat
    held        (name of a player, name of the table where that player still sits, since when that game goes on or 0)
    """

    tournament: str
    title: str
    number: int
    table: str
    players: tuple[str, ...]
    held: tuple[tuple[str, str, int], ...]


def seen() -> dict[str, Any]:
    """The values of the part that changes."""
    now_us, heard, names, rung = wall_us(), hub().hall.all(), table_names(), hub().record.chimes.newest()
    calls = sorted(
        (one.calls_us, key, names[key], is_coming(one, rung.get(key)))
        for key, one in heard.items()
        if one.calls_us and key in names and one.silent_us(now_us) is None
    )
    return {
        "calls": calls,
        "waits": waits(hub().record.desk.all(), heard, names),
        "free": [
            (key, names[key], key in heard and heard[key].silent_us(now_us) is None)
            for key in hub().record.desk.free_tables()
            if key in names and not (key in heard and is_busy(heard[key], now_us))
        ],
        "rung": [
            (one.given_us, names[key], CHIME_SENTENCES.get(one.what, ""))
            for key, one in sorted(rung.items(), key=lambda pair: -pair[1].given_us)
            if key in names and now_us - one.given_us < SHOWN_US
        ],
    }


def is_coming(heard: Heard, rung: Rung | None) -> bool:
    """Whether the table that calls was told that somebody comes."""
    return rung is not None and rung.what == COMES and rung.given_us >= heard.calls_us


def is_busy(heard: Heard, now_us: int) -> bool:
    """Whether a table plays, whatever it plays."""
    return heard.told.session is not None and not heard.told.over and heard.silent_us(now_us) is None


def waits(tournaments: list[Tournament], heard: Mapping[str, Heard], names: Mapping[str, str]) -> list[Waits]:
    """The games that have not begun, those of the oldest tournament first."""
    began = {one.told.session: one.began_us for one in heard.values() if one.told.session}
    now = {one.told.session: key for key, one in heard.items() if one.told.session and not one.told.over}
    begun = playing()

    def waiting(one: Tournament, play: Play) -> Waits:
        return Waits(
            one.id,
            one.title,
            play.pairing.number,
            names.get(play.pairing.table, ""),
            tuple(one.name_of(entrant) for entrant in play.pairing.seats),
            tuple(
                (each.name, names.get(each.table, ""), began.get(each.session, 0))
                for each in held(one, play, tournaments, now)
            ),
        )

    return [
        waiting(one, play)
        for one in reversed(tournaments)
        if one.state.rounds and not one.state.is_ended
        for play in one.state.newest.open
        if play.pairing.session not in begun
    ]


@floor.get("/staff/floor")
@staff_only
def fragment() -> str:
    """The part of the staff's page that changes."""
    return render_template("hall/floor.html", **seen())


@floor.post("/staff/chime")
@staff_only
def chime() -> AnyResponse:
    """Has the tables that were chosen ring, or all of them."""
    chosen = list(table_names()) if "all" in request.form else request.form.getlist("table")
    hub().record.chimes.ring(chosen, request.form.get("what", ""))
    return redirect(url_for("staff.page"), 303)


@floor.post("/staff/tables/<key>/come")
@staff_only
def come(key: str) -> AnyResponse:
    """Tells a table that has called that somebody comes."""
    hub().record.chimes.ring([key], COMES)
    hub().live.publish(HALL)
    return redirect(url_for("staff.page"), 303)
