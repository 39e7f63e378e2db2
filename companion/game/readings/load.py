"""Boxes on truck cards and beside them, as the camera believes they lie."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class SquareReading:
    """One square of a loading area, seen from above.

    filled      whether a box covers it
    colour      name of the top box's colour, None for an empty square
    cx, cy      pixels: the middle of the visible top
    """

    filled: bool
    colour: str | None
    accepted: bool
    cx: float = 0.0
    cy: float = 0.0


@dataclass(frozen=True)
class LeftReading:
    """One box beside the trucks: its size in units, whether it stands on its end, and its middle in pixels."""

    size: int
    standing: bool
    cx: float
    cy: float


@dataclass(frozen=True)
class TruckReading:
    """One truck card: cells[row][column], row 0 along the first edge of its corners (tl to tr).

    number      of the card that lies there, None when unknown; the game says it, the picture does not
    """

    cells: tuple[tuple[SquareReading, ...], ...]
    number: int | None = None


@dataclass(frozen=True)
class LoadReading:
    """One frame: the boxes left over, by size, and the covered squares of the trucks.

    outside             size in units → how many boxes of it lie beside the trucks; sizes without a box are left out
    outside_confidence  0..1, calibrated, that all of `outside` is right
    outside_accepted    False: ask a person
    boxes               the visible boxes of `outside`, one by one
    hidden              number of boxes in `outside` that are not visible: the roll and the truck's load imply them
    """

    width: int
    height: int
    outside: Mapping[int, int]
    outside_confidence: float
    outside_accepted: bool
    trucks: tuple[TruckReading, ...]
    boxes: tuple[LeftReading, ...] = ()
    hidden: int = 0

    @property
    def accepted(self) -> bool:
        """True when nobody has to be asked about the left-over boxes or a square."""
        return self.outside_accepted and all(
            square.accepted for truck in self.trucks for row in truck.cells for square in row
        )
