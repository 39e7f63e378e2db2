"""The piles of Stack as they are seen from above, beside those that should stand: alike, or alike as far as is sure.

Dice of one colour and number cannot be told apart, so a table is counted: how many tops of which colour, number and
height.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from companion.games.stack_dice import stacks
from companion.games.stack_dice.drawing import colour
from companion.games.stack_dice.stacks import FULL_STACK, Layout
from companion.games.stack_dice.state import State
from companion.readings import StackReading, StacksReading

Pile = tuple[str, int, int]  # colour and number of the top, height; height 0 where it is not looked at


def matches(standing: Counter[Pile], full: Counter[Pile], seen: Counter[Pile]) -> bool:
    """Whether just these piles are seen; full stacks stand there or have been taken off the table (ST-35)."""
    return standing <= seen and seen - standing <= full


def piles(state: State, layout: Layout, heights: bool) -> Counter[Pile]:
    """Every pile that must be on the table: those that are captured may be gone."""
    return counted(state, layout, (pile for pile in stacks.tops(layout) if len(pile) < FULL_STACK), heights)


def captured(state: State, layout: Layout, heights: bool) -> Counter[Pile]:
    """The full stacks (ST-35)."""
    return counted(state, layout, (pile for pile in stacks.tops(layout) if len(pile) == FULL_STACK), heights)


def counted(state: State, layout: Layout, found: Iterator[stacks.Stack], heights: bool) -> Counter[Pile]:
    return Counter(
        (colour(state, stacks.owner(pile[-1])), layout.faces[pile[-1]], len(pile) if heights else 0) for pile in found
    )


# what is doubted


def may_be(state: State, layout: Layout, reading: StacksReading) -> bool:
    """Whether the table may lie so: what is surely seen is there, and what is doubted has a pile of its own."""
    must, full = piles(state, layout, heights=True), captured(state, layout, heights=True)
    sure = piles_seen(replace(reading, stacks=tuple(filter(is_sure, reading.stacks))), heights=True)
    if not sure - must <= full:
        return False
    rest, spare = list((must - sure).elements()), list((full - (sure - must)).elements())
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
