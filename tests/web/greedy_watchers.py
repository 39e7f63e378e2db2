"""Watchers who ask for all that takes long, as much at once as they may, against the real service.

Run in a network of its own, as `slow_devices` is. Prints one line of JSON: how long `/healthz` took without them and
beside them, and how many answers they had.
"""

import asyncio
import itertools
import json
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from companion.access.access import Access
from companion.journal.data_folder import JOURNAL
from companion.journal.devices import Role
from companion.journal.store import Journal
from tests.processes.test_memory import longest
from tests.service import Service, running
from tests.web.slow_devices import NETWORK, STRANGER, TABLE, took

WATCHERS, AT_ONCE = tuple(f"{NETWORK}.{100 + n}" for n in range(4)), 16
ALONE_S, BESIDE_S, PAUSE_S = 2.0, 10.0, 0.1
GAME = "longest"
PATHS = (
    *(f"/s/{GAME}{page}" for page in ("", "/result", "/history", "/result.csv", "/result.svg", "/dice")),
    *(f"/api/sessions/{GAME}/{part}" for part in ("export", "history", "legal?player=ann")),
    *("/", "/people", "/seasons", "/board", "/api/sessions", "/api/games", "/metrics", "/gallery"),
)


class Watchers:
    """All of them, each with as many requests at once as a device may have."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token = port, token
        self.answers = 0

    async def ask(self, address: str, paths: Iterator[str]) -> None:
        """One request after the other."""
        while True:
            reader, writer = await asyncio.open_connection(TABLE, self._port, local_addr=(address, 0))
            head = f"GET {next(paths)} HTTP/1.1\r\nHost: {TABLE}\r\nAuthorization: Bearer {self._token}\r\n"
            writer.write(f"{head}Connection: close\r\n\r\n".encode())
            said = await reader.readline()
            assert said.startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 30")), said
            while await reader.read(65_536):
                pass
            writer.close()
            self.answers += 1


async def measured(service: Service, token: str) -> dict[str, object]:
    """The times of `/healthz`."""
    port = int(service.url.rsplit(":", 1)[1])

    async def looks(lasts_s: float) -> list[float]:
        until_s, found = time.monotonic() + lasts_s, []
        while time.monotonic() < until_s:
            found.append(await took(port, STRANGER, "/healthz"))
            await asyncio.sleep(PAUSE_S)
        return found

    alone, watchers = await looks(ALONE_S), Watchers(port, token)
    paths = itertools.cycle(PATHS)
    asking = [asyncio.create_task(watchers.ask(address, paths)) for _ in range(AT_ONCE) for address in WATCHERS]
    beside = await looks(BESIDE_S)
    failed = [str(task.exception()) for task in asking if task.done()]
    for task in asking:
        task.cancel()
    await asyncio.gather(*asking, return_exceptions=True)
    return {"alone": alone, "health": beside, "answers": watchers.answers, "failed": failed}


def main(data: Path) -> None:
    """Plays it in that folder."""
    journal = Journal(data / JOURNAL)
    token = Access(journal).tickets.issue(Role.WATCHER)
    journal.close()
    with running(data, "--camera", "none", "--host", "0.0.0.0") as service:
        urllib.request.urlopen(f"{service.url}/api/import", longest(GAME, None)).close()
        print(json.dumps(asyncio.run(measured(service, token))))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
