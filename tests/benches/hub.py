"""`make bench NAME=hub`: a hub with many tables: how soon its board shows them, how many games it takes, its memory.

The hub is the real one, with a Mosquitto of its own; the tables are simulated here: each has a key and a connection to
the broker, says what is new as often as a table in play does, and sends finished games over HTTP. Both sides share this
machine, so a second core is mostly the tables'.
"""

import contextlib
import http.client
import json
import re
import secrets
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import click

from companion.app.bench.apart import Service
from companion.app.bench.figures import Figure
from companion.app.bench.rules import RandomGame, random_game
from companion.app.bench.screens import spread
from companion.app.hall.simulated import finished_letter, iso
from companion.app.service.mqtt import HOLDS_US, PREFIX, paho
from companion.clock import wall_us
from companion.errors import BadInput
from companion.game.game import AnyGame
from companion.hub.record import HubRecord
from companion.hub.tournament.desk import Desk
from companion.hub.tournament.events import Form
from companion.letters.envelope import Envelope
from companion.letters.keys import Key
from companion.letters.live import sign_report
from companion.shelf import GAMES

SCALES = (2, 20, 200)  # tables
EACH_S = 3.0  # between two changes of one table: an entry in three seconds
LIVE_S = 30.0  # how long the tables play
GAMES_SENT = 200  # uploaded at each scale, by all tables together
SENDERS = 8  # requests at once, at most
READS = 100  # of the board
ENDED = 60  # tournaments of earlier evenings, of twelve people and two rounds each
GAME = next(iter(GAMES))  # any will do: a hub judges all alike
SEEDS = 3  # games that are really played; each is sent under many ids
PATIENCE_S = 120.0
SLOWEST = (", p99", ", longest")


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """The rows of every scale; labels and pictures play no part."""
    paho()  # raises if the package is missing
    found = []
    for number, count in enumerate(SCALES, start=1):
        tell(f"{count} tables (step {number} of {len(SCALES)}): enrolled, then they play for {LIVE_S:g} s")
        found += measured(count)
    return found + ratios(found)


def ratios(found: list[Figure]) -> list[Figure]:
    """What each value is at more tables, compared with the fewest: whatever grows with the hall shows here.

    The slowest few of a hundred say more of the machine, and are left out.
    """
    least: dict[str, Figure] = {}
    compared = []
    for figure in found:
        first = least.setdefault(figure.name, figure)
        if figure is not first and figure.value and first.value and not figure.name.endswith(SLOWEST):
            group = f"{figure.group} / {first.group}"
            compared.append(Figure(figure.name, group, value=figure.value / first.value, unit="times"))
    return compared


def tell(what: str) -> None:
    """Says how far it is, beside the figures."""
    click.echo(what, err=True)


