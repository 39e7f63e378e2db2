"""All readers, by the kind of what they read."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from companion.readings import Box, DiceReading, Kind, StacksReading
from vision import in_time
from vision.annotate import draw_board, draw_card, draw_dice, draw_load, draw_stacks, draw_tower
from vision.board import read_board
from vision.card import read_card
from vision.dice import read_dice
from vision.health import shows_nothing
from vision.in_time import InTime
from vision.load import read_load
from vision.scene import Scene
from vision.stacks import read_stacks
from vision.tower import read_tower


@dataclass(frozen=True)
class Reader:
    """One kind of reading.

    read     (frame (h, w, 3) uint8 BGR, scene) → reading; BadInput says what the scene lacks
    draw     (frame, reading) → a copy of the frame with the reading drawn in
    in_time  what two looks at one rest agree on, and what in a rest is new
    """

    read: Callable[[np.ndarray, Scene | None], Any]
    draw: Callable[[np.ndarray, Any], np.ndarray]
    in_time: InTime

    def read_photo(self, frame_bgr: np.ndarray, scene: Scene | None) -> Any:
        """As `read`, of a single photograph: one that shows nothing at all is unread as a whole, not an empty table.

        A camera that watches is told apart from that by `vision.health`.
        """
        reading = self.read(frame_bgr, scene)
        if not isinstance(reading, DiceReading | StacksReading) or not shows_nothing(frame_bgr):
            return reading
        made_out = reading.dice if isinstance(reading, DiceReading) else reading.stacks
        if made_out or reading.unread:
            return reading
        return replace(reading, unread=(Box(reading.width / 2, reading.height / 2, reading.width, reading.height),))


READERS = {
    Kind.DICE: Reader(read_dice, draw_dice, in_time.DICE),
    Kind.STACKS: Reader(read_stacks, draw_stacks, in_time.STACKS),
    Kind.BOARD: Reader(read_board, draw_board, in_time.BOARD),
    Kind.LOAD: Reader(read_load, draw_load, in_time.LOAD),
    Kind.CARD: Reader(read_card, draw_card, in_time.CARD),
    Kind.TOWER: Reader(read_tower, draw_tower, in_time.TOWER),
}
