"""The seating of a round as numbers: who may sit where, and how good a seating is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Tables = tuple[tuple[int, ...], ...]
"""The players of each table, in the order of their ranks; players are numbered by rank, from 0."""


@dataclass(frozen=True)
class Problem:
    """One round to be seated.

    sizes   players of each table
    homes   player → the table where this one would sit by rank alone
    met     two players, the better first → how often they sat at one table
    """

    sizes: tuple[int, ...]
    homes: tuple[int, ...]
    meetings: Mapping[tuple[int, int], int]

    def at_home(self) -> Tables:
        """The seating by rank alone."""
        return tables_of(self.homes, len(self.sizes))

    def rematches(self, tables: Tables) -> int:
        """How often two at one table have met before."""
        return sum(
            self.meetings.get((player, other), 0)
            for table in tables
            for place, player in enumerate(table)
            for other in table[place + 1 :]
        )

    def cost(self, tables: Tables) -> tuple[int, int]:
        """How bad a seating is: who meets again, then how far from home everybody sits, in tables."""
        far = sum(abs(self.homes[player] - number) for number, table in enumerate(tables) for player in table)
        return self.rematches(tables), far

    def part(self, first: int, end: int) -> "Problem":
        """The problem of the tables `first` to before `end` and the players at home there, both numbered anew.

        Only for homes in the order of ranks, as `seated_by_rank` has them.
        """
        here = [player for player, home in enumerate(self.homes) if first <= home < end]
        low = here[0]
        meetings = {
            (player - low, other - low): times
            for (player, other), times in self.meetings.items()
            if low <= player and other <= here[-1]
        }
        homes = tuple(self.homes[player] - first for player in here)
        return Problem(self.sizes[first:end], homes, meetings)


def tables_of(places: Sequence[int], count: int) -> Tables:
    """The tables, by player → table."""
    tables: list[list[int]] = [[] for _table in range(count)]
    for player, table in enumerate(places):
        tables[table].append(player)
    return tuple(map(tuple, tables))


def seated_by_rank(sizes: Sequence[int]) -> tuple[int, ...]:
    """Homes: the best at the first table, the next at the second, and so on."""
    return tuple(number for number, size in enumerate(sizes) for _seat in range(size))


def snake(sizes: Sequence[int]) -> tuple[int, ...]:
    """Homes: the best of all tables first, then the next from the last table back to the first, and so on."""
    homes: list[int] = []
    for row in range(max(sizes, default=0)):
        open_ = [number for number, size in enumerate(sizes) if size > row]
        homes += open_[::-1] if row % 2 else open_
    return tuple(homes)
