"""Devices without a ticket that send all they can, from many addresses, against the real service.

Run in a network of its own, as `slow_devices` is. Prints one line of JSON: how long `/healthz` and a ticket
holder's page took without them, and for each way how long they took meanwhile, how often the devices connected, and the
service's peak until then in MB.
"""

import asyncio
import contextlib
import json
import resource
import ssl
import sys
import time
from pathlib import Path

from companion.access.access import Access
from companion.journal.data_folder import JOURNAL
from companion.journal.devices import Role
from companion.journal.store import Journal
from companion.network.certificate import HouseCertificate
from tests.fuzz.memory import peak_mb
from tests.service import REAL, Service, running
from tests.web.slow_devices import HOST, NETWORK, STRANGER, TABLE, TABLET, took

LOOKS = 5  # at least
ALONE_S, LASTS_S, PAUSE_S, GONE_S = 2.0, 5.0, 0.1, 1.0
ADDRESSES = 16  # of each way
PART = 65_536  # bytes sent at a time
HANDLES = 8_192
POST = b"POST /pin HTTP/1.1\r\n" + HOST
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
LONG = POST + b"Content-Length: 900000000\r\n\r\n"
# way → (what is sent first, what follows for as long as it is taken, connections, whether on the encrypted port)
WAYS = {
    "tiny chunks": (CHUNKED, b"1\r\nx\r\n", 256, False),
    "chunk extensions": (CHUNKED, b"1;" + 500 * b"e=f;" + b"\r\nx\r\n", 256, False),
    "trailers": (CHUNKED + b"0\r\n", b"a:b\r\n", 256, False),
    "header lines": (b"GET / HTTP/1.1\r\n" + HOST, b"a:b\r\n", 256, False),
    "2,000 long bodies": (LONG, 64 * b"x", 2_000, False),
    "tiny chunks over https": (CHUNKED, b"1\r\nx\r\n", 256, True),
    "handshakes": (b"", b"", 256, True),
    "2,000 long bodies over https": (LONG, 64 * b"x", 2_000, True),
}


class Greedy:
    """So many devices that do the same; they connect again where the table closes a connection."""

    def __init__(self, way: str, port: int) -> None:
        self._first, then, self._number, self._is_secure = WAYS[way]
        self._then = then * (PART // len(then)) if then else b""
        self._port = port
        # its own: what was sent from one address is read before what comes from there later
        first = 100 + ADDRESSES * list(WAYS).index(way)
        self._addresses = [f"{NETWORK}.{first + n}" for n in range(ADDRESSES)]
        self.connected = 0
        self._trusting = ssl.create_default_context()
        self._trusting.check_hostname, self._trusting.verify_mode = False, ssl.CERT_NONE

    async def play(self) -> None:
        """All of them, for LASTS_S."""
        devices = [
            asyncio.create_task(self._device(self._addresses[number % ADDRESSES])) for number in range(self._number)
        ]
        await asyncio.sleep(LASTS_S)
        print(self.connected, flush=True)
        for device in devices:
            device.cancel()
        await asyncio.gather(*devices, return_exceptions=True)

    async def _device(self, address: str) -> None:
        while True:
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                await self._once(address)
            await asyncio.sleep(0.01)

    async def _once(self, address: str) -> None:
        trusting = self._trusting if self._is_secure else None
        _reader, writer = await asyncio.open_connection(TABLE, self._port, local_addr=(address, 0), ssl=trusting)
        self.connected += 1
        try:
            writer.write(self._first)
            while self._then:
                writer.write(self._then)
                await writer.drain()
                await asyncio.sleep(0)
        finally:
            writer.transport.abort()


class Table:
    """The service, and a page of a game for a ticket holder."""

    def __init__(self, service: Service, page: str, token: str) -> None:
        self._service, self._page, self._token = service, page, token
        self._plain, self._secure = (int(url.rsplit(":", 1)[1]) for url in (service.url, service.secure_url))

    async def _took(self) -> tuple[float, float]:
        """Seconds for `/healthz` and for the page."""
        await asyncio.sleep(PAUSE_S)
        health_s = await took(self._plain, STRANGER, "/healthz")
        return health_s, await took(self._plain, TABLET, self._page, self._token)

    async def measured(self) -> dict[str, object]:
        """The times of both alone and beside each way."""
        await self._took()  # the first page of all takes longer
        until_s, alone = time.monotonic() + ALONE_S, []
        while time.monotonic() < until_s:
            alone += await self._took()
        return {"alone": alone, "beside": {way: await self._beside(way) for way in WAYS}}

    async def _beside(self, way: str) -> dict[str, object]:
        port = self._secure if WAYS[way][3] else self._plain
        greedy = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", __spec__.name, way, str(port)), stdout=asyncio.subprocess.PIPE
        )
        said, times = asyncio.create_task(greedy.communicate()), []
        while not said.done() or len(times) < LOOKS:
            times.append(await self._took())
        await asyncio.sleep(GONE_S)
        health, page = zip(*times, strict=True)
        mb = peak_mb(self._service.process.pid)
        return {"health": health, "page": page, "connected": int((await said)[0]), "mb": mb}


def main(data: Path) -> None:
    """Plays every way in that folder."""
    HouseCertificate(data).make([TABLE])
    journal = Journal(data / JOURNAL)
    token = Access(journal).tickets.issue(Role.WATCHER)
    journal.close()
    everywhere = ("--host", "0.0.0.0", "--https-port", "0")
    with running(data, "--camera", "none", *everywhere, program=REAL) as service:
        _, game = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann"], "options": {}})
        print(json.dumps(asyncio.run(Table(service, f"/s/{game['id']}", token).measured())))


if __name__ == "__main__":
    if sys.argv[1] in WAYS:
        resource.setrlimit(resource.RLIMIT_NOFILE, (HANDLES, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        asyncio.run(Greedy(sys.argv[1], int(sys.argv[2])).play())
    else:
        main(Path(sys.argv[1]))
