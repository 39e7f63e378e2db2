"""Boxes and loads of trucks. Rows, columns and levels count from 1.

Counts of boxes are tuples of five numbers, size 1 first.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from companion.equipment.trucks import Truck
from companion.errors import IllegalEvent
from companion.words import _

SIZES = (1, 2, 3, 4, 5)  # PS-05, PS-06

Counts = tuple[int, int, int, int, int]
Cell = tuple[int, int, int]  # A cell is named by its row, its column and its level.

NONE: Counts = (0, 0, 0, 0, 0)


def as_counts(numbers: Iterable[int]) -> Counts:
    """Five numbers, size 1 first, as counts of boxes."""
    one, two, three, four, five = numbers
    return one, two, three, four, five


@dataclass(frozen=True)
class Box:
    """A wooden bar of 1 × 1 × `size`, and the cells that it fills."""

    size: int
    cells: tuple[Cell, ...]


def volume(counts: Counts) -> int:
    """The volume of these boxes, in units."""
    return sum(size * number for size, number in zip(SIZES, counts, strict=True))


def less(counts: Counts, removed: Counts) -> Counts:
    """`counts` minus `removed`; raises IllegalEvent when more is removed than there is."""
    for size, number, away in zip(SIZES, counts, removed, strict=True):
        if not 0 <= away <= number:
            raise IllegalEvent(
                _(
                    "There are {number} boxes of size {size}, so {away} can't be left over. Count them again.",
                    away=away,
                    size=size,
                    number=number,
                )
            )
    return as_counts(number - away for number, away in zip(counts, removed, strict=True))


def loss(truck: Truck, rolled: Counts, unloaded: Counts, voucher: bool = False) -> int:
    """The loss of a load: 1 for each empty space, 2 × size for each unloaded box, 1 × size with a voucher.

    See PS-50 … PS-52, PS-64. Raises IllegalEvent when the other boxes cannot be in the truck.
    """
    return empty(truck, less(rolled, unloaded)) + (1 if voucher else 2) * volume(unloaded)


def empty(truck: Truck, loaded: Counts) -> int:
    """The number of empty spaces (PS-50); raises IllegalEvent when the boxes have more volume than the truck."""
    spaces = truck.capacity - volume(loaded)
    if spaces < 0:
        raise IllegalEvent(
            _(
                "The truck holds {capacity}, but these boxes fill {volume}. Enter the boxes that didn't fit.",
                capacity=truck.capacity,
                volume=volume(loaded),
            )
        )
    return spaces


def check_packed(truck: Truck, boxes: Iterable[Box]) -> None:
    """Raises IllegalEvent unless the boxes may lie like this in the truck (PS-41 … PS-44)."""
    filled: set[Cell] = set()
    for box in boxes:
        check_shape(box)
        for row, column, level in box.cells:
            if (row, column) not in truck.squares:
                raise IllegalEvent(
                    _("Row {row}, column {column} is outside the loading area. Load inside it.", row=row, column=column)
                )  # PS-41
            if not 1 <= level <= truck.height:
                raise IllegalEvent(
                    _(
                        "This truck is only {height} high, so there's no level {level}. Load lower.",
                        level=level,
                        height=truck.height,
                    )
                )  # PS-42
            if (row, column, level) in filled:
                raise IllegalEvent(
                    _(
                        "Two boxes are in row {row}, column {column}, level {level}. Move one of them.",
                        row=row,
                        column=column,
                        level=level,
                    )
                )
            filled.add((row, column, level))
    for row, column, level in sorted(filled):
        if level > 1 and (row, column, level - 1) not in filled:
            raise IllegalEvent(
                _(
                    "There's a gap under a box at row {row}, column {column}, level {number}. Fill it first.",
                    row=row,
                    column=column,
                    number=level - 1,
                )
            )  # PS-43


def check_shape(box: Box) -> None:
    """Raises IllegalEvent unless the box is a straight bar of 1 to 5 units, level or upright (PS-06, PS-41, PS-44)."""
    if box.size not in SIZES or len(box.cells) != box.size:
        raise IllegalEvent(
            _("A box of 1 to {sizes} units fills the same number of cells. Enter its cells again.", sizes=SIZES[-1])
        )
    cells = sorted(box.cells)
    steps = {
        (to_row - row, to_column - column, to_level - level)
        for (row, column, level), (to_row, to_column, to_level) in pairwise(cells)
    }
    if len(steps) > 1 or not steps <= {(1, 0, 0), (0, 1, 0), (0, 0, 1)}:
        raise IllegalEvent(_("A box's cells must be side by side in a straight line. Enter its cells again."))


def counts_of(boxes: Iterable[Box]) -> Counts:
    """The number of boxes of each size."""
    sizes = [box.size for box in boxes]
    return as_counts(sizes.count(size) for size in SIZES)
