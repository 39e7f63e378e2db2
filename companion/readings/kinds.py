"""The kinds of readings."""

from enum import StrEnum


class Kind(StrEnum):
    """What a reader reads; its values name the readers of `companion read`."""

    DICE = "dice"
    STACKS = "stacks"
    BOARD = "board"
    LOAD = "load"
    TOWER = "tower"
    CARD = "card"