@dataclass
class Hub:
    """A hub that runs, and the folder that it keeps its games in."""

    port: int
    pid: int
    folder: Path

    def ask(self, path: str, method: str = "GET", body: bytes | None = None) -> tuple[int, bytes]:
        """(status, answer) of one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        with contextlib.closing(connection):
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, answer.read()


@contextlib.contextmanager
def hub_apart() -> Iterator[Hub]:
    """A hub with an empty record and a broker of its own."""
    with tempfile.TemporaryDirectory(prefix="bench-hub-") as folder:
        where = ("--port", "0", "--host", "127.0.0.1", "--data", folder)
        process = subprocess.Popen(
            [sys.executable, "-m", "companion", "hub", *where],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert process.stdout
        try:
            ready = next((line for line in process.stdout if line.startswith("Ready at ")), None)
            if ready is None:
                raise BadInput("The hub did not start: try companion hub, it says why.")
            yield Hub(int(ready.rsplit(":", 1)[1]), process.pid, Path(folder))
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE_S)
            process.stdout.close()


@dataclass
class Table:
    """A simulated table."""

    key: Key
    topic: str
    client: Any
    before: Envelope | None = None
    said: dict[int, int] = field(default_factory=dict)  # mark → when it was said, in ns; a mark is shown as points

    def say(self, mark: int) -> None:
        """Publishes a state with a mark of its own."""
        now_us = wall_us()
        seats = [{"player": f"seat {number + 1}", "points": mark if number == 0 else number} for number in range(4)]
        state = {
            "session": f"game-{self.topic}", "game": GAME, "entry": mark, "over": False, "seats": seats, "asks": 0,
            "clock": None, "health": {"camera": "ok"}, "name": "", "sure": True, "at": iso(now_us),
            "until": iso(now_us + HOLDS_US),
        }  # fmt: skip
        data = json.dumps(sign_report(self.key, state))
        self.said[mark] = time.monotonic_ns()
        self.client.publish(f"{PREFIX}/{self.topic}/table", data, qos=1, retain=True)

    def letters(self, game: AnyGame, count: int) -> list[tuple[str, bytes]]:
        """(path, letter) of finished games, each under an id of its own."""
        found = []
        for number in range(count):
            one = game_of(game.rules.name, number % SEEDS)
            letter = finished_letter(game, one, f"{self.topic}-{number}", self.key, self.before)
            self.before = letter[0]
            found.append((f"/v1/games/{letter[0].session}/{letter[0].head}", letter[1]))
        return found


@cache
def game_of(name: str, seed: int) -> RandomGame:
    """A random game, played once."""
    return random_game(GAMES[name], seed)


def measured(count: int) -> list[Figure]:
    """The rows of a hall with so many tables."""
    group = f"{count} tables"
    with hub_apart() as hub, contextlib.ExitStack() as clients:
        service = Service(hub.port, hub.pid)
        tables = enrolled(hub, count, clients)
        found = [Figure("memory of the hub, at first", group, value=service.memory_mb(), unit="MB")]
        found += live(hub, service, tables, group)
        tell(f"{count} tables: they send {max(1, GAMES_SENT // count) * count} games")
        found += uploads(hub, service, tables, group)
        tell(f"{count} tables: the board is fetched {READS} times")
        found += spread("the board's part that changes", group, reading_ns(hub, "/board/tables"))
        found += ended(hub, group) if count == SCALES[0] else []
        apart = [(is_mosquitto(pid), Service(hub.port, pid).memory_mb()) for pid in service.children()]
        memory = service.memory_mb() + sum(memory for broker, memory in apart if not broker)
        found.append(Figure("memory of the hub, in the end, with what judges", group, value=memory, unit="MB"))
        broker = sum(memory for broker, memory in apart if broker)
        found.append(Figure("memory of its Mosquitto", group, value=broker, unit="MB"))
    return found


def is_mosquitto(pid: int) -> bool:
    """Whether a process is the broker; the hub's other ones are its own."""
    return "mosquitto" in Path(f"/proc/{pid}/comm").read_text(encoding="ascii")


def processor_s(service: Service) -> float:
    """Processor time of the hub and what it has started for itself."""
    own = [Service(service.port, pid) for pid in service.children() if not is_mosquitto(pid)]
    return sum(each.processor_s() for each in (service, *own))


def enrolled(hub: Hub, count: int, clients: contextlib.ExitStack) -> list[Table]:
    """So many tables, enrolled and connected to the hub's broker."""
    client = paho()
    _status, answer = hub.ask("/v1/hub?challenge=00")
    port = json.loads(answer)[0]["mqtt_port"]
    if not port:
        raise BadInput("The hub has no broker: install mosquitto, and try again.")
    found = []
    with contextlib.closing(HubRecord(hub.folder)) as record:
        codes = [record.new_code() for _number in range(count)]
    for number, code in enumerate(codes):
        key = Key(secrets.token_bytes(32))
        signature = key.sign(code.encode()).hex()
        said = {"code": code, "public": key.public.hex(), "signature": signature, "name": f"Table {number + 1}"}
        status, answer = hub.ask("/v1/tables", "POST", json.dumps(said).encode())
        if status != http.client.CREATED:
            raise BadInput(f"The hub enrols no table: {answer.decode()}")
        connection = client.Client(client.CallbackAPIVersion.VERSION2)
        connection.connect("127.0.0.1", port)
        connection.loop_start()
        clients.callback(connection.loop_stop)
        clients.callback(connection.disconnect)
        found.append(Table(key, f"t{number}", connection))
    return found


def live(hub: Hub, service: Service, tables: list[Table], group: str) -> list[Figure]:
    """Every table says something new each EACH_S; how long until the board that a page fetches has it."""
    looking = Board(hub, tables)
    looker = threading.Thread(target=looking.look, daemon=True)
    looker.start()
    began_s, processor_s, said = time.monotonic(), service.processor_s(), 0
    while (passed_s := time.monotonic() - began_s) < LIVE_S:
        tables[said % len(tables)].say(1_000_000 + said)
        said += 1
        time.sleep(max(0.0, began_s + said * EACH_S / len(tables) - time.monotonic()))
    spent = 100 * (service.processor_s() - processor_s) / passed_s
    looking.end(2 * EACH_S)
    looker.join()
    shown = sum(len(times) for times in looking.shown.values())
    return [
        *spread("a change is on the board", group, [ns for times in looking.shown.values() for ns in times]),
        Figure("changes that the board has shown, or newer ones", group, count=shown, total=said),
        Figure("processor of the hub meanwhile", group, value=spent, unit="% of one core"),
        Figure("looks at the board meanwhile", group, value=looking.looks),
    ]


