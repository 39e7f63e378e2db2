"""All readers of photographs by name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vision.annotate import draw_board, draw_card, draw_dice, draw_load, draw_stacks, draw_tower
from vision.board import read_board
from vision.card import read_card
from vision.dice import read_dice
from vision.load import read_load
from vision.scene import Scene
from vision.stacks import read_stacks
from vision.tower import read_tower


@dataclass(frozen=True)
class Reader:
    """One kind of reading.

    read    (frame (h, w, 3) uint8 BGR, scene) → reading; BadInput says what the scene lacks
    draw    (frame, reading) → a copy of the frame with the reading drawn in
    """

    read: Callable[[np.ndarray, Scene | None], Any]
    draw: Callable[[np.ndarray, Any], np.ndarray]


READERS = {
    "dice": Reader(read_dice, draw_dice),
    "stacks": Reader(read_stacks, draw_stacks),
    "board": Reader(read_board, draw_board),
    "load": Reader(read_load, draw_load),
    "card": Reader(read_card, draw_card),
    "tower": Reader(read_tower, draw_tower),
}
