"""The hall's board: every table at a glance, for a projector and for phones. It follows what the tables say."""

import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from flask import Blueprint, Response, current_app, jsonify, render_template, request, url_for

from companion import words
from companion.clock import wall_us
from companion.errors import TooMany
from companion.hub.hall import HALL, TableState
from companion.hub.presence import Presence
from companion.hub.tournament.attendance import Tournament
from companion.hub.tournament.clock import RoundClock
from companion.letters.offer import veil_session
from companion.names import shortened
from companion.shelf import GAMES
from companion.words import _, retold
from web.hub.guests import code_for_guests
from web.hub.here import hub, is_staff, readers_only
from web.live.streams import OFFER, STREAMS, Offer, Streams

board = Blueprint("board", __name__)

BEAT_S = 2.0  # What changes by the clock alone is drawn anew at each beat of the stream.
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
MOST_SEATS = 8  # The board counts the other seats of a table.


@dataclass(frozen=True)
class Line:
    """One table on the board.

    state       "plays", "asks", "over", "waits" (no game is active) or "silent"
    zero_us     when the running clock shows zero, by the hub's clock
    silent_us   since when nothing is known of it; 0 if nothing was ever heard
    calls_us    since when it calls the staff; 0 if it does not
    next        names by seat, of the game of a tournament that is called to it and has not begun there
    """

    id: str
    name: str
    is_enrolled: bool
    state: str
    game: str
    seats: tuple[tuple[str, int, bool], ...]
    more: int
    asks: int
    zero_us: int | None
    silent_us: int | None
    calls_us: int = 0
    next: tuple[str, ...] = ()


@dataclass(frozen=True)
class Seated:
    """Whom the hub has seated, as its tables need not say names.

    players     session, as it is and veiled → names by seat, of each game in the newest round of a tournament: one that
                is done keeps its names, as people look at the result
    called      key of a table → session, and names by seat, of the open game that it was given
    """

    players: Mapping[str, tuple[str, ...]]
    called: Mapping[str, tuple[str, tuple[str, ...]]]

    def next_at(self, presence: Presence) -> tuple[str, ...]:
        """Who sits at a table next, by seat; nobody where that game has begun, or the table is not heard."""
        session, names = self.called.get(presence.table, ("", ()))
        return () if not presence.is_here or presence.has(session) else names


def lines(now_us: int) -> list[Line]:
    """A line for each table that was enrolled, and for each that shows itself without; in the order of their names."""
    states, presences = hub().hall.all(), hub().record.presences.all()
    seated = whom_we_seated(states.values())
    listed = [
        line(name_of_table(table), presences[table["id"]], states.pop(table["id"], None), now_us, seated)
        for table in hub().record.enrolled()
    ]
    listed += [unsigned_line(table, now_us) for table in states.values() if not table.is_signed]
    return sorted(listed, key=lambda line: name_order(line.name))


def whom_we_seated(states: Iterable[TableState]) -> Seated:
    """Whom the hub has seated at tables that are now as they have said."""
    players: dict[str, tuple[str, ...]] = {}
    called: dict[str, tuple[str, tuple[str, ...]]] = {}
    shown = {table.report.session for table in states if table.report.session}
    for tournament in hub().record.desk.shown_with(shown):
        for play in tournament.state.rounds[-1].plays if tournament.state.rounds else ():
            names = tuple(map(tournament.name_of, play.pairing.seats))
            players |= dict.fromkeys((play.pairing.session, veil_session(play.pairing.session)), names)
        for play in tournament.state.open:
            if play.is_at_ours:
                called[play.pairing.table] = play.pairing.session, tuple(map(tournament.name_of, play.pairing.seats))
    return Seated(players, called)


def name_of_table(table: Mapping[str, Any]) -> str:
    """The name of a table as the lists of the record have it."""
    return str(table["name"]) or _("Table {number}", number=table["number"])


def line(
    name: str,
    presence: Presence,
    table: TableState | None,
    now_us: int,
    seated: Seated,
) -> Line:
    """The line of an enrolled table: whether it is there says its presence, what is played there what it said last."""
    return replace(told_line(name, presence, table, now_us, seated.players), next=seated.next_at(presence))


def told_line(
    name: str, presence: Presence, table: TableState | None, now_us: int, players: Mapping[str, Sequence[str]]
) -> Line:
    """The same with what the table has told alone.

    players     as `Seated` has them
    """
    if not presence.is_here:
        return shown_line(presence.table, name, "silent", table, presence.since_us, players)
    if table is not None and table.silent_us(now_us) is None:
        return shown_line(presence.table, name, state_of(table), table, None, players)
    if presence.playing:  # It is not heard live, and says at the hub's door whether it plays.
        return shown_line(presence.table, name, "over" if presence.is_over else "plays", None, None)
    if presence.since_us:
        return shown_line(presence.table, name, "waits", None, None)
    return shown_line(presence.table, name, "silent", None, 0)


