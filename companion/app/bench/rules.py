"""`companion bench rules`: the time for a game's rules, its table and its pages, by the length of the game.

Games are played at random from fixed seeds, by legal events alone. A long session is such a game whose last event is
undone and posted again until the journal has the wanted number of entries.
"""

import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from flask.testing import FlaskClient

from companion.app.bench.figures import Figure, Wanted
from companion.errors import IllegalEvent
from companion.game.events import Ask
from companion.game.game import AnyGame, Event, State
from companion.game.players import Viewer
from companion.house.host import Host
from companion.journal.codec import event_from_json
from companion.journal.events import Body, Entry, Origin, Posted, Undone
from companion.journal.record import Row, chained, entry_json, header_json
from companion.journal.session import Player, Session, canonical_json, digest
from companion.journal.store import Journal
from companion.shelf import GAMES
from web.app import create_app

LENGTHS = (1_000, 5_000, 10_000, 100_000)
NOT_FULL = (1_000, 5_000)  # A longer game takes no further entry (`MOST_LENGTH`).
LONGEST_GAME = 600  # Most games end before so many events.
SEEDS = range(3)
PAGES = {
    "result page": "/s/{}/result",
    "history page": "/s/{}/history",
    "result as CSV": "/s/{}/result.csv",
    "export": "/api/sessions/{}/export",
    "history of the API": "/api/sessions/{}/history",
}
IN_PIECES = ("result as CSV", "export", "history of the API")
GROWN = (1_000, 10_000, 100_000)
GROWTH = Wanted(20, at_most=True)  # For ten times the length, what grows with the square would take a hundred times.
TRIES = 20
NAMES = ("Ann", "Bob", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana")


@dataclass(frozen=True)
class RandomGame:
    """A played game: its events, and its states, of which the first comes before the first event."""

    events: tuple[Event, ...]
    states: tuple[State, ...]


def figures(labels: Path | None, out: Path) -> list[Figure]:
    figures_ = []
    for game in GAMES.values():
        longest = max((random_game(game, seed) for seed in SEEDS), key=lambda play: len(play.events))
        figures_ += positions(game, longest)
        figures_ += lengths(game, longest)
    return figures_


def players_of(game: AnyGame) -> tuple[str, ...]:
    """The most players that the game allows, but at most as many as there are NAMES."""
    return NAMES[: min(game.rules.seats[1], len(NAMES))]


def random_game(game: AnyGame, seed: int, players: tuple[str, ...] = ()) -> RandomGame:
    """A random game, from the beginning to its end or LONGEST_GAME events; of `players_of` if nobody is named."""
    chance = Random(seed)
    state = game.rules.start(game.rules.options(), players or players_of(game))
    events, states = list[Event](), [state]
    while len(events) < LONGEST_GAME and not game.rules.is_over(state):
        by_kind: dict[str, list[Event]] = {}
        for event in choices(game, state):
            by_kind.setdefault(type(event).__name__, []).append(event)
        if not by_kind:
            break
        event = chance.choice(by_kind[chance.choice(sorted(by_kind))])
        state = game.rules.apply(state, event)
        events.append(event)
        states.append(state)
    return RandomGame(tuple(events), tuple(states))


def choices(game: AnyGame, state: State) -> Iterator[Event]:
    """Every legal event, with the lowest number in place of each `Ask`."""
    for player in state.players:
        for event in game.rules.legal(state, player):
            if not isinstance(event, Ask):
                yield event
                continue
            event_asked = event_from_json(game, {"kind": event.kind, event.field: event.low})
            try:
                game.rules.apply(state, event_asked)
            except IllegalEvent:
                continue  # The lowest number may be taken.
            yield event_asked


def milliseconds(work: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> float:
    began = clock()
    work()
    return (clock() - began) * 1000


def positions(game: AnyGame, play: RandomGame) -> list[Figure]:
    """The times of legal() and view() over all positions of a game: the median and the slowest."""
    names = dict(zip(play.states[0].players, play.states[0].players, strict=True))
    figures_ = []
    for name, work in (
        ("legal() for everybody", lambda state: [game.rules.legal(state, player) for player in state.players]),
        ("view()", lambda state: game.pages.view(state, Viewer(state.players[0], names))),
    ):
        times = [min(milliseconds(partial(work, state)) for _ in range(2)) for state in play.states]
        figures_.append(Figure(f"{name}, median position", game.rules.name, value=median(times), unit="ms"))
        figures_.append(Figure(f"{name}, slowest position", game.rules.name, value=max(times), unit="ms"))
    return figures_


def lengths(game: AnyGame, play: RandomGame) -> list[Figure]:
    """The times to fold a session, to show its pages and to record one more event, for each of LENGTHS."""
    half = max(1, len(play.events) // 2)
    next_event = play.events[half] if half < len(play.events) else play.events[-1]
    figures_, times = [], dict[int, dict[str, float]]()
    for length in LENGTHS:
        with tempfile.TemporaryDirectory() as folder:
            host = Host(Journal(Path(folder) / "journal.sqlite3"))
            host.clock.offset_us += 10**12  # Every event of the game lies in the past.
            session = Session("bench-session", game.rules.name, game.rules.options(), play.states[0].players, 0)
            people = tuple(Player(player, player) for player in session.players)
            host.journal.import_session(session, people, rows(game, session, play.events[:half], length))
            opened = milliseconds(partial(host.table, session.id))
            figures_.append(Figure(f"fold {length:,} entries", game.rules.name, value=opened, unit="ms"))
            times[length] = pages_ms(host, session.id)
            for what, spent_ms in times[length].items():
                figures_.append(Figure(f"{what} of {length:,} entries", game.rules.name, value=spent_ms, unit="ms"))
            for what in IN_PIECES:
                peak = peak_kb(host, PAGES[what].format(session.id))
                name = f"memory for {what} of {length:,} entries"
                figures_.append(Figure(name, game.rules.name, value=peak, unit="kB"))
            if length in NOT_FULL:
                for what, measured in one_more_ms(host, session.id, next_event).items():
                    name = f"one event {what} at {length:,} entries"
                    figures_.append(Figure(name, game.rules.name, value=median(measured), unit="ms"))
            host.journal.close()
            host.live.close()
    for less, more in pairwise(GROWN):
        for what in times[more]:
            name = f"{what} of {more:,} entries, compared with {less:,}"
            grown = times[more][what] / times[less][what]
            figures_.append(Figure(name, game.rules.name, value=grown, unit="times", wanted=GROWTH))
    return figures_


def pages_ms(host: Host, session_id: str) -> dict[str, float]:
    """Processor time of the game's history in words, then of each page that is built from it."""
    client = create_app(host).test_client()
    client.get("/")  # This loads what the first page of a service loads.
    works: dict[str, Callable[[], Any]] = {"history told": host.table(session_id).history.lines}
    works |= {name: partial(receive, client, address.format(session_id)) for name, address in PAGES.items()}
    return {name: milliseconds(work, time.process_time) for name, work in works.items()}


def receive(client: FlaskClient, address: str) -> None:
    """Takes an answer piece by piece, as a device does, and keeps none."""
    for _piece in client.get(address).iter_encoded():
        pass


def peak_kb(host: Host, address: str) -> float:
    """The most memory that an answer takes while it is made and sent in pieces, beside the game itself."""
    client = create_app(host).test_client()
    tracemalloc.start()
    receive(client, address)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1_000


def one_more_ms(host: Host, session_id: str, event: Event) -> dict[str, list[float]]:
    """The times to record an event, to show the sheet after it, and to undo it, TRIES of each."""
    client, table = create_app(host).test_client(), host.table(session_id)
    table.history.lines()  # For an open page they are worded once already.
    times: dict[str, list[float]] = {"applied and on disk": [], "shown": [], "undone": []}
    for number in range(TRIES):
        times["applied and on disk"].append(milliseconds(partial(table.submit, event, Origin(f"tap-{number}"))))
        times["shown"].append(milliseconds(partial(client.get, f"/s/{session_id}/sheet")))
        times["undone"].append(milliseconds(partial(table.undo, Origin(f"undo-{number}"))))
    return times


def rows(game: AnyGame, session: Session, events: tuple[Event, ...], length: int) -> tuple[Row, ...]:
    """A journal of `length` entries that ends in the state after `events`."""
    bodies: list[Body] = [Posted(event) for event in events[:length]]
    last = bodies[-1]
    while len(bodies) + 1 < length:
        bodies += [Undone(len(bodies)), last]
    rows_, previous = [], digest(canonical_json(header_json(session)))
    for seq, body in enumerate(bodies, start=1):
        entry = Entry(seq, f"entry-{seq}", body, seq, seq, "tablet", "")
        previous = chained(previous, session.id, entry)
        entry = replace(entry, hash=previous)
        rows_.append(Row(seq, entry.id, canonical_json(entry_json(session.id, entry)), previous))
    return tuple(rows_)
