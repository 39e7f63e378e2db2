"""`make soak`: hours of play in a few minutes, with all seven games, tablets that sleep, and a camera that is killed.

Memory, threads, file handles and latency of the service are measured all the while, drawn as an SVG, and judged: in the
last quarter of the time none may have grown by more than its tolerance.
"""

import contextlib
import itertools
import json
import os
import platform
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from random import Random

import click

from companion.journal.data_folder import JOURNAL
from companion.shelf import GAMES
from tests.torture.house import GONE, House, children
from tests.torture.judge import judge_file, judge_states
from tests.torture.load import Crowd, Ledger

HOUR_TAPS = 1_200  # taps of a table in an hour: four people, one tap each twelve seconds
SAMPLE_S = 1.0
QUIET = "a-game-where-nothing-happens"
TABLETS = 4
SLEEPERS = 6
CAMERA_DIES_S = 20.0
# The greatest allowed ratio of the last quarter's median to the third's. Earlier quarters do not count: the service
# keeps the newest 64 games folded (companion.house.tables), so its memory grows until so many have been played.
TOLERANCES = {"memory_mb": 1.10, "threads": 1.10, "handles": 1.10, "latency_ms": 1.5}
LEAST_GROWTH = {"memory_mb": 4.0, "threads": 3.0, "handles": 5.0, "latency_ms": 15.0}  # less growth is noise


