"""`companion bench idle`: what a demo takes of a core while nobody does anything, alone and with one page open.

Processor time of the kernel's books is counted, so what else this machine does changes little.
"""

import asyncio
import time
from pathlib import Path

from companion.cli.bench.figures import Figure, Wanted
from companion.cli.bench.web import Place, opened, service_apart

SETTLE_S = 20.0  # until the start, a game that has begun and what the camera was asked for are over
MEASURED_S = 60.0
WANTED = Wanted(5.0, at_most=True)


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """Per cent of one core; labels and pictures play no part."""
    with service_apart("--demo") as (port, pid):
        return asyncio.run(measured(Place(port, pid)))


async def measured(place: Place, settle_s: float = SETTLE_S, measured_s: float = MEASURED_S) -> list[Figure]:
    """The rows of one service."""
    rows = await spent(place, "no page", settle_s, measured_s)
    async with opened(place, 1):
        return rows + await spent(place, "a game, one page", settle_s, measured_s)


async def spent(place: Place, group: str, settle_s: float, measured_s: float) -> list[Figure]:
    """The use of the service and its helpers, the camera's process among them."""
    await asyncio.sleep(settle_s)
    helpers = [Place(place.port, pid) for pid in place.children()]
    began_s, service_s, helpers_s = time.monotonic(), place.processor_s(), of_all(helpers)
    await asyncio.sleep(measured_s)
    share = 100 / (time.monotonic() - began_s)
    service, seeing = share * (place.processor_s() - service_s), share * (of_all(helpers) - helpers_s)
    return [
        Figure("idle: the service", group, value=service, unit="% of one core"),
        Figure("idle: its camera's process", group, value=seeing, unit="% of one core"),
        Figure("idle: both", group, value=service + seeing, unit="% of one core", wanted=WANTED),
    ]


def of_all(places: list[Place]) -> float:
    """Processor time of several processes together."""
    return sum(place.processor_s() for place in places)
