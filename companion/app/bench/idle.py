"""`companion bench idle`: the share of a core that a demo uses while nobody does anything, without and with a page.

The kernel's counts of processor time are compared, so other programs on this machine change little.
"""

import asyncio
import time
from pathlib import Path

from companion.app.bench.apart import Service, service_apart
from companion.app.bench.figures import Figure, Wanted
from companion.app.bench.screens import open_pages

SETTLE_S = 20.0  # The work of starting, of beginning a game and of the camera's first looks is then done.
MEASURED_S = 60.0
WANTED = Wanted(5.0, at_most=True)


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """Per cent of one core; labels and pictures play no part."""
    with service_apart("--demo") as service:
        return asyncio.run(measure(service))


async def measure(service: Service) -> list[Figure]:
    """The rows of one service."""
    rows = await shares_of(service, "no page")
    async with open_pages(service, 1):
        return rows + await shares_of(service, "a game, one page")


async def shares_of(service: Service, group: str) -> list[Figure]:
    """The share of a core used by the service, and by its child processes, such as the camera's."""
    await asyncio.sleep(SETTLE_S)
    helpers = [Service(service.port, pid) for pid in service.children()]
    began_s, service_s, helpers_s = time.monotonic(), service.processor_s(), of_all(helpers)
    await asyncio.sleep(MEASURED_S)
    share = 100 / (time.monotonic() - began_s)
    service_share, helpers_share = share * (service.processor_s() - service_s), share * (of_all(helpers) - helpers_s)
    return [
        Figure("idle: the service", group, value=service_share, unit="% of one core"),
        Figure("idle: its camera's process", group, value=helpers_share, unit="% of one core"),
        Figure("idle: both", group, value=service_share + helpers_share, unit="% of one core", wanted=WANTED),
    ]


def of_all(services: list[Service]) -> float:
    """Processor time of several processes together."""
    return sum(service.processor_s() for service in services)
