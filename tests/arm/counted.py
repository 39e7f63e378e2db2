"""In the emulated ARM machine whose clock counts instructions: what the work on a picture costs.

    python -m tests.arm.counted WATCHED [READ]

WATCHED     the size of the pictures that are watched, such as 1280x720
READ        that of the pictures that are read, where the camera gives others for that, as one on a ribbon cable does

Prints JSON. "still" and "rolling" are the medians of the instructions, in millions, for a picture of a still table and
for one of rolling dice. "throws" are all pictures from rest to reading: for each its milliseconds since the last die
rested, and the instructions for it. "peak_mb" is the most memory that all of it has taken, the drawing of the film
included.
"""

import json
import resource
import sys
import time
from dataclasses import replace
from itertools import chain
from typing import Any

import cv2
import numpy as np

from tests.benches.watch import Size, watch_of
from vision.training.drawn.rolls import Film, Moment

DICE, THROWS = 5, 4  # the first throw loads what reads dice, and is not counted
SEED = 38


def main() -> None:
    cv2.setNumThreads(1)
    sizes_px = [(int(width), int(height)) for width, height in (size.split("x") for size in sys.argv[1:])]
    found = counted(sizes_px[0], sizes_px[-1])
    print(json.dumps(found | {"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10}))


def counted(watched_px: Size, read_px: Size) -> dict[str, Any]:
    """The medians and the throws of a camera."""
    film = Film(np.random.default_rng([SEED, *read_px]), read_px)
    watch = watch_of(film)

    def fed(moment: Moment) -> tuple[float, bool]:
        """What a moment costs, without the camera's own work, and whether it brings a reading."""
        full = moment.frame
        seen = full if watched_px == read_px else replace(full, bgr=cv2.resize(full.bgr, watched_px))
        began_ns = time.process_time_ns()
        settled = watch.feed(seen, lambda _seen: full)
        return round((time.process_time_ns() - began_ns) / 1e6, 1), settled is not None

    for moment in chain(film.rest(), film.throw(DICE)):
        fed(moment)
    still, rolling, throws = list[float](), list[float](), list[list[tuple[float, float]]]()
    for _throw in range(THROWS - 1):
        for moment in film.clear():
            fed(moment)
        since_rest, is_read = list[tuple[float, float]](), False
        for moment in film.throw(DICE):
            spent, found = fed(moment)
            if moment.die_moves:
                rolling.append(spent)
            elif is_read:
                still.append(spent)
            else:
                since_rest.append((round((moment.frame.at_us - film.rested_us) / 1000, 1), spent))
                is_read = found
        if is_read:
            throws.append(since_rest)
    return {"still": float(np.median(still)), "rolling": float(np.median(rolling)), "throws": throws}


if __name__ == "__main__":
    main()