class Board:
    """A page that fetches the board again and again, as fast as it gets it."""

    def __init__(self, hub: Hub, tables: list[Table]) -> None:
        self._hub, self._tables, self._end_s = hub, tables, float("inf")
        self.looks = 0
        self.shown: dict[str, list[int]] = {table.topic: [] for table in tables}  # ns from said to shown

    def end(self, more_s: float) -> None:
        """Ends the looking after so many seconds."""
        self._end_s = time.monotonic() + more_s

    def look(self) -> None:
        """Looks until the end. What a table had said before what is shown of it counts as shown with that."""
        while time.monotonic() < self._end_s:
            _status, page = self._hub.ask("/board/tables")
            now_ns = time.monotonic_ns()
            self.looks += 1
            marks = {int(mark.replace(b",", b"")) for mark in re.findall(rb"<b>([\d,]{9})</b>", page)}
            for table in self._tables:
                newest = max((mark for mark in tuple(table.said) if mark in marks), default=0)
                for mark in [mark for mark in tuple(table.said) if mark <= newest]:
                    self.shown[table.topic].append(now_ns - table.said.pop(mark))


def uploads(hub: Hub, service: Service, tables: list[Table], group: str) -> list[Figure]:
    """GAMES_SENT finished games, SENDERS at a time at most, each of them judged and on the disk when it is answered."""
    game, each = GAMES[GAME], max(1, GAMES_SENT // len(tables))
    letters = [table.letters(game, each) for table in tables]
    times_ns: list[int] = []
    refused = 0

    def send(of_table: list[tuple[str, bytes]]) -> None:
        nonlocal refused
        for path, letter in of_table:
            began_ns = time.monotonic_ns()
            status, _answer = hub.ask(path, "PUT", letter)
            times_ns.append(time.monotonic_ns() - began_ns)
            refused += status != http.client.CREATED

    began_s, hub_s, tables_s = time.monotonic(), processor_s(service), time.process_time()
    with ThreadPoolExecutor(SENDERS) as senders:
        list(senders.map(send, letters))
    passed_s, hub_s, tables_s = (
        time.monotonic() - began_s,
        processor_s(service) - hub_s,
        time.process_time() - tables_s,
    )
    return [
        Figure("games taken a second", group, value=len(times_ns) / passed_s, unit="1/s"),
        Figure("processor of the hub for a game", group, value=1000 * hub_s / len(times_ns), unit="ms"),
        Figure("games taken in a second of the hub's own processor", group, value=len(times_ns) / hub_s, unit="1/s"),
        Figure(
            "processor of the simulated tables meanwhile", group, value=100 * tables_s / passed_s, unit="% of one core"
        ),
        Figure("games refused", group, count=refused, total=len(times_ns)),
        *spread("a game is taken", group, times_ns),
    ]


def reading_ns(hub: Hub, path: str) -> list[int]:
    """The times of READS requests for a page, one after the other."""
    found = []
    for _number in range(READS):
        began_ns = time.monotonic_ns()
        hub.ask(path)
        found.append(time.monotonic_ns() - began_ns)
    return found


def ended(hub: Hub, group: str) -> list[Figure]:
    """How much longer the board takes with a tournament that goes on and ENDED ones beside it, than with that one."""
    tell(f"{group}: the board is fetched {READS} times more, without and with {ENDED} tournaments that ended")
    with contextlib.closing(HubRecord(hub.folder)) as record:
        tournament(record.desk, rounds=1)
        before = {path: statistics.median(reading_ns(hub, path)) for path in ("/", "/v1/live")}
        for _number in range(ENDED):
            record.desk.end(tournament(record.desk, rounds=2))
        return [
            Figure(
                f"{path} with {ENDED} tournaments that ended / with none",
                group,
                value=statistics.median(reading_ns(hub, path)) / before_ns,
                unit="times",
            )
            for path, before_ns in before.items()
        ]


def tournament(desk: Desk, rounds: int) -> str:
    """Begins a tournament of twelve and rules its rounds."""
    names = [f"Player {number}" for number in range(12)]
    id_ = desk.begin("Evening", GAME, "printed", Form.ROUNDS, GAMES[GAME].rules.seats[0], 0, names).id
    for _number in range(rounds):
        desk.pair(id_)
        for play in desk.find(id_).state.open:
            desk.rule(id_, play.pairing.number, tuple((seat,) for seat in play.pairing.seats))
    return id_
