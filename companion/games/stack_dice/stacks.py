"""The dice and stacks of Stack on the table, and their points (ST-05, ST-30 … ST-35, ST-58).

Nothing here knows whose turn it is.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

DieId = str
Stack = tuple[DieId, ...]  # The bottom die comes first.

DICE = 14  # ST-01
FACES = range(1, 7)
HIGHEST = 1  # ST-05: a 1 beats everything
HIGHEST_WORTH = 10  # ST-05
FULL_STACK = 4  # ST-33, ST-35: the fourth die captures it


@dataclass(frozen=True)
class Layout:
    """The dice and stacks on the table.

    faces       die → its face
    stacks      stacks of two to four dice (ST-33); a die in none of them is unstacked (ST-30)
    """

    faces: Mapping[DieId, int] = field(default_factory=dict)
    stacks: tuple[Stack, ...] = ()

    @cached_property
    def loose(self) -> Mapping[str, tuple[DieId, ...]]:
        """Player → unstacked dice, for players with dice here; computed once, since it is needed often."""
        dice_of: dict[str, list[DieId]] = {}
        stacked = {die for stack in self.stacks for die in stack}
        for die in self.faces:
            dice = dice_of.setdefault(owner(die), [])
            if die not in stacked:
                dice.append(die)
        return {player: tuple(dice) for player, dice in dice_of.items()}


def worth(face: int) -> int:
    """The points of a face: a 1 counts 10, the others their number (ST-05)."""
    return HIGHEST_WORTH if face == HIGHEST else face


def named(player: str, values: Iterable[int]) -> dict[DieId, int]:
    """Die → face for a drop: "R-5b" is the second of R's dice that fell as a 5.

    The names do not depend on the order of `values`, so a correction of one die leaves the other names unchanged.
    """
    counts: Counter[int] = Counter()
    faces = {}
    for value in sorted(values):
        faces[f"{player}-{value}{chr(ord('a') + counts[value])}"] = value
        counts[value] += 1
    return faces


def owner(die: DieId) -> str:
    """The player who owns a die."""
    return die.rpartition("-")[0]


def unstacked(layout: Layout, player: str) -> tuple[DieId, ...]:
    """The player's dice that are part of no stack, not even at its bottom (ST-30)."""
    return layout.loose.get(player, ())


def stack_under(layout: Layout, die: DieId) -> Stack | None:
    """The stack, or the single die, with `die` on top; None when it is covered or not on the table."""
    for stack in layout.stacks:
        if die in stack:
            return stack if stack[-1] == die else None
    return (die,) if die in layout.faces else None


def tops(layout: Layout) -> Iterator[Stack]:
    """Every stack and every single die."""
    yield from layout.stacks
    for dice in layout.loose.values():
        for die in dice:
            yield (die,)


def put(layout: Layout, die: DieId, onto: DieId) -> Layout:
    """The layout with `die` on `onto` (ST-31)."""
    under = stack_under(layout, onto)
    assert under is not None
    others = tuple(stack for stack in layout.stacks if stack != under)
    return replace(layout, stacks=(*others, (*under, die)))


def turned(layout: Layout, die: DieId, face: int) -> Layout:
    """The layout with `die` showing `face`."""
    return replace(layout, faces={**layout.faces, die: face})


def points(layout: Layout, stack: Stack, double_full: bool) -> int:
    """The points of a stack: its top face (ST-58); with `double_full` four high counts twice (ST-84)."""
    return worth(layout.faces[stack[-1]]) * (2 if double_full and len(stack) == FULL_STACK else 1)
