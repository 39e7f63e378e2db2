"""The piles of Stack as they are seen from above, beside those that should stand: alike, or alike as far as is sure.

Dice of one colour and number cannot be told apart, so a table is counted: how many tops of which colour, number and
height.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from companion.game.readings import StackReading, StacksReading
from companion.games.stack_dice import stacks
from companion.games.stack_dice.stacks import FULL_STACK, Layout
from companion.games.stack_dice.state import State, colour

Pile = tuple[str, int, int]  # colour and number of the top, height; height 0 where it is not looked at


class Piles(NamedTuple):
    """What lies on a table: the piles that must be there, and full stacks, which may have been taken off (ST-35)."""

    must: Counter[Pile]
    full: Counter[Pile]

    def looks(self, seen: Counter[Pile]) -> bool:
        """Whether just these piles are seen."""
        return self.must <= seen and seen - self.must <= self.full

    def changed(self, change: "Change") -> "Piles":
        """The same after a change."""
        must, full = self.must.copy(), self.full.copy()
        must.subtract(change.gone)
        must.update(change.come)
        full.update(change.come_full)
        return Piles(+must, full)


class Change(NamedTuple):
    """Some piles of those that must be there are gone, and others there."""

    gone: tuple[Pile, ...]
    come: tuple[Pile, ...]
    come_full: tuple[Pile, ...] = ()


class Beside:
    """A table beside what is seen: tells after which changes it looks so, without counting all piles for each."""

    def __init__(self, lying: Piles, seen: Counter[Pile]) -> None:
        self._lying, self._seen = lying, seen
        piles = lying.must.keys() | seen.keys()
        self._more = {pile: more for pile in piles if (more := lying.must[pile] - seen[pile])}

    def looks(self, change: Change) -> bool:
        """Whether `changed(change).looks(seen)`."""
        more = self._more.copy()
        for pile in {*change.gone, *change.come}:
            after = self._lying.must[pile] - change.gone.count(pile) + change.come.count(pile)
            more[pile] = max(0, after) - self._seen[pile]
        return all(-self._lying.full[pile] - change.come_full.count(pile) <= count <= 0 for pile, count in more.items())


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


class Looked(NamedTuple):
    """A reading by what is doubted of it: the piles that are sure, the others, and how many dice are unread."""

    sure: Counter[Pile]
    unsure: tuple[StackReading, ...]
    unread: int


def looked(reading: StacksReading) -> Looked:
    """A reading, to be compared with several tables."""
    sure = replace(reading, stacks=tuple(filter(is_sure, reading.stacks)))
    return Looked(piles_seen(sure, heights=True), unsure(reading), len(reading.unread))


def may_be(lying: Piles, reading: Looked) -> bool:
    """Whether the table may lie so: what is surely seen is there, and what is doubted has a pile of its own."""
    more = reading.sure - lying.must
    if not more <= lying.full:
        return False
    rest = list((lying.must - reading.sure).elements())
    alike: dict[Pile, list[int]] = {}
    for at, pile in enumerate((*rest, *(lying.full - more).elements())):
        alike.setdefault(pile, []).append(at)
    # many are seen alike, and many lie alike: each sort is compared once
    sorts = {what_is_sure(stack): stack for stack in reading.unsure}
    columns = {
        sort: [at for pile, places in alike.items() if fit(stack, pile) for at in places]
        for sort, stack in sorts.items()
    }
    fits = [columns[what_is_sure(stack)] for stack in reading.unsure]
    unread = range(len(fits), len(fits) + reading.unread)  # or none of the dice at all
    seen_as: list[list[int]] = [[] for _pile in rest]
    for row, piles in enumerate(fits):
        for at in piles:
            if at < len(rest):
                seen_as[at].append(row)
    return all_paired(fits) and all_paired([[*rows, *unread] for rows in seen_as])


def is_sure(stack: StackReading) -> bool:
    """Whether nothing of it is doubted."""
    return stack.top.accepted and stack.top.colour is not None and stack.height_accepted


def unsure(reading: StacksReading) -> tuple[StackReading, ...]:
    """The stacks of which something is doubted."""
    return tuple(stack for stack in reading.stacks if not is_sure(stack))


def what_is_sure(stack: StackReading) -> tuple[str | None, int | None, int | None]:
    """Colour, number and height of a pile as far as they are sure; `fit` asks for no more."""
    top = stack.top
    return top.colour, top.value if top.accepted else None, stack.height if stack.height_accepted else None


def fit(stack: StackReading, pile: Pile) -> bool:
    """Whether what is seen may be a pile."""
    body, face, height = pile
    return (
        stack.top.colour in (None, body)
        and (stack.top.value == face or not stack.top.accepted)
        and (stack.height == height or not stack.height_accepted)
    )


def all_paired(fits: Sequence[Sequence[int]]) -> bool:
    """Whether each row has one of the columns that fit it, none of them the same (augmenting paths, Kuhn)."""
    partner: dict[int, int] = {}

    def pair(row: int, tried: set[int]) -> bool:
        for column in fits[row]:
            if column not in tried:
                tried.add(column)
                if column not in partner or pair(partner[column], tried):
                    partner[column] = row
                    return True
        return False

    return all(pair(row, set()) for row in range(len(fits)))


def piles_seen(reading: StacksReading, heights: bool) -> Counter[Pile]:
    """The piles of a reading, as likely as they are."""
    return Counter((str(stack.top.colour), stack.top.value, stack.height if heights else 0) for stack in reading.stacks)
