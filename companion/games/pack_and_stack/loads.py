"""Trucks, boxes and loads: what lies where, and whether it may. Rows, columns and levels count from 1.

How many boxes there are of each size is a tuple of five numbers, size 1 first.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from companion.errors import IllegalEvent
from companion.words import _

SIZES = (1, 2, 3, 4, 5)  # PS-05, PS-06
SQUARE = "#"
CARD = re.compile(r"(?P<height>[0-9]{1,2}) +(?P<rows>[#.]+(/[#.]+)*)")
MOST_ROWS = MOST_COLUMNS = 8  # PS-04 says 3 × 5; a table's own cards may be larger
MOST_LEVELS = 8

Counts = tuple[int, int, int, int, int]
Cell = tuple[int, int, int]  # row, column, level

NONE: Counts = (0, 0, 0, 0, 0)


@dataclass(frozen=True)
class Truck:
    """A truck card: its loading area drawn with # in rows, and its height number (PS-02)."""

    rows: tuple[str, ...]
    height: int

    @cached_property
    def squares(self) -> frozenset[tuple[int, int]]:
        """(row, column) of every unit square of the loading area."""
        return frozenset(
            (row, column)
            for row, drawn in enumerate(self.rows, start=1)
            for column, square in enumerate(drawn, start=1)
            if square == SQUARE
        )

    @property
    def capacity(self) -> int:
        """Squares × height (PS-50), counted in all levels (reading 5)."""
        return len(self.squares) * max(0, self.height)

    def __str__(self) -> str:
        return f"{self.height} {'/'.join(self.rows)}"


@dataclass(frozen=True)
class Box:
    """A wooden bar 1 × 1 × size and the cells that it fills."""

    size: int
    cells: tuple[Cell, ...]


def truck_of(text: str) -> Truck:
    """The truck that "HEIGHT ROW/ROW/ROW" draws; raises IllegalEvent for a text that draws none."""
    match = CARD.fullmatch(text.strip())
    if match is None or SQUARE not in text:
        raise IllegalEvent(
            _('"{text}" is no truck: write the height and the rows, like "2 ###/##./###".', text=text[:40])
        )
    truck = Truck(tuple(match["rows"].split("/")), int(match["height"]))
    if not 1 <= truck.height <= MOST_LEVELS:
        raise IllegalEvent(
            _(
                "A truck is 1 to {most_levels} high, not {height}: choose another height.",
                most_levels=MOST_LEVELS,
                height=truck.height,
            )
        )
    if len(truck.rows) > MOST_ROWS or max(map(len, truck.rows)) > MOST_COLUMNS:
        raise IllegalEvent(
            _(
                "A loading area has at most {most_rows} rows of {most_columns} squares: draw a smaller one.",
                most_rows=MOST_ROWS,
                most_columns=MOST_COLUMNS,
            )
        )
    if not is_connected(truck.squares):
        raise IllegalEvent(_('The loading area of "{text}" is not in one piece: join its squares.', text=text[:40]))
    return truck


def is_connected(squares: frozenset[tuple[int, int]]) -> bool:
    """Whether all squares hang together by their sides; no square at all does not."""
    if not squares:
        return False
    reached, edge = set[tuple[int, int]](), [min(squares)]
    while edge:
        row, column = edge.pop()
        reached.add((row, column))
        beside = {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}
        edge += (beside & squares) - reached
    return reached == squares


# counting


def volume(counts: Counts) -> int:
    """Units of volume of so many boxes of each size."""
    return sum(size * number for size, number in zip(SIZES, counts, strict=True))


def less(counts: Counts, taken: Counts) -> Counts:
    """What is left of `counts`; raises IllegalEvent when more is taken than there is."""
    for size, number, away in zip(SIZES, counts, taken, strict=True):
        if not 0 <= away <= number:
            raise IllegalEvent(
                _(
                    "{away} boxes of size {size} cannot be left over of {number}: count them again.",
                    away=away,
                    size=size,
                    number=number,
                )
            )
    one, two, three, four, five = (number - away for number, away in zip(counts, taken, strict=True))
    return one, two, three, four, five


def loss(truck: Truck, rolled: Counts, unloaded: Counts, voucher: bool = False) -> int:
    """PS-50 … PS-52: 1 for each empty space, 2 × size for each unloaded box; with a voucher 1 × size (PS-64).

    Raises IllegalEvent when the rest cannot be in the truck.
    """
    return empty(truck, less(rolled, unloaded)) + (1 if voucher else 2) * volume(unloaded)


def empty(truck: Truck, loaded: Counts) -> int:
    """PS-50: spaces that nothing fills; raises IllegalEvent when the boxes have more volume than the truck."""
    spaces = truck.capacity - volume(loaded)
    if spaces < 0:
        raise IllegalEvent(
            _(
                "The truck holds {capacity} and these boxes fill {volume}: enter what stands beside it.",
                capacity=truck.capacity,
                volume=volume(loaded),
            )
        )
    return spaces


# where boxes may lie


def check_packed(truck: Truck, boxes: Iterable[Box]) -> None:
    """Whether the boxes may lie so in the truck (PS-41 … PS-44); raises IllegalEvent for the first that may not."""
    filled: set[Cell] = set()
    for box in boxes:
        check_shape(box)
        for row, column, level in box.cells:
            if (row, column) not in truck.squares:
                raise IllegalEvent(
                    _("Row {row}, column {column} is outside the loading area: load inside it.", row=row, column=column)
                )  # PS-41
            if not 1 <= level <= truck.height:
                raise IllegalEvent(
                    _("Level {level} is not in a truck {height} high: load lower.", level=level, height=truck.height)
                )  # PS-42
            if (row, column, level) in filled:
                raise IllegalEvent(
                    _(
                        "Two boxes fill row {row}, column {column}, level {level}: move one of them.",
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
                    "Row {row}, column {column}, level {number} is empty under a box: fill the gap first.",
                    row=row,
                    column=column,
                    number=level - 1,
                )
            )  # PS-43


def check_shape(box: Box) -> None:
    """PS-06, PS-41, PS-44: a bar of 1 to 5 units, lying along the squares or upright."""
    if box.size not in SIZES or len(box.cells) != box.size:
        raise IllegalEvent(
            _("A box has 1 to {sizes} units and fills as many cells: enter its cells again.", sizes=SIZES[-1])
        )
    cells = sorted(box.cells)
    steps = {
        (to_row - row, to_column - column, to_level - level)
        for (row, column, level), (to_row, to_column, to_level) in pairwise(cells)
    }
    if len(steps) > 1 or not steps <= {(1, 0, 0), (0, 1, 0), (0, 0, 1)}:
        raise IllegalEvent(_("The cells of a box lie side by side in one straight line: enter its cells again."))


def counts_of(boxes: Iterable[Box]) -> Counts:
    """How many of each size."""
    sizes = [box.size for box in boxes]
    one, two, three, four, five = (sizes.count(size) for size in SIZES)
    return one, two, three, four, five
