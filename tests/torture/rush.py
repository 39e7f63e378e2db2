"""`make rush`: everybody at once against a table, then a hub, for MINUTES each; whether time and memory stay flat.

1,000 streams, 256 devices that send a byte at a time, 100 that send all they can, and 40 that guess a PIN or a code.
Meanwhile a stranger asks for `/healthz` and a ticket holder for a page, each time on a new connection. A line at a
sixth, a third, two thirds and the end of the time tells how long both took since the line before, and what memory and
handles the service has; the exit status is 1 where they grew from the first to the last. It runs in a network of its
own, as `tests.web.slow_devices` does.
"""

import asyncio
import contextlib
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from companion.access.access import Access
from companion.app.bench.apart import Service as Measured
from companion.app.service.server import allow_handles
from companion.journal.data_folder import JOURNAL
from companion.journal.devices import Role
from companion.journal.store import Journal
from companion.network.certificate import HouseCertificate
from tests.service import REAL, running
from tests.web.conftest import OWN_NETWORK
from tests.web.greedy_devices import WAYS
from tests.web.slow_devices import Slow, took

NETWORK = "10.66"
OURS = f"ip link set lo up && ip route add local {NETWORK}.0.0/16 dev lo"
HERE = f"{NETWORK}.0.1"
HOST = f"Host: {HERE}\r\n"
STREAMS, SLOW, GREEDY, GUESSING = 1_000, 256, 100, 40
OF_ONE_HOME = 30  # streams; a device may have 40
OF_ONE_SLOW = 16
GREEDY_WAYS = ("tiny chunks", "chunk extensions", "header lines", "2,000 long bodies")
LOOK_S, EVENT_S, GUESS_S, AGAIN_S = 0.5, 1.0, 0.5, 0.2
LINES = (1 / 6, 1 / 3, 2 / 3, 1)  # shares of the time
FLAT = 1.1  # of the first line, at most: memory and handles of the last
READY_S = 120.0


@dataclass(frozen=True)
class Side:
    """What is rushed: a table or a hub.

    port, secure    of its pages; a hub has one alone
    stream, page    what the tablets hear, and what the ticket holder asks for
    guess           what is asked by those who guess, and the body
    events          address and body of each event that streams are told of, in turn; none where the side makes its own
    """

    name: str
    pid: int
    port: int
    secure: int
    stream: str
    page: str
    token: str
    guess: tuple[str, str]
    events: tuple[tuple[str, str], ...] = ()


def request(method: str, path: str, body: str = "", token: str = "", kind: str = "application/json") -> bytes:
    shown = f"Authorization: Bearer {token}\r\n" if token else ""
    length = f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n" if method == "POST" else ""
    return f"{method} {path} HTTP/1.1\r\n{HOST}{shown}{length}Connection: close\r\n\r\n{body}".encode()


async def said(side: Side, home: str, text: bytes) -> bytes:
    reader, writer = await asyncio.open_connection(HERE, side.port, local_addr=(home, 0))
    try:
        writer.write(text)
        return await reader.read()
    finally:
        writer.close()


class Rush:
    """The tablets and those who ask, in this process; the attackers have one of their own."""

    def __init__(self, side: Side) -> None:
        self._side, self._open = side, 0
        self._took: dict[str, list[float]] = {"healthz": [], "page": []}

    async def run(self, seconds: float) -> str:
        """Prints the lines; returns what is wrong, "" for nothing."""
        side, seen = self._side, []
        service = Measured(side.port, side.pid)
        homes = [f"{NETWORK}.{1 + number // OF_ONE_HOME}.1" for number in range(STREAMS)]
        tasks = [asyncio.create_task(self._hear(home)) for home in homes]
        until_s = time.monotonic() + READY_S
        while self._open < STREAMS and time.monotonic() < until_s:
            await asyncio.sleep(0.05)
        self._tell("before", service)
        words = (json.dumps(side.__dict__),)
        attack = await asyncio.create_subprocess_exec(sys.executable, "-m", "tests.torture.rush", "--attack", *words)
        tasks += [asyncio.create_task(self._look()), asyncio.create_task(self._events())]
        began_s = time.monotonic()
        try:
            for share in LINES:
                left_s = began_s + share * seconds - time.monotonic()
                for ended in (await asyncio.wait(tasks, timeout=left_s, return_when=asyncio.FIRST_EXCEPTION))[0]:
                    ended.result()  # It raises what went wrong: nobody was answered.
                if self._open < STREAMS:
                    return f"{side.name}: {STREAMS - self._open} streams were closed."
                self._tell(f"{share * seconds / 60:g} min", service)
                seen.append((service.memory_mb(), service.handles()))
        finally:
            attack.terminate()
            await attack.wait()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        (first_mb, first_handles), (last_mb, last_handles) = seen[0], seen[-1]
        is_flat = last_mb < FLAT * first_mb and last_handles < FLAT * first_handles
        return "" if is_flat else f"{side.name}: memory or handles grew."

    def _tell(self, when: str, service: Measured) -> None:
        took_ms = {name: sorted(1000 * each for each in times) for name, times in self._took.items() if times}
        for times in self._took.values():
            times.clear()
        p99 = "  ".join(f"{name} {ms[int(0.99 * len(ms))]:.0f} ms of {len(ms)}" for name, ms in took_ms.items())
        rest = f"{service.memory_mb():.1f} MB  {service.handles()} handles  {service.threads()} threads"
        print(f"{self._side.name}  {when}  {self._open} streams  p99: {p99 or '-'}  {rest}", flush=True)

    async def _hear(self, home: str) -> None:
        while True:
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection(HERE, self._side.port, local_addr=(home, 0))
                try:
                    writer.write(request("GET", self._side.stream, token=self._side.token))
                    if (await reader.readline()).startswith(b"HTTP/1.1 200 "):
                        self._open += 1
                        try:
                            while await reader.read(4_096):
                                pass
                        finally:
                            self._open -= 1
                finally:
                    writer.close()
            await asyncio.sleep(AGAIN_S)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            self._took["healthz"].append(await took(self._side.port, f"{NETWORK}.0.3", "/healthz"))
            page = await took(self._side.port, f"{NETWORK}.0.2", self._side.page, self._side.token)
            self._took["page"].append(page)

    async def _events(self) -> None:
        for number, (path, body) in enumerate(itertools.cycle(self._side.events)):
            answer = await said(self._side, "127.0.0.1", request("POST", path, body.replace("NUMBER", str(number))))
            assert answer.startswith(b"HTTP/1.1 20"), answer
            await asyncio.sleep(EVENT_S)


