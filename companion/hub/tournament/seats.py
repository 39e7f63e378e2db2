"""Who sits at which seat of a table, so that everybody begins about as often as everybody else."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

History = Mapping[str, Counter[int]]
"""Entrant → seat (0 is the first) → how often this one sat there."""


def history_of(tables: Iterable[Sequence[str]]) -> dict[str, Counter[int]]:
    history: dict[str, Counter[int]] = {}
    for table in tables:
        for seat, entrant in enumerate(table):
            history.setdefault(entrant, Counter())[seat] += 1
    return history


def balance(table: Sequence[str], history: History) -> tuple[str, ...]:
    """The same players in the order that repeats seats least; among equal orders the nearest to the given one.

    Whoever sat at a seat n times repeats it by 2n + 1. The sum of squares grows by as much, so the smallest sum keeps
    everybody's seats most alike.
    """

    @cache
    def best(seated: frozenset[int]) -> tuple[int, tuple[int, ...]]:
        seat = len(seated)
        if seat == len(table):
            return 0, ()
        orders = []
        for place, entrant in enumerate(table):
            if place not in seated:
                cost, rest = best(seated | {place})
                orders.append((cost + 2 * history.get(entrant, Counter())[seat] + 1, (place, *rest)))
        return min(orders)

    return tuple(table[place] for place in best(frozenset())[1])
