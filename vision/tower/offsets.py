"""Tells how far the pieces of one build are beside their places in another build of the same pieces.

A person at the table does not measure: a piece that lies a little aside is still where it belongs. So each offset is
taken from what carries the piece, and counts from a third of that.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.words import _
from vision.tower.fit import LEAST_HOLD_MM, Build, Placed

COUNTS_FROM = 1 / 3  # An offset counts from this share of what carries the piece.


@dataclass(frozen=True)
class Offset:
    """How far a piece is from its place on what carries it.

    level, number   of the piece, from 0, its number from the left
    alone           whether no other piece is on its level
    aside_mm        to the right
    limit_mm        from here on it counts
    """

    level: int
    number: int
    alone: bool
    aside_mm: float
    limit_mm: float

    @property
    def beyond_mm(self) -> float:
        """How far it is beyond its limit; negative within it."""
        return abs(self.aside_mm) - self.limit_mm

    def in_words(self) -> str:
        """A sentence about a piece that is beyond its limit."""
        level, number, mm = self.level + 1, self.number + 1, round(abs(self.aside_mm))
        if self.alone and self.aside_mm < 0:
            return _("level {level} is {mm} mm too far left", level=level, mm=mm)
        if self.alone:
            return _("level {level} is {mm} mm too far right", level=level, mm=mm)
        if self.aside_mm < 0:
            return _("block {number} of level {level} is {mm} mm too far left", number=number, level=level, mm=mm)
        return _("block {number} of level {level} is {mm} mm too far right", number=number, level=level, mm=mm)


def offsets_of(build: Build, other: Build) -> list[Offset]:
    """The offset of each piece of a build from its place in the other one, which has the same pieces on each level."""
    offsets: list[Offset] = []
    below: Sequence[tuple[Placed, Placed]] = ()
    for level, pieces in enumerate(zip(build.levels, other.levels, strict=True)):
        pairs = list(zip(*pieces, strict=True))
        for number, (piece, place) in enumerate(pairs):
            # What the table carries has a place among its neighbours alone.
            carriers = [pair for pair in below if rests_on(place, pair[1])] or below or pairs
            limit_mm = COUNTS_FROM * sum(its.way.across_mm for _under, its in carriers)
            carried_mm = float(np.mean([under.x_mm - its.x_mm for under, its in carriers]))
            aside_mm = piece.x_mm - place.x_mm - carried_mm
            offsets.append(Offset(level, number, len(pairs) == 1, aside_mm, limit_mm))
        below = pairs
    return offsets


def rests_on(piece: Placed, under: Placed) -> bool:
    """Whether a piece of the next level lies over the other one, errors of measurement aside."""
    reach_mm = (piece.way.across_mm + under.way.across_mm) / 2 - LEAST_HOLD_MM
    return abs(piece.x_mm - under.x_mm) < reach_mm
