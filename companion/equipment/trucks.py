"""Truck cards: a loading area and a height. The printed decks are data in `trucks.toml`, checked when they are loaded.

Rows and columns count from 1.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from companion.errors import IllegalEvent
from companion.words import _

SQUARE = "#"
CARD = re.compile(r"(?P<height>[0-9]{1,2}) +(?P<rows>[#.]+(/[#.]+)*)")
MOST_ROWS = MOST_COLUMNS = 8  # PS-04 says 3 × 5; a table's own cards may be larger
MOST_LEVELS = 8
HEIGHTS = {  # PS-03 says how many cards have each height.
    "manual-36": {1: 12, 2: 12, 3: 12},
    "classic-30": {1: 9, 2: 10, 3: 6, 4: 5},
}
AREA = (5, 3)  # PS-04: every loading area fits into it.
SMALLEST = 9  # PS-04: no truck has a smaller capacity.
HIGH = 3  # PS-04: from this height on, no truck has all squares.


@dataclass(frozen=True)
class Truck:
    """A truck card: the rows of its loading area, # for a square, and its height number (PS-02)."""

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


def truck_of(text: str) -> Truck:
    """The truck that "HEIGHT ROW/ROW/ROW" describes; raises IllegalEvent for any other text."""
    match = CARD.fullmatch(text.strip())
    if match is None or SQUARE not in text:
        raise IllegalEvent(
            _('"{text}" isn\'t a truck. Write its height and its rows, like "2 ###/##./###".', text=text[:40])
        )
    truck = Truck(tuple(match["rows"].split("/")), int(match["height"]))
    if not 1 <= truck.height <= MOST_LEVELS:
        raise IllegalEvent(
            _(
                "A truck is 1 to {most_levels} high, not {height}. Choose another height.",
                most_levels=MOST_LEVELS,
                height=truck.height,
            )
        )
    if len(truck.rows) > MOST_ROWS or max(map(len, truck.rows)) > MOST_COLUMNS:
        raise IllegalEvent(
            _(
                "A loading area has at most {most_rows} rows of {most_columns} squares. Draw a smaller one.",
                most_rows=MOST_ROWS,
                most_columns=MOST_COLUMNS,
            )
        )
    if not is_connected(truck.squares):
        raise IllegalEvent(
            _('The loading area of "{text}" is in more than one piece. Join its squares.', text=text[:40])
        )
    return truck


def is_connected(squares: frozenset[tuple[int, int]]) -> bool:
    """Whether the squares are joined by their sides; False for no squares."""
    if not squares:
        return False
    joined, edge = set[tuple[int, int]](), [min(squares)]
    while edge:
        row, column = edge.pop()
        joined.add((row, column))
        beside = {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}
        edge += (beside & squares) - joined
    return joined == squares


@cache
def printed_decks() -> Mapping[str, tuple[Truck, ...]]:
    """Every deck that comes with the program, by name; raises ValueError when trucks.toml differs from the rules."""
    text = files(__package__).joinpath("trucks.toml").read_text(encoding="utf-8")
    decks = {name: tuple(map(truck_of, cards)) for name, cards in tomllib.loads(text).items()}
    if decks.keys() != HEIGHTS.keys():
        raise ValueError(f"trucks.toml has the decks {sorted(decks)}, not {sorted(HEIGHTS)}")
    for name, trucks in decks.items():
        check_deck(name, trucks)
    return decks


def check_deck(name: str, trucks: tuple[Truck, ...]) -> None:
    """Raises ValueError where a deck differs from PS-03 and PS-04."""
    heights = [truck.height for truck in trucks]
    if {height: heights.count(height) for height in heights} != HEIGHTS[name]:
        raise ValueError(f"{name}: the heights are not as published")
    if len({(truck.height, *canonical(truck.squares)) for truck in trucks}) < len(trucks):
        raise ValueError(f"{name}: two cards are equal")
    for truck in trucks:
        rows, columns = len(truck.rows), max(map(len, truck.rows))
        if max(rows, columns) > AREA[0] or min(rows, columns) > AREA[1]:
            raise ValueError(f"{name}: {truck} does not fit into {AREA}")
        if truck.capacity < SMALLEST or not is_connected(truck.squares):
            raise ValueError(f"{name}: {truck} is too small or in pieces")
        if truck.height >= HIGH and len(truck.squares) == AREA[0] * AREA[1]:
            raise ValueError(f"{name}: {truck} is high and uses every square")


def canonical(squares: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The squares in a form that is equal for all turned and mirrored versions, since cards lie any way round."""
    versions = []
    for down, across, swap in ((a, b, c) for a in (1, -1) for b in (1, -1) for c in (False, True)):
        moved = [(across * column, down * row) if swap else (down * row, across * column) for row, column in squares]
        top, left = min(row for row, _ in moved), min(column for _, column in moved)
        versions.append(tuple(sorted((row - top, column - left) for row, column in moved)))
    return min(versions)