async def attack(side: Side) -> None:
    """All who slow it down, until this process is ended."""
    slow = Slow(side.port, side.secure)
    homes = [f"{NETWORK}.100.{1 + number // OF_ONE_SLOW}" for number in range(SLOW)]
    tasks = [slow.hold(home, number) for number, home in enumerate(homes)]
    tasks += [greedy(side, f"{NETWORK}.101.{1 + number}", number) for number in range(GREEDY)]
    tasks += [guess(side, f"{NETWORK}.102.{1 + number}") for number in range(GUESSING)]
    await asyncio.gather(*tasks)


async def greedy(side: Side, home: str, number: int) -> None:
    first, then, _number, _is_secure = WAYS[GREEDY_WAYS[number % len(GREEDY_WAYS)]]
    while True:
        with contextlib.suppress(OSError):
            _reader, writer = await asyncio.open_connection(HERE, side.port, local_addr=(home, 0))
            try:
                writer.write(first)
                while True:
                    writer.write(then * (16_384 // len(then)))
                    await writer.drain()
                    await asyncio.sleep(0)
            finally:
                writer.transport.abort()
        await asyncio.sleep(AGAIN_S)


async def guess(side: Side, home: str) -> None:
    path, body = side.guess
    kind = "application/json" if body.startswith("{") else "application/x-www-form-urlencoded"
    while True:
        with contextlib.suppress(OSError):
            await said(side, home, request("POST", path, body, kind=kind))
        await asyncio.sleep(GUESS_S)


@contextlib.contextmanager
def table(data: Path) -> Iterator[Side]:
    """A table with a game, and a watcher's ticket."""
    HouseCertificate(data).make([HERE])
    with contextlib.closing(Journal(data / JOURNAL)) as journal:
        token = Access(journal).tickets.issue(Role.WATCHER)
    with running(data, "--camera", "none", "--host", "0.0.0.0", "--https-port", "0", program=REAL) as service:
        _, game = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann"], "options": {}})
        plain, secure = (int(url.rsplit(":", 1)[1]) for url in (service.url, service.secure_url))
        ruling = {"kind": "Ruling", "player": game["players"][0]["id"], "points": 1, "why": "rush"}
        named = '"event_id": "rush-NUMBER", "seen_seq": NUMBER'
        ruled = f'{{"event": {json.dumps(ruling)}, {named}}}'
        api = f"/api/sessions/{game['id']}"
        page = f"/s/{game['id']}"
        yield Side("table", service.process.pid, plain, secure, f"{api}/stream", page, token, ("/pin", "pin=000000"),
                   ((f"{api}/events", ruled), (f"{api}/undo", f"{{{named}}}")))  # fmt: skip


@contextlib.contextmanager
def hub(data: Path) -> Iterator[Side]:
    """A hub with simulated tables, whose pages all may see."""
    command = ["hub", "--host", "0.0.0.0", "--port", "8100", "--data", str(data), "--public", "--demo"]
    with subprocess.Popen([sys.executable, "-m", "companion", *command], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert any(line.startswith("Ready at ") for line in process.stdout)
        code = json.dumps({"code": "000000", "public": 64 * "0", "signature": 128 * "0", "name": "guess"})
        yield Side("hub", process.pid, 8_100, 8_100, "/board/stream", "/", "", ("/v1/tables", code))
        process.terminate()


@click.command()
@click.option("--minutes", default=30.0, show_default=True, help="For each of the two.")
@click.option("--side", "which", type=click.Choice(["table", "hub"]), help="One of them alone.")
@click.option("--attack", "side", hidden=True)
@click.option("--inside", is_flag=True, hidden=True)
def main(minutes: float, which: str | None, side: str | None, inside: bool) -> None:
    """Everybody at once."""
    allow_handles()
    if side:
        asyncio.run(attack(Side(**json.loads(side))))
    elif not inside:
        words = ["--inside", "--minutes", str(minutes), *(["--side", which] if which else [])]
        command = (*OWN_NETWORK, f'{OURS} && exec "$@"', "sh", sys.executable, "-m", "tests.torture.rush", *words)
        sys.exit(subprocess.run(command).returncode)
    else:
        wrong = []
        for begin in [each for each in (table, hub) if which in (None, each.__name__)]:
            with tempfile.TemporaryDirectory() as data, begin(Path(data)) as rushed:
                wrong.append(asyncio.run(Rush(rushed).run(60 * minutes)))
        if any(wrong):
            sys.exit("\n".join(filter(None, wrong)))


if __name__ == "__main__":
    main()
