"""The truck cards, from decks.toml beside this file; checked when they are loaded."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from companion.games.pack_and_stack.loads import Truck, is_connected, truck_of

HEIGHTS = {  # PS-03: how many cards of each height
    "manual-36": {1: 12, 2: 12, 3: 12},
    "classic-30": {1: 9, 2: 10, 3: 6, 4: 5},
}
AREA = (5, 3)  # PS-04: what a loading area fits into
SMALLEST = 9  # PS-04: capacity
HIGH = 3  # PS-04: from this height on a truck never has all squares


@cache
def printed() -> Mapping[str, tuple[Truck, ...]]:
    """Every deck that comes with the program, by name; raises ValueError when the file breaks what is known of it."""
    text = files(__package__).joinpath("decks.toml").read_text(encoding="utf-8")
    decks = {name: tuple(map(truck_of, cards)) for name, cards in tomllib.loads(text).items()}
    if decks.keys() != HEIGHTS.keys():
        raise ValueError(f"decks.toml has the decks {sorted(decks)}, not {sorted(HEIGHTS)}")
    for name, trucks in decks.items():
        check(name, trucks)
    return decks


def check(name: str, trucks: tuple[Truck, ...]) -> None:
    """What is known about the decks (PS-03, PS-04); raises ValueError for a deck that is otherwise."""
    heights = [truck.height for truck in trucks]
    if {height: heights.count(height) for height in heights} != HEIGHTS[name]:
        raise ValueError(f"{name}: the heights are not as published")
    if len({(truck.height, *turned(truck.squares)) for truck in trucks}) < len(trucks):
        raise ValueError(f"{name}: two cards are equal")
    for truck in trucks:
        rows, columns = len(truck.rows), max(map(len, truck.rows))
        if max(rows, columns) > AREA[0] or min(rows, columns) > AREA[1]:
            raise ValueError(f"{name}: {truck} does not fit into {AREA}")
        if truck.capacity < SMALLEST or not is_connected(truck.squares):
            raise ValueError(f"{name}: {truck} is too small or in pieces")
        if truck.height >= HIGH and len(truck.squares) == AREA[0] * AREA[1]:
            raise ValueError(f"{name}: {truck} is high and uses every square")


def turned(squares: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The same for a footprint and for what it looks like turned or from behind: cards lie any way round."""
    ways = []
    for down, across, swap in ((a, b, c) for a in (1, -1) for b in (1, -1) for c in (False, True)):
        moved = [(across * column, down * row) if swap else (down * row, across * column) for row, column in squares]
        top, left = min(row for row, _ in moved), min(column for _, column in moved)
        ways.append(tuple(sorted((row - top, column - left) for row, column in moved)))
    return min(ways)
