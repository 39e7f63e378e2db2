"""Trains a network of vision/models further, from the committed weights.

    python -m vision.training.nets.further NETWORK STEPS RATE SEED FOLDER…

NETWORK is one of `COURSES`; the folders hold pictures and labels.json, drawn or path-traced. All pictures have the same
share. The rate should stay below a third of that from nothing, as there is no batch norm any more to calm the steps.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import cv2
from torch import nn

from vision.board import tops as boards
from vision.load.cuts import CUT_PX
from vision.stacks import reader as stacks
from vision.tower import crop as towers
from vision.training.nets import board_net, load_nets, stack_nets, tower_net
from vision.training.nets.course import Course
from vision.training.nets.networks import BoxReader, LoadFinder, SpaceReader, StackReader, TowerReader
from vision.training.nets.weights import committed

Fit = Callable[[list[Path], Course | None], None]
COURSES: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...], Fit]] = {  # network, shape of its input, trainer
    "stack-reader": (StackReader, (6, stacks.TALL_PX, stacks.WIDE_PX), stack_nets.fit),
    "space-reader": (SpaceReader, (9, boards.TALL_PX, boards.WIDE_PX), board_net.fit),
    "load-finder": (LoadFinder, (6, 288, 384), load_nets.fit_finder),
    "load-reader": (BoxReader, (6, CUT_PX, CUT_PX), load_nets.fit_reader),
    "tower-reader": (TowerReader, (16, towers.TALL_PX, towers.WIDE_PX), tower_net.fit),
}


def main(name: str, steps: int, rate: float, seed: int, folders: list[Path]) -> None:
    network, shape, fit = COURSES[name]
    fit(folders, Course(committed(network(), name, *shape), steps, rate, seed))


if __name__ == "__main__":
    cv2.setNumThreads(1)
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), [Path(folder) for folder in sys.argv[5:]])
