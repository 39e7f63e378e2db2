"""Who sits where, found by OR-tools if they are installed (the extra `solver`), else by our own search."""

import itertools

from companion.hub.tournament.cp_sat import cp_sat
from companion.hub.tournament.plain import plain
from companion.hub.tournament.problem import Problem, Tables

WINDOW = 32  # So many players are seated together, so that a large field takes only seconds.


def solve(problem: Problem) -> Tables:
    """A seating in which as few meet again as can be found, near to their homes.

    A large field by rank is seated in windows of neighbours in rank; if somebody meets a rival again in a window,
    all are seated at once.
    """
    if list(problem.homes) == sorted(problem.homes) and len(problem.homes) > WINDOW:
        tables: list[tuple[int, ...]] = []
        for first, end in windows(problem.sizes):
            part = problem.part(first, end)
            low = sum(problem.sizes[:first])
            tables += [tuple(player + low for player in table) for table in best(part)]
        if problem.rematches(tuple(tables)) == 0:
            return tuple(tables)
    return best(problem)


def windows(sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    """From which table to before which each window goes; the windows are about alike."""
    count = -(-sum(sizes) // WINDOW)
    bounds = [round(number * len(sizes) / count) for number in range(count + 1)]
    return [(first, end) for first, end in itertools.pairwise(bounds) if first < end]


def best(problem: Problem) -> Tables:
    """The better of what our own search and OR-tools find; of two alike the first."""
    if problem.rematches(at_home := problem.at_home()) == 0:
        return at_home
    tables, is_best = plain(problem)
    if is_best:
        return tables
    other = cp_sat(problem, tables)
    return tables if other is None or problem.cost(other) >= problem.cost(tables) else other
