"""The kinds of readings."""

from enum import StrEnum


class Kind(StrEnum):
    """A kind of reading; its values name the readers of `companion read`."""

    DICE = "dice"
    STACKS = "stacks"
    BOARD = "board"
    LOAD = "load"
    TOWER = "tower"
    CARD = "card"


OF_FRONT = frozenset({Kind.TOWER})  # read by the camera at table height; all others by the one above the table
