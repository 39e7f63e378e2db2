"""Devices without a ticket that send a byte at a time, from many addresses, against the real service.

Run in a network of its own, where all of NETWORK is this machine: on loopback addresses every device would be the
machine itself. Prints one line of JSON: how long `/healthz` and a ticket holder's page took, without them and beside
them, how many of their connections were open meanwhile, and how many streams of tablets before and afterwards.
"""

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

from companion.access.access import Access
from companion.journal.data_folder import JOURNAL
from companion.journal.devices import Role
from companion.journal.store import Journal
from companion.network.certificate import HouseCertificate
from tests.service import Service, running

NETWORK = "10.66.0"
TABLE, TABLET, STRANGER = f"{NETWORK}.1", f"{NETWORK}.2", f"{NETWORK}.3"
ADDRESSES = tuple(f"{NETWORK}.{100 + n}" for n in range(16))
OF_EACH = 16
HOUSEHOLDS = tuple(f"{NETWORK}.{20 + n}" for n in range(10))
PAGES = 30  # of each: ten tablets with three
STREAMS = PAGES * len(HOUSEHOLDS)
BYTE_S = 0.5  # between two bytes
ALONE_S, BESIDE_S, PAUSE_S = 2.0, 10.0, 0.2
OPENED_S = 30.0  # a limit, until all streams are open

HOST = f"Host: {TABLE}\r\n".encode()
HEAD = b"GET / HTTP/1.1\r\n" + HOST + b"X-Slow: " + 1_000 * b"x"
BODY = b"POST /pin HTTP/1.1\r\n" + HOST + b"Content-Length: 9000\r\n\r\n"
CHUNKS = b"POST /api/sessions HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n2000\r\n"
HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"  # how a handshake begins
# what is sent at once, what follows byte by byte, and whether on the encrypted port
WAYS = (
    (b"", HEAD, False),
    (BODY, 1_000 * b"1", False),
    (CHUNKS, 1_000 * b"1", False),
    (b"", HELLO, True),
    (b"", b"", False),
)


class Slow:
    """So many connections that are held for as long as the table lets them, and opened again."""

    def __init__(self, plain: int, secure: int) -> None:
        self._ports = {False: plain, True: secure}
        self.open = 0

    async def hold(self, address: str, number: int) -> None:
        """One of them, until it is cancelled."""
        first, then, is_secure = WAYS[number % len(WAYS)]
        while True:
            with contextlib.suppress(OSError):
                await self._once(address, first, then, self._ports[is_secure])
            await asyncio.sleep(PAUSE_S)

    async def _once(self, address: str, first: bytes, then: bytes, port: int) -> None:
        reader, writer = await asyncio.open_connection(TABLE, port, local_addr=(address, 0))
        self.open += 1
        writer.write(first)
        sending = asyncio.create_task(drip(writer, then))
        try:
            await reader.read()  # until the table closes it
        finally:
            sending.cancel()
            self.open -= 1
            writer.close()


async def drip(writer: asyncio.StreamWriter, text: bytes) -> None:
    """Sends it a byte at a time."""
    for byte in text:
        writer.write(bytes([byte]))
        await asyncio.sleep(BYTE_S)


class Tablets:
    """The open pages of the households: each has a stream and hears it."""

    def __init__(self, port: int, page: str, token: str) -> None:
        self._port, self.open = port, 0
        self._asked = f"GET /api/sessions/{page.rpartition('/')[2]}/stream HTTP/1.1\r\nHost: {TABLE}\r\n"
        self._asked += f"Authorization: Bearer {token}\r\n\r\n"

    async def listen(self, address: str) -> None:
        """One stream, until it ends."""
        reader, writer = await asyncio.open_connection(TABLE, self._port, local_addr=(address, 0))
        writer.write(self._asked.encode())
        assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
        self.open += 1
        try:
            while await reader.read(4_096):
                pass
        finally:
            self.open -= 1
            writer.close()


async def took(port: int, address: str, path: str, token: str = "") -> float:
    """Seconds until a new connection has its answer, which must be a page."""
    began_s = time.monotonic()
    reader, writer = await asyncio.open_connection(TABLE, port, local_addr=(address, 0))
    shown = f"Authorization: Bearer {token}\r\n" if token else ""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {TABLE}\r\n{shown}Connection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 200 "), answer[:200]
    return time.monotonic() - began_s


async def measured(service: Service, page: str, token: str) -> dict[str, list[float]]:
    """The times of both, first without the slow ones."""
    plain, secure = (int(url.rsplit(":", 1)[1]) for url in (service.url, service.secure_url))
    found: dict[str, list[float]] = {name: [] for name in ("alone", "health", "page", "open", "streams")}
    tablets = Tablets(plain, page, token)
    hearing = [asyncio.create_task(tablets.listen(address)) for _ in range(PAGES) for address in HOUSEHOLDS]
    until_s = time.monotonic() + OPENED_S
    while tablets.open < STREAMS and time.monotonic() < until_s:
        await asyncio.sleep(0.05)
    found["streams"].append(tablets.open)

    async def look(until_s: float) -> AsyncIterator[tuple[float, float]]:
        while time.monotonic() < until_s:
            yield await took(plain, STRANGER, "/healthz"), await took(plain, TABLET, page, token)
            await asyncio.sleep(PAUSE_S)

    async for health_s, page_s in look(time.monotonic() + ALONE_S):
        found["alone"] += [health_s, page_s]
    slow = Slow(plain, secure)
    holding = [asyncio.create_task(slow.hold(address, n)) for n in range(OF_EACH) for address in ADDRESSES]
    until_s = time.monotonic() + BESIDE_S
    while slow.open < len(holding) and time.monotonic() < until_s:
        await asyncio.sleep(0.05)
    async for health_s, page_s in look(until_s):
        found["health"].append(health_s)
        found["page"].append(page_s)
        found["open"].append(slow.open)
    found["streams"].append(tablets.open)
    for task in (*holding, *hearing):
        task.cancel()
    await asyncio.gather(*holding, *hearing, return_exceptions=True)
    return found


def main(data: Path) -> None:
    """Plays it in that folder."""
    HouseCertificate(data).make([TABLE])
    journal = Journal(data / JOURNAL)
    token = Access(journal).tickets.issue(Role.WATCHER)
    journal.close()
    with running(data, "--camera", "none", "--host", "0.0.0.0", "--https-port", "0") as service:
        _, game = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann"], "options": {}})
        print(json.dumps(asyncio.run(measured(service, f"/s/{game['id']}", token))))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
