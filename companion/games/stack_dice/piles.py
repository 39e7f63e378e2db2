"""The piles of Stack as they are seen from above, beside those that should stand: alike, or alike as far as is sure.

Dice of one colour and number cannot be told apart, so a table is counted: how many tops of which colour, number and
height.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from companion.games.stack_dice import stacks
from companion.games.stack_dice.drawing import colour
from companion.games.stack_dice.stacks import FULL_STACK, Layout
from companion.games.stack_dice.state import State
from companion.readings import StackReading, StacksReading

Pile = tuple[str, int, int]  # colour and number of the top, height; height 0 where it is not looked at


class Piles(NamedTuple):
    """What lies on a table: the piles that must be there, and full stacks, which may have been taken off (ST-35)."""

    must: Counter[Pile]
    full: Counter[Pile]

    def looks(self, seen: Counter[Pile]) -> bool:
        """Whether just these piles are seen."""
        return self.must <= seen and seen - self.must <= self.full

    def changed(self, gone: Iterable[Pile], come: Iterable[Pile], come_full: Iterable[Pile] = ()) -> "Piles":
        """The same with some piles of those that must be there gone, and others there."""
        must, full = self.must.copy(), self.full.copy()
        must.subtract(gone)
        must.update(come)
        full.update(come_full)
        return Piles(+must, full)


def piles_of(state: State, layout: Layout, heights: bool) -> Piles:
    """The piles of a layout."""
    found = Piles(Counter(), Counter())
    for pile in stacks.tops(layout):
        (found.full if len(pile) == FULL_STACK else found.must)[pile_of(state, layout, pile, heights)] += 1
    return found


def pile_of(state: State, layout: Layout, pile: stacks.Stack, heights: bool) -> Pile:
    """One pile as it is seen."""
    return colour(state, stacks.owner(pile[-1])), layout.faces[pile[-1]], len(pile) if heights else 0


# what is doubted


def may_be(lying: Piles, reading: StacksReading) -> bool:
    """Whether the table may lie so: what is surely seen is there, and what is doubted has a pile of its own."""
    sure = piles_seen(replace(reading, stacks=tuple(filter(is_sure, reading.stacks))), heights=True)
    if not sure - lying.must <= lying.full:
        return False
    rest, spare = list((lying.must - sure).elements()), list((lying.full - (sure - lying.must)).elements())
    fits = [[fit(stack, pile) for pile in (*rest, *spare)] for stack in unsure(reading)]
    unread = [[True] * len(rest) for _box in reading.unread]  # or none of the dice at all
    return all_paired(fits) and all_paired([[row[i] for row in (*fits, *unread)] for i in range(len(rest))])


def is_sure(stack: StackReading) -> bool:
    """Whether nothing of it is doubted."""
    return stack.top.accepted and stack.top.colour is not None and stack.height_accepted


def unsure(reading: StacksReading) -> tuple[StackReading, ...]:
    """The stacks of which something is doubted."""
    return tuple(stack for stack in reading.stacks if not is_sure(stack))


def fit(stack: StackReading, pile: Pile) -> bool:
    """Whether what is seen may be a pile."""
    body, face, height = pile
    return (
        stack.top.colour in (None, body)
        and (stack.top.value == face or not stack.top.accepted)
        and (stack.height == height or not stack.height_accepted)
    )


def all_paired(fits: Sequence[Sequence[bool]]) -> bool:
    """Whether each row has a column that fits, none of them the same (augmenting paths, Kuhn)."""
    partner: dict[int, int] = {}

    def pair(row: int, tried: set[int]) -> bool:
        for column, may in enumerate(fits[row]):
            if may and column not in tried:
                tried.add(column)
                if column not in partner or pair(partner[column], tried):
                    partner[column] = row
                    return True
        return False

    return all(pair(row, set()) for row in range(len(fits)))


def piles_seen(reading: StacksReading, heights: bool) -> Counter[Pile]:
    """The piles of a reading, as likely as they are."""
    return Counter((str(stack.top.colour), stack.top.value, stack.height if heights else 0) for stack in reading.stacks)
