"""`companion bench web`: how soon an event is on every screen, and what many screens cost the service.

The real service runs in a process of its own, on one core; the tablets are plain connections of this process, on
another. The id of each event says when it was sent. It counts as arrived on a screen with the last byte of the stream's
message ("told"), or of the sheet that the page then fetches ("shown").
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any

from companion import games
from companion.app.bench.figures import Figure
from companion.app.service.server import allow_handles
from companion.cameras.set_up import SCENE
from companion.errors import BadInput
from companion.foreign import read_json

EVENTS = 100  # With ten tablets that is a thousand arrivals.
EVENTS_FETCHED = 10  # Pages that fetch their sheets take longer.
PAUSE_S = 0.1  # A table never makes more than a few events a second.
FETCHED_PAUSE_S = 2.0
KEEP_OPEN_S = 5.0  # The service closes a connection that is silent for ten seconds.
LOADS = (10, 100, 1000)
TABLETS, WATCHERS = 10, 200
GAMES, GAME_EVENTS = 100, 100  # Memory must not grow during these 10,000 events.
WARM_GAMES = 70  # The service keeps the newest 64 games folded.
RECONNECTS = 1_000
AT_ONCE = 20
GAME, PLAYERS = next(iter(games.GAMES)), ("Ann", "Bob", "Cleo", "Dora")
PATIENCE_S = 30.0


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """Milliseconds from the tap to the screens, and the service's memory. Labels and `out` are not used."""
    allow_handles()
    with service_apart("--camera", "none") as (port, pid):
        return asyncio.run(measure(Service(port, pid)))


async def measure(service: "Service") -> list[Figure]:
    """All figures, measured on one service."""
    figures_ = []
    for count, group in ((TABLETS, "tablets"), (WATCHERS, "watchers")):
        figures_ += await arrivals(service, count, f"{count} {group}", sheets=False)
        figures_ += await arrivals(service, count, f"{count} {group}", sheets=True)
    for count in LOADS:
        figures_ += await growth(service, count)
    figures_ += await many_events(service)
    figures_ += await many_reconnects(service)
    return figures_


