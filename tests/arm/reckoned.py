"""What the companion costs on real Pis, reckoned from the instructions that were counted in the emulated machine.

A Pi's instructions a second come from the rating that 7-Zip gives one of its processors, as sbc-bench has published it,
and from the rating of the emulated machine, whose clock counts a thousand million instructions as a second.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

RATED_HERE = 1079  # what "7z b -mmt=1" of p7zip 16.02 says there in all; 16.02 rated the Pis, too
CAMERAS = {"webcam": ("1280x720",), "ribbon camera": ("640x360", "2304x1296")}  # what is watched, and what is read
FRAMES_A_SECOND = {"webcam": 15, "ribbon camera": 30}
Told = dict[str, Any]
Throw = list[tuple[float, float]]  # each picture's milliseconds since the last die rested, and its instructions


@dataclass(frozen=True)
class Pi:
    """A Pi and its rating: sbc-bench's Sorted-Results.md, "7-zip MIPS single-threaded"."""

    name: str
    rating: int

    def ms(self, millions: float) -> float:
        """How long one of its processors takes for so many million instructions."""
        return millions * RATED_HERE / self.rating


PIS = (Pi("Zero 2 W, 1.0 GHz", 838), Pi("3B, 1.2 GHz", 977), Pi("4B, 1.8 GHz", 1769), Pi("5, 2.4 GHz", 3196))


def table(pictures: Told, idle: list[Told], parts: dict[str, Told]) -> Iterator[str]:
    """The lines of a table: what each piece of work takes, in millions of instructions and on each Pi.

    pictures    what `tests.arm.counted` printed, by camera
    idle        the figures of `companion bench idle`, measured there
    parts       what the parts reported
    """
    yield "| work | million instructions | " + " | ".join(pi.name for pi in PIS) + " |"
    yield "| --- " * (len(PIS) + 2) + "|"
    entry = parts["costs"]["entry_millions"]
    for camera, sizes in CAMERAS.items():
        still, a_second = pictures[camera]["still"], FRAMES_A_SECOND[camera]
        yield row(f"a {camera}'s picture ({sizes[0]}), nothing moves", still, "ms")
        yield row(f"a {camera}'s picture, dice roll", pictures[camera]["rolling"], "ms")
        yield row(f"{a_second} pictures a second of a {camera}, of one processor", still * a_second, "%", 10)
    for camera, sizes in CAMERAS.items():
        throws = pictures[camera]["throws"]
        yield row(f"five dice read ({sizes[-1]})", median(throw[-1][1] for throw in throws), "ms")
        times = [f"{median(ready_ms(pi, throw) for throw in throws) + pi.ms(entry):,.0f} ms" for pi in PIS]
        yield f"| from rest to the entry's answer, {camera} | | " + " | ".join(times) + " |"
    yield row("an entry, to its answer", entry, "ms")
    for figure in idle:
        yield row(f"{figure['name']}, {figure['group']}", figure["value"] * 10, "%", 10)
    if install := parts.get("install"):
        yield row("the installation, on one processor", install["took_s"] * 1000, "s", 1000)


def ready_ms(pi: Pi, throw: Throw) -> float:
    """When a throw is read, since its last die rested: each picture has to wait until the one before it is done."""
    free_ms = 0.0
    for at_ms, millions in throw:
        free_ms = max(free_ms, at_ms) + pi.ms(millions)
    return free_ms


def row(words: str, millions: float, unit: str, unit_ms: float = 1.0) -> str:
    """One line: what so many instructions take on each Pi, in a unit of so many milliseconds."""
    cells = [f"{pi.ms(millions) / unit_ms:,.0f} {unit}" for pi in PIS]
    return f"| {words} | {millions:,.1f} | " + " | ".join(cells) + " |"
