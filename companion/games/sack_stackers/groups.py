"""Groups in a sack: four gifts of one type in the shape of that type (SS-40 … SS-43).

Squares are (column, row), both from 0, row 0 at the bottom.
"""

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

Square = tuple[int, int]
Group = frozenset[Square]

TYPES = ("I", "O", "T", "L", "S")  # SS-03: each type is named by its shape
SHAPES: Mapping[str, tuple[Square, ...]] = {
    "I": ((0, 0), (1, 0), (2, 0), (3, 0)),
    "O": ((0, 0), (1, 0), (0, 1), (1, 1)),
    "T": ((0, 0), (1, 0), (2, 0), (1, 1)),
    "L": ((0, 0), (0, 1), (0, 2), (1, 0)),
    "S": ((0, 0), (1, 0), (1, 1), (2, 1)),
}


CACHED = 4096  # A page asks for the same arrangements of one type again and again.


def count(sack: tuple[str, ...], *, mirror: bool, shared: bool, exact: bool) -> dict[str, tuple[Group, ...]]:
    """The groups that score, by type.

    mirror      True: a mirrored shape counts too (SS-41)
    shared      True: a gift may belong to several groups; False: the largest number of separate groups counts (SS-42)
    exact       True: a group that touches further gifts of its type does not count (SS-43)
    """
    squares_of: dict[str, set[Square]] = {kind: set() for kind in TYPES}
    for x, column in enumerate(sack):
        for y, thing in enumerate(column):
            if thing in squares_of:
                squares_of[thing].add((x, y))
    return {kind: of_type(kind, frozenset(squares), mirror, shared, exact) for kind, squares in squares_of.items()}


@lru_cache(CACHED)
def of_type(kind: str, squares: frozenset[Square], mirror: bool, shared: bool, exact: bool) -> tuple[Group, ...]:
    """The groups that score among the squares of one type of gift."""
    placed = placements(squares, orientations(kind, mirror))
    if exact:
        placed = tuple(group for group in placed if touching(group).isdisjoint(squares - group))
    return placed if shared else largest_packing(placed)


@cache
def orientations(kind: str, mirror: bool) -> frozenset[Group]:
    """A shape in every rotation (SS-41), moved to the origin; with `mirror` its mirror images too."""
    turned = [SHAPES[kind]]
    for _ in range(3):
        turned.append(tuple((y, -x) for x, y in turned[-1]))
    if mirror:
        turned += [tuple((-x, y) for x, y in shape) for shape in turned]
    return frozenset(at_origin(shape) for shape in turned)


def at_origin(shape: Iterable[Square]) -> Group:
    """The shape moved so that its lowest column and its lowest row are 0."""
    squares = tuple(shape)
    left, bottom = min(x for x, _ in squares), min(y for _, y in squares)
    return frozenset((x - left, y - bottom) for x, y in squares)


def placements(squares: frozenset[Square], shapes: Iterable[Group]) -> tuple[Group, ...]:
    """Every way to lay one of `shapes` on `squares`, in a fixed order."""
    laid = {
        group
        for shape in shapes
        for x, y in squares
        for dx, dy in shape
        if (group := frozenset((x - dx + sx, y - dy + sy) for sx, sy in shape)) <= squares
    }
    return tuple(sorted(laid, key=sorted))


def largest_packing(placed: tuple[Group, ...]) -> tuple[Group, ...]:
    """The largest set of placements that share no square (SS-42).

    Branches on the first square that any remaining placement covers: one of them covers it, or none. A sack has 36
    squares, so at most nine groups; the bound "remaining squares / 4" cuts the rest.
    """
    best: tuple[Group, ...] = ()

    def search(chosen: tuple[Group, ...], left: tuple[Group, ...]) -> None:
        nonlocal best
        if len(chosen) > len(best):
            best = chosen
        if not left or len(chosen) + len(frozenset().union(*left)) // 4 <= len(best):
            return
        square = min(min(group) for group in left)
        for group in left:
            if square in group:
                search((*chosen, group), tuple(other for other in left if other.isdisjoint(group)))
        search(chosen, tuple(other for other in left if square not in other))

    search((), placed)
    return best


def neighbours(square: Square) -> tuple[Square, ...]:
    """The squares directly above, below, left and right."""
    x, y = square
    return (x, y + 1), (x, y - 1), (x - 1, y), (x + 1, y)


def touching(group: Group) -> frozenset[Square]:
    """The squares outside a group that share a side with it."""
    return frozenset(neighbour for square in group for neighbour in neighbours(square)) - group