@dataclass(frozen=True)
class Service:
    """A service: its port, and the process that holds its state."""

    port: int
    pid: int

    def memory_mb(self) -> float:
        """The process's own memory (Pss) in MB."""
        for line in Path(f"/proc/{self.pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def processor_s(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def children(self) -> list[int]:
        """The processes that it has started, on whichever of its threads."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/children")
        return [int(pid) for task in tasks for pid in task.read_text(encoding="ascii").split()]

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def handles(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))


@contextmanager
def service_apart(*arguments: str, scene: Mapping[str, Any] | None = None) -> Iterator[tuple[int, int]]:
    """(port, process) of a service with an empty journal, on a core of its own where there are two.

    scene   of the camera above, None for one that nobody has set up
    """
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="bench-web-") as folder:
        if scene is not None:
            (Path(folder) / SCENE).write_text(json.dumps(scene), encoding="utf-8")
        command = [sys.executable, "-m", "companion", "run", "--port", "0", "--host", "127.0.0.1"]
        process = subprocess.Popen(
            [*command, *arguments, "--data", folder],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: os.sched_setaffinity(0, {cores[0]}),
        )
        assert process.stdout
        try:
            os.sched_setaffinity(0, set(cores[1:]) or set(cores))
            ready = next((line for line in process.stdout if line.startswith("Ready at ")), None)
            if ready is None:
                raise BadInput("The service did not start: try companion run, it says why.")
            yield int(ready.rsplit(":", 1)[1]), process.pid
        except (EOFError, HTTPException, OSError) as error:  # Connections that break off raise these.
            raise BadInput("The service hung up, or was silent for too long: measure on a quieter machine.") from error
        finally:
            os.sched_setaffinity(0, set(cores))
            process.terminate()  # It ends its own processes.
            process.wait(timeout=PATIENCE_S)
            process.stdout.close()


class HttpConnection:
    """A kept-alive connection for one request at a time, reopened when the service has closed it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, path: str, body: Any = None) -> bytes:
        """The body of the response to a GET, or to a POST of `body` as JSON; raises BadInput when it is refused."""
        while True:
            before, self._streams = (
                self._streams,
                self._streams or await asyncio.open_connection("127.0.0.1", self._port),
            )
            try:
                return await self._exchange(*self._streams, path, body)
            except (asyncio.IncompleteReadError, ConnectionError):
                self.close()
                if before is None:
                    raise

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: Any
    ) -> bytes:
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\nHost: localhost\r\n"
        writer.write(f"{head}Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        response = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        text = await reader.readexactly(int(response.partition("content-length: ")[2].partition("\r\n")[0]))
        if response.split()[1][0] != "2":
            raise BadInput(f"The service refused {path}: {text.decode()}")
        return text

    def close(self) -> None:
        if self._streams:
            self._streams[1].close()
        self._streams = None


class Screen(asyncio.Protocol):
    """One open page: its event stream, and when each entry arrived."""

    def __init__(self) -> None:
        self.arrived_ns: dict[int, int] = {}  # entry → ns
        self.open = asyncio.get_running_loop().create_future()
        self.has_news = asyncio.Event()
        self.transport: asyncio.Transport | None = None
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        now_ns = time.perf_counter_ns()
        *whole, self._rest = (self._rest + data).split(b"\n\n")
        for message in whole:
            if b"retry: " in message and not self.open.done():
                self.open.set_result(None)
            if b"event: entry" in message:
                self.arrived_ns[int(message.partition(b"id: ")[2].partition(b"\n")[0])] = now_ns
                self.has_news.set()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.open.done():
            self.open.set_exception(BadInput("The service closed a stream: it has no room for so many."))

    def close(self) -> None:
        """Aborts the connection, as when a tablet leaves the network."""
        if self.transport:
            self.transport.abort()


async def screen(service: Service, session: str, since: int) -> Screen:
    """A page that has just been opened."""
    loop = asyncio.get_running_loop()
    _, page = await loop.create_connection(Screen, "127.0.0.1", service.port)
    assert page.transport
    path = f"/api/sessions/{session}/stream?since={since}"
    page.transport.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    await asyncio.wait_for(page.open, PATIENCE_S)
    return page


@dataclass
class Game:
    """A running game, and when each entry was sent."""

    connection: HttpConnection
    session: str
    player: str
    sent: dict[int, int] = field(default_factory=dict)  # entry → ns

    async def event(self) -> int:
        """Posts an event; returns its entry's number."""
        sent_ns = time.perf_counter_ns()
        event = {"kind": "Ruling", "player": self.player, "points": 1, "why": "bench"}
        body = {"event": event, "event_id": f"bench-{sent_ns}", "seen_seq": len(self.sent)}
        receipt = read_json(await self.connection.ask(f"/api/sessions/{self.session}/events", body))
        sent_at = int(receipt["event_id"].removeprefix("bench-"))
        self.sent[receipt["seq"]] = sent_at
        return int(receipt["seq"])


async def new_game(connection: HttpConnection) -> Game:
    """A game that has just been begun."""
    created = read_json(await connection.ask("/api/sessions", {"game": GAME, "players": PLAYERS}))
    return Game(connection, created["id"], created["players"][0]["id"])


@asynccontextmanager
async def open_pages(service: Service, count: int) -> AsyncIterator[tuple[Game, list[Screen]]]:
    """A game and `count` screens that show it."""
    connection = HttpConnection(service.port)
    game = await new_game(connection)
    screens: list[Screen] = []
    try:
        for first in range(0, count, AT_ONCE):
            several = min(AT_ONCE, count - first)
            screens += await asyncio.gather(*(screen(service, game.session, 0) for _ in range(several)))
        yield game, screens
    finally:
        for page in screens:
            page.close()
        connection.close()


async def arrivals(service: Service, count: int, group: str, *, sheets: bool) -> list[Figure]:
    """The times from the tap until every screen has the message, or shows the sheet that it then fetches."""
    async with open_pages(service, count) as (game, screens):
        if not sheets:
            await play(game, screens, PAUSE_S, EVENTS)
            return spread("tap until told", group, delays_ns(game, screens))
        shown_ns: list[dict[int, int]] = [{} for _ in screens]
        try:
            async with asyncio.TaskGroup() as fetching:
                pages: list[asyncio.Task[None]] = []
                for first in range(0, count, AT_ONCE):
                    batch = shown_ns[first : first + AT_ONCE]
                    several = zip(screens[first:], batch, strict=False)
                    pages += [fetching.create_task(keep_fetching(service, game, *pair)) for pair in several]
                    await wait_until(lambda batch=batch: all(batch))  # type: ignore[misc]
                await play(game, screens, FETCHED_PAUSE_S, EVENTS_FETCHED)
                last = max(game.sent)
                await wait_until(lambda: all(any(seq >= last for seq in at) for at in shown_ns))
                for page in pages:
                    page.cancel()
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from None
    delays = [
        min(ns for newest, ns in at.items() if newest >= seq) - sent
        for seq, sent in game.sent.items()
        for at in shown_ns
    ]
    return spread("tap until shown", group, delays)


async def keep_fetching(service: Service, game: Game, page: Screen, shown_ns: dict[int, int]) -> None:
    """Fetches the sheet at first and whenever an entry arrives, as a page does, never twice at once.

    It asks every KEEP_OPEN_S as well, so that its connection stays open: for each new one over loopback the service
    looks through all programs of this machine, as it never does for a tablet.
    """
    connection = HttpConnection(service.port)
    try:
        while True:
            text = await connection.ask(f"/s/{game.session}/sheet")
            newest = int(text.partition(b'data-seq="')[2].partition(b'"')[0])
            shown_ns.setdefault(newest, time.perf_counter_ns())
            with suppress(TimeoutError):
                await asyncio.wait_for(page.has_news.wait(), KEEP_OPEN_S)
            page.has_news.clear()
    finally:
        connection.close()


async def play(game: Game, screens: list[Screen], pause_s: float, events: int) -> None:
    """Posts events, and waits after each until it has arrived on every screen."""
    for _ in range(events):
        seq = await game.event()
        await asyncio.sleep(pause_s)
        await wait_until(lambda seq=seq: all(seq in page.arrived_ns for page in screens))  # type: ignore[misc]


async def wait_until(done: Callable[[], bool]) -> None:
    """Waits until `done()`; raises BadInput when it takes far too long."""
    until_s = time.monotonic() + PATIENCE_S
    while not done():
        if time.monotonic() > until_s:
            raise BadInput("Some screens were never told: measure again on a quieter machine.")
        await asyncio.sleep(0.005)


def delays_ns(game: Game, screens: list[Screen]) -> list[int]:
    """The time from sending each entry until it arrived on each screen."""
    return [page.arrived_ns[seq] - sent for seq, sent in game.sent.items() for page in screens]


async def growth(service: Service, count: int) -> list[Figure]:
    """The cost of `count` streams: time, memory, threads, and processor time for each event."""
    before_mb, group = service.memory_mb(), f"{count} streams"
    async with open_pages(service, count) as (game, screens):
        await game.event()
        began_s, entries = service.processor_s(), len(game.sent)
        await play(game, screens, PAUSE_S, EVENTS)
        used_s = service.processor_s() - began_s
        times = spread("tap until told", group, delays_ns(game, screens))
        return [
            *times,
            Figure("processor for each event", group, value=1000 * used_s / (len(game.sent) - entries), unit="ms"),
            Figure("memory for the streams", group, value=service.memory_mb() - before_mb, unit="MB"),
            Figure("threads of the service", group, value=service.threads()),
        ]


async def many_events(service: Service) -> list[Figure]:
    """Memory before and after 10,000 events, after as many games as the service keeps folded."""
    connection = HttpConnection(service.port)
    screens: list[Screen] = []
    samples = []
    for number in range(WARM_GAMES + GAMES):
        game = await new_game(connection)
        for page in screens:
            page.close()
        screens = [await screen(service, game.session, 0) for _ in range(TABLETS)]
        for _ in range(GAME_EVENTS):
            await game.event()
        if number >= WARM_GAMES - 1:
            samples.append(service.memory_mb())
    for page in screens:
        page.close()
    connection.close()
    return memory_figures(f"{GAMES * GAME_EVENTS:,} events, {TABLETS} tablets", samples)


async def many_reconnects(service: Service) -> list[Figure]:
    """Memory and file handles before and after 1,000 tablets fell off the network and came back."""
    samples = []
    async with open_pages(service, TABLETS) as (game, screens):
        handles = service.handles()
        for number in range(RECONNECTS):
            slot = number % TABLETS
            screens[slot].close()
            seq = await game.event() if number % TABLETS == 0 else len(game.sent)
            screens[slot] = await screen(service, game.session, max(0, seq - 1))
            await wait_until(lambda page=screens[slot], seq=seq: seq in page.arrived_ns)  # type: ignore[misc]
            if number % max(1, RECONNECTS // 100) == 0:
                samples.append(service.memory_mb())
        await wait_until(lambda: service.handles() <= handles + 2)
        more = service.handles() - handles
    group = f"{RECONNECTS:,} reconnects"
    return [*memory_figures(group, samples), Figure("file handles more at the end", group, value=more)]


def memory_figures(group: str, samples: list[float]) -> list[Figure]:
    """The means of the first and the last tenth of the samples."""
    tenth = max(1, len(samples) // 10)
    first, last = sum(samples[:tenth]) / tenth, sum(samples[-tenth:]) / tenth
    return [
        Figure("memory of the service, at first", group, value=first, unit="MB"),
        Figure("memory of the service, in the end", group, value=last, unit="MB"),
    ]


def spread(name: str, group: str, times_ns: list[int]) -> list[Figure]:
    """Median, 95th and 99th percentile, and the longest."""
    ordered = sorted(times_ns)
    return [
        Figure(
            f"{name}, {word}", group, value=ordered[min(len(ordered) - 1, int(len(ordered) * share))] / 1e6, unit="ms"
        )
        for word, share in (("median", 0.5), ("p95", 0.95), ("p99", 0.99), ("longest", 1.0))
    ]
