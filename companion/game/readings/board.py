"""Piles of round pieces on a grid board, as the camera believes they stand."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CellReading:
    """One space of the board.

    colour      name of the top piece's colour, None for an empty space
    height      pieces in the pile, 0 for an empty space, None when the view does not show it
    confidence  0..1, calibrated, of the colour (or of being empty)
    accepted    False: ask a person about the colour; a height is never more than a hint
    cx, cy      pixels: the middle of the top piece, or of the empty space
    """

    colour: str | None
    height: int | None
    confidence: float
    accepted: bool
    cx: float = 0.0
    cy: float = 0.0


@dataclass(frozen=True)
class BoardReading:
    """All spaces in one frame: cells[row][column], row 0 along the first edge of the grid's corners (tl to tr).

    changed     (row, column) of spaces that surely look different from the last rest; if the top colour is the same,
                a piece was put on it. Empty at the first rest
    """

    width: int
    height: int
    cells: tuple[tuple[CellReading, ...], ...]
    changed: tuple[tuple[int, int], ...] = ()

    @property
    def accepted(self) -> bool:
        """True when nobody has to be asked about a space."""
        return all(cell.accepted for row in self.cells for cell in row)
