"""The open pages of a bench: what they are told when, and what they cost the service."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from companion import shelf
from companion.app.bench.apart import PATIENCE_S, HttpConnection, Service
from companion.app.bench.figures import Figure
from companion.errors import BadInput
from companion.foreign import read_json

PAUSE_S = 0.1  # A table never makes more than a few events a second.
AT_ONCE = 20
GAME, PLAYERS = next(iter(shelf.GAMES)), ("Ann", "Bob", "Cleo", "Dora")


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


async def screen(service: Service, session: str, since: int, number: int = 0) -> Screen:
    """A page that has just been opened, by the device of that number."""
    loop = asyncio.get_running_loop()
    home = service.homes[number % len(service.homes)]
    _, page = await loop.create_connection(Screen, home, service.port, local_addr=(home, 0))
    assert page.transport
    path = f"/api/sessions/{session}/stream?since={since}"
    shown = f"Authorization: Bearer {service.token}\r\n" if service.token else ""
    page.transport.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{shown}\r\n".encode())
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
            numbers = range(first, min(first + AT_ONCE, count))
            screens += await asyncio.gather(*(screen(service, game.session, 0, number) for number in numbers))
        yield game, screens
    finally:
        for page in screens:
            page.close()
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


async def growth(service: Service, count: int, events: int, where: str = "") -> list[Figure]:
    """The cost of `count` streams: time, memory, threads, and processor time for each event."""
    before_mb, group = service.memory_mb(), f"{count} streams{where}"
    began_ns = time.perf_counter_ns()
    async with open_pages(service, count) as (game, screens):
        opened_ms = (time.perf_counter_ns() - began_ns) / 1e6
        await game.event()
        began_s, entries = service.processor_s(), len(game.sent)
        await play(game, screens, PAUSE_S, events)
        used_s = service.processor_s() - began_s
        return [
            Figure("until all are open", group, value=opened_ms, unit="ms"),
            *spread("tap until told", group, delays_ns(game, screens)),
            *spread("table's own screen asks", group, [await own_screen_ns(service, game) for _ in range(events)]),
            Figure("processor for each event", group, value=1000 * used_s / (len(game.sent) - entries), unit="ms"),
            Figure("memory for the streams", group, value=service.memory_mb() - before_mb, unit="MB"),
            Figure("threads of the service", group, value=service.threads()),
        ]


async def own_screen_ns(service: Service, game: Game) -> int:
    """How long the table's own screen waits for a sheet on a new connection."""
    connection, began_ns = HttpConnection(service.port), time.perf_counter_ns()
    await connection.ask(f"/s/{game.session}/sheet")
    connection.close()
    return time.perf_counter_ns() - began_ns


def spread(name: str, group: str, times_ns: list[int]) -> list[Figure]:
    """Median, 95th and 99th percentile, and the longest."""
    ordered = sorted(times_ns)
    return [
        Figure(
            f"{name}, {word}", group, value=ordered[min(len(ordered) - 1, int(len(ordered) * share))] / 1e6, unit="ms"
        )
        for word, share in (("median", 0.5), ("p95", 0.95), ("p99", 0.99), ("longest", 1.0))
    ]