def unsigned_line(table: TableState, now_us: int) -> Line:
    """The line of a table that was not enrolled."""
    silent_us = table.silent_us(now_us)
    state = state_of(table) if silent_us is None else "silent"
    return shown_line(table.id, shortened(table.topic), state, table, silent_us)


def state_of(table: TableState) -> str:
    """What a table does that is heard now."""
    if table.report.session is None:
        return "waits"
    return "over" if table.report.over else "asks" if table.report.asks else "plays"


def shown_line(
    key: str,
    name: str,
    state: str,
    table: TableState | None,
    silent_us: int | None,
    players: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Line:
    """A line with what a table said last, if it was heard at all."""
    if table is None:
        return Line(key, name, True, state, "", (), 0, 0, None, silent_us)
    report = table.report
    names = players.get(report.session or "", ())
    seats = tuple(
        (seat_name(shortened(seat.player), names), seat.points, seat.turn and not report.over) for seat in report.seats
    )
    game = report.game or ""
    title = GAMES[game].pages.title if game in GAMES else shortened(game)
    return Line(
        key,
        shortened(report.name) or name,
        table.is_signed,
        state,
        title,
        seats[:MOST_SEATS],
        len(seats[MOST_SEATS:]),
        report.asks,
        table.zero_us if state in ("plays", "asks") else None,
        silent_us,
        table.calls_us if silent_us is None else 0,
    )


def seat_name(player: str, names: Sequence[str] = ()) -> str:
    """A player as people call them: tables say "seat 2" where they send no names, and the hub may know these."""
    number = re.fullmatch(r"seat (\d{1,3})", player)
    if not number:
        return player
    seat = int(number[1])
    return names[seat - 1] if 0 < seat <= len(names) else _("Seat {number}", number=seat)


def name_order(name: str) -> list[tuple[int, str]]:
    """A key by which "Table 10" comes after "Table 9"."""
    parts = re.findall(r"\d{1,9}|\D+|\d", name.casefold())
    return [(int(part), "") if part.isascii() and part.isdigit() else (10**9, part) for part in parts]


@board.get("/v1/live")
@readers_only
def live() -> Response:
    """The board for programs."""
    return jsonify([vars(table) for table in lines(wall_us())])


@board.get("/")
@readers_only
def page() -> str:
    return render_template("hall/board.html", **board_values())


@board.get("/board/tables")
@readers_only
def fragment() -> Response:
    """The part of the page that changes, made once for all who look at the same moment."""
    key = (words.language(), is_staff(), request.host, hub().live.counts.get(HALL, 0), wall_us() // 1_000_000)
    drawn: Drawn = current_app.extensions["drawn board"]
    return Response(drawn.at(key, lambda: render_template("hall/tables.html", **board_values())), mimetype="text/html")


class Drawn:
    """The fragment as it was drawn last. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: tuple[object, str] = (None, "")

    def at(self, key: object, draw: Callable[[], str]) -> str:
        """The fragment of that moment, drawn now if it is another one than the last."""
        with self._lock:
            if self._last[0] != key:
                self._last = (key, draw())
            return self._last[1]


def board_values() -> dict[str, Any]:
    now_us = wall_us()
    tables = lines(now_us)
    counts = {state: sum(table.state == state for table in tables) for state in ("plays", "asks", "silent")}
    return {
        "tables": tables,
        "counts": counts,
        "now_us": now_us,
        "trouble": retold(hub().trouble()) if is_staff() else "",  # Guests can't mend it.
        "clocks": round_clocks(),
        "guests": code_for_guests(url_for(".page")),
    }


def round_clocks() -> list[tuple[Tournament, RoundClock]]:
    """The rounds that go on and have an end, of every tournament, the newest first."""
    desk = hub().record.desk
    clocks = [(one, desk.clock(one)) for one in reversed(desk.going_on()) if one.state.open]
    return [(one, clock) for one, clock in clocks if clock.zero_us]


@board.get("/board/stream")
@readers_only
def stream() -> Response:
    """Says whenever a table has changed (server-sent events)."""
    return answer_stream()


def answer_stream() -> Response:
    """The stream itself, for a visitor who may follow."""
    streams: Streams | None = request.environ.get(STREAMS)
    if streams is not None and request.method == "GET":
        if streams.is_full():
            raise TooMany(_("Too many pages are open at this hub. Close some, or wait a little."))
        request.environ[OFFER] = Offer(HallFeed(), "" if is_staff() else request.remote_addr or "")
    first = iter(["retry: 1000\n\n"])  # as parts, so that the answer has no length: more follows
    return Response(first, mimetype="text/event-stream", headers=HEADERS)


class HallFeed:
    """The feed of one board."""

    topics: tuple[str, ...] = (HALL,)
    pause_s = BEAT_S
    is_behind = False

    def news(self, topic: str | None) -> str:
        """A message without a state: the page fetches that."""
        return f"event: {'beat' if topic is None else 'change'}\ndata: {json.dumps({})}\n\n"
