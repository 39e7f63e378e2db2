"""Who sits at which seat of a table, so that everybody begins about as often as everybody else."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

History = Mapping[str, Counter[int]]
"""Entrant → seat (0 is the first) → how often this one sat there."""


def history_of(tables: Iterable[Sequence[str]]) -> dict[str, Counter[int]]:
    """The history of tables that were played."""
    found: dict[str, Counter[int]] = {}
    for table in tables:
        for seat, one in enumerate(table):
            found.setdefault(one, Counter())[seat] += 1
    return found


def again(table: Sequence[str], history: History) -> int:
    """How much these seats repeat earlier ones: the sum of 2n + 1 for who sat there n times.

    That is what the sum of squares grows by, so the smallest one keeps everybody's seats most alike.
    """
    return sum(2 * history.get(one, Counter())[seat] + 1 for seat, one in enumerate(table))


def balanced(table: Sequence[str], history: History) -> tuple[str, ...]:
    """The same players in the order that repeats seats least; among equal orders the nearest to the given one."""

    @cache
    def best(seated: frozenset[int]) -> tuple[int, tuple[int, ...]]:
        seat = len(seated)
        if seat == len(table):
            return 0, ()
        found = []
        for place, one in enumerate(table):
            if place not in seated:
                cost, rest = best(seated | {place})
                found.append((cost + 2 * history.get(one, Counter())[seat] + 1, (place, *rest)))
        return min(found)

    return tuple(table[place] for place in best(frozenset())[1])
