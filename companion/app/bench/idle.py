"""`companion bench idle`: what the companion takes of a machine while nobody does anything.

Of a demo, without and with a page; with `--camera` of a table with a webcam whose dice lie still, for which a stand-in
sends thirty compressed pictures a second. The kernel's own counts are compared, so other programs change little.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from companion.app.bench.apart import HttpConnection, Service, service_apart
from companion.app.bench.figures import Figure, Wanted
from companion.app.bench.screens import GAME, PLAYERS, open_pages
from companion.app.bench.webcam import WHERE, write_pictures

SETTLE_S = 20.0  # The work of starting, of beginning a game and of the camera's first looks is then done.
MEASURED_S = 60.0
DEMO, CAMERA = Wanted(2.5, at_most=True), Wanted(2.0, at_most=True)
WAKEUPS, MEMORY = Wanted(40.0, at_most=True), Wanted(180.0, at_most=True)
SIZES_PX = ((1280, 720), (1920, 1080))
STANDS_IN = "from companion.app.bench.webcam import stand_in; stand_in(); from companion.__main__ import main; main()"
WITH_WEBCAM = (sys.executable, "-c", STANDS_IN)


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """Of a demo; labels and pictures play no part."""
    with service_apart("--demo") as service:
        return asyncio.run(measure(service))


def camera_figures(labels: Path | None, out: Path) -> list[Figure]:
    """Of a table with a webcam, for each size of its pictures; labels and pictures play no part."""
    return [row for size_px in SIZES_PX for row in figures_of_webcam(size_px)]


def figures_of_webcam(size_px: tuple[int, int]) -> list[Figure]:
    """The rows of one size."""
    with tempfile.TemporaryDirectory(prefix="bench-idle-") as folder:
        os.environ[WHERE] = f"{folder}/pictures"
        write_pictures(Path(os.environ[WHERE]), size_px)
        try:
            with service_apart("--camera", "0", program=WITH_WEBCAM) as service:
                return asyncio.run(measure_game(service, f"webcam, {size_px[0]} × {size_px[1]}"))
        finally:
            del os.environ[WHERE]


async def measure(service: Service) -> list[Figure]:
    """The rows of one demo."""
    rows = await shares_of(service, "no page", DEMO)
    async with open_pages(service, 1):
        return rows + await shares_of(service, "a game, one page", DEMO)


async def measure_game(service: Service, group: str) -> list[Figure]:
    """The rows of one table whose camera reads for a game."""
    connection = HttpConnection(service.port)
    await connection.ask("/api/sessions", {"game": GAME, "players": PLAYERS})
    connection.close()
    return await shares_of(service, group, CAMERA, MEMORY)


@dataclass(frozen=True)
class Counts:
    """The kernel's counts of some processes since they began: seconds of processor, and waits that have ended."""

    processor_s: float
    wakeups: int

    def __sub__(self, other: "Counts") -> "Counts":
        return Counts(self.processor_s - other.processor_s, self.wakeups - other.wakeups)


def counts_of(services: list[Service]) -> Counts:
    """Of several processes together."""
    return Counts(sum(each.processor_s() for each in services), sum(each.wakeups() for each in services))


async def shares_of(service: Service, group: str, wanted: Wanted, memory: Wanted | None = None) -> list[Figure]:
    """What the service and its child processes, such as the camera's, take."""
    await asyncio.sleep(SETTLE_S)
    helpers = list(below(service))
    began_s, ours, theirs = time.monotonic(), counts_of([service]), counts_of(helpers)
    await asyncio.sleep(MEASURED_S)
    passed_s = time.monotonic() - began_s
    ours, theirs = counts_of([service]) - ours, counts_of(helpers) - theirs
    shares = [100 * counts.processor_s / passed_s for counts in (ours, theirs)]
    memory_mb = sum(each.memory_mb() for each in (service, *helpers))
    wakeups = (ours.wakeups + theirs.wakeups) / passed_s
    return [
        Figure("idle: the service", group, value=shares[0], unit="% of one core"),
        Figure("idle: its camera's process", group, value=shares[1], unit="% of one core"),
        Figure("idle: both", group, value=sum(shares), unit="% of one core", wanted=wanted),
        Figure("idle: wakeups a second", group, value=wakeups, unit="", wanted=WAKEUPS),
        Figure("idle: memory (Pss)", group, value=memory_mb, unit="MB", wanted=memory),
    ]


def below(service: Service) -> Iterator[Service]:
    """The processes that a service has started, and those that these have."""
    for pid in service.children():
        child = Service(service.port, pid)
        yield child
        yield from below(child)
