"""All readers, by the kind of their readings."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from companion.game.readings import Box, CardReading, DiceReading, Kind, LoadReading, StacksReading
from vision.board.reader import read_board
from vision.cameras.health import shows_nothing
from vision.card.reader import read_card
from vision.dice.reader import read_dice, read_dice_again
from vision.load.reader import read_load
from vision.readers import agreement
from vision.readers.agreement import InTime
from vision.readers.annotate import draw_board, draw_card, draw_dice, draw_load, draw_stacks, draw_tower
from vision.scene.scene import Scene
from vision.stacks.reader import read_stacks
from vision.tower.reader import read_tower


@dataclass(frozen=True)
class Reader:
    """The reader of one kind of reading.

    read     (frame (h, w, 3) uint8 BGR, scene) → reading; BadInput says what the scene lacks
    draw     (frame, reading) → a copy of the frame with the reading drawn in
    in_time  what two readings of one rest agree on, and what is new in a rest
    unseen   reading of a picture that shows nothing → the same, asked about; readers of boards and towers do so
             themselves, as no space is in view
    again    (another picture of the same rest, scene, its reading so far) → reading, sooner than by `read`
    """

    read: Callable[[np.ndarray, Scene | None], Any]
    draw: Callable[[np.ndarray, Any], np.ndarray]
    in_time: InTime
    unseen: Callable[[Any], Any] = lambda reading: reading
    again: Callable[[np.ndarray, Scene | None, Any], Any] | None = None

    def read_photo(self, frame_bgr: np.ndarray, scene: Scene | None) -> Any:
        """As `read`, for a single photograph: one that shows nothing at all is asked about, rather than read as empty.

        For a camera `vision.cameras.health` does that.
        """
        reading = self.read(frame_bgr, scene)
        return self.unseen(reading) if shows_nothing(frame_bgr) else reading


def unseen_dice(reading: DiceReading | StacksReading) -> DiceReading | StacksReading:
    """The reading of dice or stacks; if there are none, the whole picture is unread."""
    if reading.unread or (reading.stacks if isinstance(reading, StacksReading) else reading.dice):
        return reading
    return replace(reading, unread=(Box(reading.width / 2, reading.height / 2, reading.width, reading.height),))


def unseen_load(reading: LoadReading) -> LoadReading:
    """The reading with neither the left-overs nor a square accepted."""
    trucks = tuple(
        replace(truck, cells=tuple(tuple(replace(square, accepted=False) for square in row) for row in truck.cells))
        for truck in reading.trucks
    )
    return replace(reading, outside_confidence=0.0, outside_accepted=False, trucks=trucks)


def unseen_card(reading: CardReading) -> CardReading:
    """The reading, not accepted: a card may lie there or not."""
    return replace(reading, confidence=0.5, accepted=False)


READERS = {
    Kind.DICE: Reader(read_dice, draw_dice, agreement.DICE, unseen_dice, read_dice_again),
    Kind.STACKS: Reader(read_stacks, draw_stacks, agreement.STACKS, unseen_dice),
    Kind.BOARD: Reader(read_board, draw_board, agreement.BOARD),
    Kind.LOAD: Reader(read_load, draw_load, agreement.LOAD, unseen_load),
    Kind.CARD: Reader(read_card, draw_card, agreement.CARD, unseen_card),
    Kind.TOWER: Reader(read_tower, draw_tower, agreement.TOWER),
}
