"""The play between two pictures of a grid board, as the camera believes it was."""

from collections.abc import Mapping
from dataclasses import dataclass

Cell = tuple[int, int]


@dataclass(frozen=True)
class Play:
    """One play: a piece placed, or a pile toppled.

    kind    "place" or "topple"
    cell    row and column of the space, from 0
    colour  of the placed piece, None for a topple
    pieces  (cell, colour) of each toppled piece: far, right, near, left, without those that left the board
    """

    kind: str
    cell: Cell
    colour: str | None = None
    pieces: tuple[tuple[Cell, str], ...] = ()

    def fields(self) -> Mapping[str, object]:
        """The play as JSON values, with the field names of picture labels."""
        if self.kind == "place":
            return {"kind": self.kind, "cell": list(self.cell), "colour": self.colour}
        pieces = [{"to": list(to), "colour": colour} for to, colour in self.pieces]
        return {"kind": self.kind, "cell": list(self.cell), "pieces": pieces}


@dataclass(frozen=True)
class PlayReading:
    """Two frames of one board.

    play          the likeliest play, None when nothing changed or no single play explains what did
    confidence    0..1, calibrated
    accepted      False: ask a person
    alternatives  (play, probability), likeliest first
    changed       the spaces that look different
    changed_px    their middles in the later frame
    differs       a sentence about a change that no play explains, otherwise ""
    """

    width: int
    height: int
    play: Play | None
    confidence: float
    accepted: bool
    alternatives: tuple[tuple[Play, float], ...]
    changed: tuple[Cell, ...]
    changed_px: tuple[tuple[float, float], ...] = ()
    differs: str = ""
