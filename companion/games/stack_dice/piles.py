"""Comparison of the piles in a reading with those that should stand in Stack.

Dice of one colour and number cannot be told apart, so a table is a count of piles for each colour, number and height.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from companion.game.readings import StackReading, StacksReading
from companion.games.stack_dice import stacks
from companion.games.stack_dice.stacks import FULL_STACK, Layout
from companion.games.stack_dice.state import State, colour

Pile = tuple[str, int, int]  # It has colour and number of the top, and a height, which is 0 when heights are ignored.


class Piles(NamedTuple):
    """The piles of a table: those that must be there, and full stacks, which may have been taken off (ST-35)."""

    must: Counter[Pile]
    full: Counter[Pile]

    def matches(self, reading_piles: Counter[Pile]) -> bool:
        """Whether exactly these piles are seen, with or without the full stacks."""
        return self.must <= reading_piles and reading_piles - self.must <= self.full

    def changed(self, change: "Change") -> "Piles":
        """The piles after a change."""
        must, full = self.must.copy(), self.full.copy()
        must.subtract(change.removed)
        must.update(change.added)
        full.update(change.added_full)
        return Piles(+must, full)


class Change(NamedTuple):
    """The piles that a move removes and adds; `added_full` are full stacks."""

    removed: tuple[Pile, ...]
    added: tuple[Pile, ...]
    added_full: tuple[Pile, ...] = ()


class Comparison:
    """A comparison of a table with the piles that are seen, fast for many possible changes."""

    def __init__(self, lying: Piles, reading_piles: Counter[Pile]) -> None:
        self._lying, self._reading = lying, reading_piles
        piles = lying.must.keys() | reading_piles.keys()
        self._missing = {pile: missing for pile in piles if (missing := lying.must[pile] - reading_piles[pile])}

    def matches(self, change: Change) -> bool:
        """Whether the table after the change matches, as `changed(change).matches(seen)`."""
        missing = self._missing.copy()
        for pile in {*change.removed, *change.added}:
            after = self._lying.must[pile] - change.removed.count(pile) + change.added.count(pile)
            missing[pile] = max(0, after) - self._reading[pile]
        return all(
            -self._lying.full[pile] - change.added_full.count(pile) <= count <= 0 for pile, count in missing.items()
        )


def piles_of(state: State, layout: Layout, heights: bool) -> Piles:
    """The piles of a layout; `heights` False ignores heights."""
    piles = Piles(Counter(), Counter())
    for pile in stacks.tops(layout):
        (piles.full if len(pile) == FULL_STACK else piles.must)[pile_of(state, layout, pile, heights)] += 1
    return piles


def pile_of(state: State, layout: Layout, pile: stacks.Stack, heights: bool) -> Pile:
    """One pile of a layout."""
    return colour(state, stacks.owner(pile[-1])), layout.faces[pile[-1]], len(pile) if heights else 0


class SplitReading(NamedTuple):
    """A reading split by doubt: the sure piles, the other stacks, and the number of unread dice."""

    sure: Counter[Pile]
    unsure: tuple[StackReading, ...]
    unread: int


def split_by_doubt(reading: StacksReading) -> SplitReading:
    """The reading split by doubt, for comparison with several tables."""
    sure = replace(reading, stacks=tuple(filter(is_sure, reading.stacks)))
    return SplitReading(piles_in(sure, heights=True), unsure(reading), len(reading.unread))


def may_be(lying: Piles, reading: SplitReading) -> bool:
    """Whether the reading may show this table: sure piles are there, and each unsure stack has a pile of its own."""
    extra = reading.sure - lying.must
    if not extra <= lying.full:
        return False
    rest = list((lying.must - reading.sure).elements())
    places_of: dict[Pile, list[int]] = {}
    for at, pile in enumerate((*rest, *(lying.full - extra).elements())):
        places_of.setdefault(pile, []).append(at)
    # Many stacks are equal: each sort is compared only once.
    sorts = {sure_part(stack): stack for stack in reading.unsure}
    columns = {
        sort: [at for pile, places in places_of.items() if fits(stack, pile) for at in places]
        for sort, stack in sorts.items()
    }
    candidates = [columns[sure_part(stack)] for stack in reading.unsure]
    unread = range(len(candidates), len(candidates) + reading.unread)  # An unread die may be any pile, or none.
    seen_as: list[list[int]] = [[] for _pile in rest]
    for row, piles in enumerate(candidates):
        for at in piles:
            if at < len(rest):
                seen_as[at].append(row)
    return all_paired(candidates) and all_paired([[*rows, *unread] for rows in seen_as])


def is_sure(stack: StackReading) -> bool:
    """Whether colour, number and height are sure."""
    return stack.top.accepted and stack.top.colour is not None and stack.height_accepted


def unsure(reading: StacksReading) -> tuple[StackReading, ...]:
    """The stacks that are not entirely sure."""
    return tuple(stack for stack in reading.stacks if not is_sure(stack))


def sure_part(stack: StackReading) -> tuple[str | None, int | None, int | None]:
    """Colour, number and height of a stack, None for each that is unsure; `fits` depends on no more."""
    top = stack.top
    return top.colour, top.value if top.accepted else None, stack.height if stack.height_accepted else None


def fits(stack: StackReading, pile: Pile) -> bool:
    """Whether the stack in a reading may be this pile."""
    body, face, height = pile
    return (
        stack.top.colour in (None, body)
        and (stack.top.value == face or not stack.top.accepted)
        and (stack.height == height or not stack.height_accepted)
    )


def all_paired(candidates: Sequence[Sequence[int]]) -> bool:
    """Whether each row can have a column of its own among its candidates (augmenting paths, Kuhn)."""
    partner: dict[int, int] = {}

    def pair(row: int, tried: set[int]) -> bool:
        for column in candidates[row]:
            if column not in tried:
                tried.add(column)
                if column not in partner or pair(partner[column], tried):
                    partner[column] = row
                    return True
        return False

    return all(pair(row, set()) for row in range(len(candidates)))


def piles_in(reading: StacksReading, heights: bool) -> Counter[Pile]:
    """The piles of a reading, unsure ones by their likeliest values."""
    return Counter((str(stack.top.colour), stack.top.value, stack.height if heights else 0) for stack in reading.stacks)
