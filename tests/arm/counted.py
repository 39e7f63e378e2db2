"""In the emulated ARM machine whose clock counts instructions: what the work on a picture costs.

    python -m tests.arm.counted SIZE

Prints JSON for pictures of that size, such as 1280x720. "still" and "rolling" are the medians of the instructions, in
millions, for a picture of a still table and for one of rolling dice. "throws" are all pictures from rest to reading:
for each its milliseconds since the last die rested, and the instructions for it. "peak_mb" is the most memory that all
of it has taken, the drawing of the film included.
"""

import json
import resource
import sys
import time
from typing import Any

import cv2
import numpy as np

from companion.cli.bench.watch import readings, watch_of
from vision.training.drawn.rolls import Film

DICE, THROWS = 5, 4  # the first throw loads what reads dice, and is not counted
SEED = 38


def main() -> None:
    cv2.setNumThreads(1)
    width, height = map(int, sys.argv[1].split("x"))
    found = counted((width, height))
    print(json.dumps(found | {"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10}))


def counted(size_px: tuple[int, int]) -> dict[str, Any]:
    """The medians and the throws of one size."""
    film = Film(np.random.default_rng([SEED, *size_px]), size_px)
    watch = watch_of(film)
    readings(watch, film.rest())
    readings(watch, film.throw(DICE))
    still, rolling, throws = list[float](), list[float](), list[list[tuple[float, float]]]()
    for _throw in range(THROWS - 1):
        readings(watch, film.clear())
        since_rest, is_read = list[tuple[float, float]](), False
        for moment in film.throw(DICE):
            began_ns = time.process_time_ns()
            settled = watch.feed(moment.frame)
            spent = round((time.process_time_ns() - began_ns) / 1e6, 1)
            if moment.die_moves:
                rolling.append(spent)
            elif is_read:
                still.append(spent)
            else:
                since_rest.append((round((moment.frame.at_us - film.rested_us) / 1000, 1), spent))
                is_read = settled is not None
        if is_read:
            throws.append(since_rest)
    return {"still": float(np.median(still)), "rolling": float(np.median(rolling)), "throws": throws}


if __name__ == "__main__":
    main()
