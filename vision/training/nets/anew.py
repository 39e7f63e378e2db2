"""Makes the networks of stacks, boards, loads or towers anew: draws the pictures, then trains from nothing.

    python -m vision.training.nets.anew stacks|boards|loads|towers [SHARE]

Seeds and counts are those of the drawn pictures in vision/models/README.md. SHARE, 1 unless said, is of pictures and
steps: a hundredth shows that everything runs, and gives networks that can do nothing. Pictures lie where those of
vision.training.nets.train do; the networks are written to vision/models.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2

from vision.training.drawn import boards, loads, stacks, tower_designs, towers
from vision.training.labelled import LabelledPicture, Rng, write_labelled
from vision.training.nets import board_net, load_nets, stack_nets, tower_net
from vision.training.nets.train import WORK

Draw = Callable[[Path, int, int], None]  # a folder, how many, the seed
Fit = Callable[..., None]
LEAST_STEPS = 20  # the rate rises in a tenth of the steps, which must be more than one


@dataclass(frozen=True)
class Recipe:
    """The pictures to draw, as counts by seed, and the trainers that learn from them in turn, with their steps."""

    drawn: tuple[tuple[Draw, dict[int, int]], ...]
    taught: tuple[tuple[Fit, int], ...]


def drawer_of(name: str, draw: Callable[[Rng], LabelledPicture]) -> Draw:
    """The function that writes pictures of one kind."""
    return partial(write_labelled, name=name, draw=draw)


RECIPES = {
    "stacks": Recipe(
        (
            (stacks.write_pictures, {31: 100, 32: 50, 36: 100, 37: 100, 51: 350, 52: 350, 53: 300, 54: 300, 73: 100}),
            (partial(stacks.write_pictures, numbers=stacks.CROWDED), {71: 400}),
        ),
        ((stack_nets.fit, stack_nets.STEPS),),
    ),
    "boards": Recipe(
        (
            (drawer_of("board", boards.render_board), {61: 800, 62: 800, 63: 400}),
            (drawer_of("board", partial(boards.render_board, stones=True)), {90: 180, 91: 180, 92: 160, 93: 160}),
        ),
        ((board_net.fit, board_net.STEPS),),
    ),
    "loads": Recipe(
        ((drawer_of("load", loads.render_load), {81: 700, 82: 700, 83: 700}),),
        ((load_nets.fit_finder, load_nets.STEPS), (load_nets.fit_reader, load_nets.READER_STEPS)),
    ),
    "towers": Recipe(
        (
            (towers.write_towers, {101: 360, 104: 200, 105: 200, 300: 1080, 301: 720}),
            (towers.write_towers, dict.fromkeys((501, 502, 503, 504, 601, 602), 300)),
            (partial(towers.write_towers, designed=tower_designs.arched_design), {505: 300, 605: 300}),
        ),
        ((tower_net.fit, 16_000),),
    ),
}


def main(name: str, share: float) -> None:
    folders = []
    for draw, seeds in RECIPES[name].drawn:
        for seed, count in seeds.items():
            folders.append(WORK / f"{name}-{seed}")
            draw(folders[-1], math.ceil(share * count), seed)
            print(f"{name}: seed {seed} is drawn", flush=True)
    for fit, steps in RECIPES[name].taught:
        fit(folders, steps=max(LEAST_STEPS, math.ceil(share * steps)))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3 or sys.argv[1] not in RECIPES:
        raise SystemExit(__doc__)
    cv2.setNumThreads(1)
    main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)
