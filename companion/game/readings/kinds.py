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


OF_FRONT = frozenset({Kind.TOWER})  # The camera at table height reads these, the one above the table all others.
