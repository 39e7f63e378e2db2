"""Boxes on truck cards and beside them, as the camera believes they lie."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class SquareReading:
    """One square of a loading area, seen from above.

    filled      whether a box covers it
    colour      name of the box on top, None where none lies
    cx, cy      pixels: the middle of what is seen there
    """

    filled: bool
    colour: str | None
    accepted: bool
    cx: float = 0.0
    cy: float = 0.0


@dataclass(frozen=True)
class LeftReading:
    """One box beside the trucks: its size in units, whether it stands on its end, and where its middle is in pixels."""

    size: int
    standing: bool
    cx: float
    cy: float


@dataclass(frozen=True)
class TruckReading:
    """One truck card: cells[row][column], row 0 along the first edge of its corners (tl to tr).

    number      of the card that is looked for there, None where nobody knows; it is not read from the picture
    """

    cells: tuple[tuple[SquareReading, ...], ...]
    number: int | None = None


@dataclass(frozen=True)
class LoadReading:
    """One frame: the boxes left over, by size, and what covers the trucks.

    outside             size in units → how many boxes of it lie beside the trucks; sizes without a box are left out
    outside_confidence  0..1, calibrated, that all of `outside` is right
    outside_accepted    False: ask a person
    boxes               the boxes of `outside` that are seen, one by one
    hidden              how many of `outside` nobody sees: by the roll and what lies on the truck they must be there
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
        """True when neither the left-overs nor a square has to be asked."""
        return self.outside_accepted and all(
            square.accepted for truck in self.trucks for row in truck.cells for square in row
        )
