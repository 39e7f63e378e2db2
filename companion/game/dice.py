"""The dice of a roll: those that were thrown, for the statistics, and those that are to be thrown now."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from companion.game.events import EventT_co

D6 = (1, 2, 3, 4, 5, 6)


@dataclass(frozen=True)
class Thrown:
    """One die of a roll, for the statistics: the kind of die, its faces, and the value it showed."""

    die: str
    faces: tuple[int, ...]
    value: int


@dataclass(frozen=True)
class Throw(Generic[EventT_co]):
    """Dice that are to be thrown now.

    dice    the faces of each die, all equally likely
    event   the event of the throw, from the value of each die, in the order of `dice`
    """

    dice: tuple[tuple[int, ...], ...]
    event: Callable[[tuple[int, ...]], EventT_co]