@dataclass
class Record:
    """The measurements, one list a quantity, and the seconds at which each was taken."""

    seconds: list[float] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, second: float, **measured: float) -> None:
        """Adds a sample."""
        self.seconds.append(round(second, 1))
        for name, value in measured.items():
            self.values.setdefault(name, []).append(round(value, 2))

    def quarter(self, name: str, number: int) -> float:
        """The median of a quantity in a quarter of the time, 0 to 3."""
        values = self.values[name]
        size = max(1, len(values) // 4)
        return statistics.median(values[number * size : (number + 1) * size] or values[-size:])

    def growth(self, name: str) -> tuple[float, float, bool]:
        """The medians of the third and the last quarter, and whether the growth between them is allowed."""
        before, after = self.quarter(name, 2), self.quarter(name, 3)
        flat = after <= before * TOLERANCES[name] or after - before <= LEAST_GROWTH[name]
        return before, after, flat


def memory_mb(pid: int) -> float:
    """The proportional set size (Pss) of a process."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def threads(pid: int) -> int:
    """The number of threads of a process."""
    return len(os.listdir(f"/proc/{pid}/task"))


def handles(pid: int) -> int:
    """The number of files, pipes and sockets that a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


class Sleeper:
    """A tablet that shows a game, leaves without notice, and comes back later."""

    def __init__(self, house: House, crowd: Crowd, random: Random, stopping: threading.Event) -> None:
        self._house = house
        self._crowd = crowd
        self._random = random
        self._stopping = stopping
        self.wakings = 0

    def run(self) -> None:
        """Listens to a stream and sleeps in turn, until `stopping` is set."""
        import urllib.request

        while not self._stopping.wait(self._random.uniform(0.1, 1.0)):
            sessions = self._crowd.sessions()
            if not sessions or not self._house.url:
                continue
            session = self._random.choice(sessions)
            address = f"{self._house.url}/api/sessions/{session}/stream?since=0"
            with contextlib.suppress(*GONE), urllib.request.urlopen(address, timeout=2) as stream:
                self.wakings += 1
                until_s = time.monotonic() + self._random.uniform(0.2, 3.0)
                while time.monotonic() < until_s and stream.readline() and not self._stopping.is_set():
                    pass


def soak(
    minutes: float, taps: int, seed: int, say: Callable[[str], None]
) -> tuple[Record, dict[str, object], list[str]]:
    """Plays until the time is over or `taps` are acknowledged; returns measurements, counts, and what was wrong."""
    record, ledger, random, stopping = Record(), Ledger(), Random(seed), threading.Event()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        house = House(Path(folder), "--demo")
        house.start()
        if not house.wait_until_ready():
            return record, {}, ["the service did not start", *house.complaints]
        crowd = Crowd(house, ledger, random, tablets=TABLETS, buttons=True, dice=True)
        sleepers = [Sleeper(house, crowd, Random(random.random()), stopping) for _ in range(SLEEPERS)]
        sleeping = [threading.Thread(target=sleeper.run, daemon=True) for sleeper in sleepers]
        began_s = time.monotonic()
        deaths = 0
        house.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"], "session_id": QUIET})
        with crowd:
            for thread in sleeping:
                thread.start()
            for number in itertools.count():
                second = time.monotonic() - began_s
                if second > minutes * 60 or len(ledger.acknowledged) >= taps:
                    break
                measure(house, record, second)
                if second > (deaths + 1) * CAMERA_DIES_S:
                    deaths += kill_camera(house.pid)
                if number % 30 == 0:
                    say(f"{second:5.0f} s, {len(ledger.acknowledged)} taps")
                time.sleep(SAMPLE_S)
            stopping.set()
            with crowd.quiet():
                judge_states(house, crowd.sessions(), ledger)
        house.stop()
        found = judge_file(Path(folder) / JOURNAL, ledger)
        tracebacks = [line for line in house.complaints if "Traceback" in line]
        done = {
            "minutes": round((time.monotonic() - began_s) / 60, 1),
            "taps": len(ledger.acknowledged),
            "hours_of_play": round(len(ledger.acknowledged) / HOUR_TAPS, 1),
            "sessions": len(ledger.sessions),
            "entries": len(ledger.seen),
            "camera_deaths": deaths,
            "tablet_wakings": sum(sleeper.wakings for sleeper in sleepers),
            "lost": found["lost"],
            "twice": found["twice"],
            "journal_mb": round((Path(folder) / JOURNAL).stat().st_size / 1e6, 1),
        }
        return record, done, [*ledger.wrong, *tracebacks]


def measure(house: House, record: Record, second: float) -> None:
    """Adds a sample of everything; the latency is that of a request about a game in which nothing happens."""
    latencies_ms = []
    for _ in range(3):
        began_s = time.perf_counter()
        house.call(f"/api/sessions/{QUIET}")
        latencies_ms.append((time.perf_counter() - began_s) * 1000)
    with contextlib.suppress(OSError):
        record.add(
            second,
            memory_mb=memory_mb(house.pid),
            threads=threads(house.pid),
            handles=handles(house.pid),
            latency_ms=statistics.median(latencies_ms),
        )


def kill_camera(service: int) -> int:
    """Sends SIGKILL to the vision process, if there is one; returns the number of killed processes."""
    for child in children(service):
        with contextlib.suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(child, signal.SIGKILL)
                return 1
    return 0


# the graph

WIDTH, HEIGHT, LEFT, TOP, GAP = 760, 110, 70, 34, 24
TITLES = {
    "memory_mb": "memory of the service, MB",
    "threads": "threads",
    "handles": "file handles",
    "latency_ms": "latency of a look, ms",
}


def graph(record: Record, title: str) -> str:
    """The measurements as an SVG, with a curve for each quantity."""
    total = TOP + len(TITLES) * (HEIGHT + GAP) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + LEFT + 20} {total}" font-family="sans-serif">',
        f'<rect width="100%" height="100%" fill="#fff"/><text x="{LEFT}" y="20" font-size="14">{title}</text>',
    ]
    longest_s = max(record.seconds[-1], 1.0)
    for number, (name, label) in enumerate(TITLES.items()):
        top = TOP + number * (HEIGHT + GAP)
        values = record.values[name]
        highest = max(*values, 1.0) * 1.1
        points = " ".join(
            f"{LEFT + second / longest_s * WIDTH:.1f},{top + HEIGHT - value / highest * HEIGHT:.1f}"
            for second, value in zip(record.seconds, values, strict=True)
        )
        parts += [
            f'<rect x="{LEFT}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="#f4f4f4"/>',
            f'<polyline points="{points}" fill="none" stroke="#1a5fb4" stroke-width="1.5"/>',
            f'<text x="{LEFT + 6}" y="{top + 14}" font-size="12">{label}</text>',
            f'<text x="{LEFT - 6}" y="{top + 12}" font-size="11" text-anchor="end">{highest:.0f}</text>',
            f'<text x="{LEFT - 6}" y="{top + HEIGHT}" font-size="11" text-anchor="end">0</text>',
        ]
    parts.append(f'<text x="{LEFT + WIDTH}" y="{total - 4}" font-size="11" text-anchor="end">{longest_s:.0f} s</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def machine() -> str:
    """The machine that measured, and the date."""
    python = platform.python_version()
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {python}, {date.today().isoformat()}"


@click.command()
@click.option("--minutes", default=2.5, show_default=True, help="Ends then.")
@click.option("--taps", default=8 * HOUR_TAPS, show_default=True, help="Ends then: eight hours of four people.")
@click.option("--seed", default=1, show_default=True, help="Of the random choices.")
@click.option("--graph", "graph_path", type=click.Path(path_type=Path), help="Where the SVG is written.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def main(minutes: float, taps: int, seed: int, graph_path: Path | None, as_json: bool) -> None:
    """Plays all games for a while and checks whether the service grows."""
    record, done, wrong = soak(minutes, taps, seed, lambda line: print(line, file=sys.stderr))
    if not record.seconds:
        sys.exit("\n".join(wrong))
    growth = {name: record.growth(name) for name in TITLES}
    if graph_path:
        graph_path.write_text(graph(record, f"{done['taps']} taps, {len(GAMES)} games; {machine()}"))
    if as_json:
        print(json.dumps({"machine": machine(), **done, "growth": growth, "wrong": wrong}))
    else:
        print(machine())
        print(", ".join(f"{name.replace('_', ' ')} {value}" for name, value in done.items()))
        for name, (before, after, flat) in growth.items():
            verdict = "flat" if flat else "GROWS"
            print(f"{TITLES[name]}: {before:g} in the third quarter, {after:g} in the last: {verdict}")
        for line in wrong[:20]:
            print(line)
    sys.exit(1 if wrong or not all(flat for _, _, flat in growth.values()) else 0)


if __name__ == "__main__":
    main()
