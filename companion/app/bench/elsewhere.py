"""The part of `companion bench web` whose pages come from other addresses than this machine's, each with its ticket.

It runs in a network of its own, where a whole range of addresses leads to this machine.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

from companion.app.bench.apart import Service, service_apart
from companion.app.bench.figures import Figure
from companion.app.bench.screens import growth
from companion.app.service.server import allow_handles
from companion.foreign import read_json

NETWORK = "10.99.0"
DEVICES = 100  # A device may have 40 streams.
OURS = f"ip link set lo up && ip route add local {NETWORK}.0/24 dev lo"
APART = ("unshare", "--user", "--map-root-user", "--net", "sh", "-c", f'{OURS} && exec "$@"', "sh")


def figures_elsewhere(loads: Sequence[int], events: int) -> list[Figure]:
    """The rows for these numbers of pages; none, with a sentence, where this system allows no network of its own."""
    command = (*APART, sys.executable, "-m", __name__, str(events), *map(str, loads))
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"Pages from other addresses are not measured: {error}", file=sys.stderr)
        return []
    return [Figure(**fields) for fields in read_json(done.stdout)]


async def measure(service: Service, loads: Sequence[int], events: int) -> list[Figure]:
    return [figure for count in loads for figure in await growth(service, count, events, " from elsewhere")]


def main(events: int, *loads: int) -> None:
    """Prints the rows as JSON."""
    allow_handles()
    with service_apart("--camera", "none", host="0.0.0.0") as service:
        command = [sys.executable, "-m", "companion", "token", "--data", str(service.data), "create", "watcher"]
        token = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        homes = tuple(f"{NETWORK}.{number}" for number in range(1, DEVICES + 1))
        figures = asyncio.run(measure(replace(service, token=token, homes=homes), loads, events))
    print(json.dumps([figure.fields() for figure in figures]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
