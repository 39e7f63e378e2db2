"""The seating of a round without OR-tools: all seatings of a small field, a search by exchanges in a large one.

A field of SMALL_FIELD players that takes SMALL_STEPS steps at most is searched to its end, so nobody there meets a
rival again while that can be helped. In a larger one the search ends where no exchange of two players makes it better,
from several beginnings; the first seating in which nobody meets again is taken.
"""

from collections.abc import Iterator
from random import Random

from companion.hub.tournament.problem import Problem, Tables, tables_of

SMALL_STEPS = 60_000  # They take about a quarter of a second on a laptop.
SMALL_FIELD = 40
BEGINNINGS = 30
STEPS = 400


def plain(problem: Problem) -> tuple[Tables, bool]:
    """The best seating that is found, the same for the same problem; and whether it is known that none is better."""
    search = Search(problem)
    if len(problem.homes) <= SMALL_FIELD and search.seat([], (0, 0)):
        return search.tables, True
    for chance in map(Random, range(BEGINNINGS)):
        search.take(exchanged(problem, list(search.places), chance))
        if search.cost[0] == 0:
            break
        search.places = shaken(search.places, chance)
    return search.tables, False


class Search:
    """A search through all seatings, which keeps the best one so far."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._steps = problem, 0
        self.tables = problem.at_home()
        self.cost = problem.cost(self.tables)
        self.places = list(problem.homes)
        self._left = list(problem.sizes)
        self._rivals: list[list[tuple[int, int]]] = [[] for _player in problem.homes]
        for (player, other), times in problem.meetings.items():
            self._rivals[max(player, other)].append((min(player, other), times))

    def take(self, places: list[int]) -> None:
        """Keeps this seating if it is the best so far."""
        tables = tables_of(places, len(self._problem.sizes))
        if (cost := self._problem.cost(tables)) < self.cost:
            self.tables, self.cost = tables, cost
            self.places = list(places)

    def seat(self, places: list[int], cost: tuple[int, int]) -> bool:
        """Searches all seatings that begin with these places; returns whether SMALL_STEPS were enough."""
        player = len(places)
        if player == len(self._problem.homes):
            self.take(places)
            return True
        home = self._problem.homes[player]
        for table in sorted(range(len(self._left)), key=lambda number: abs(number - home)):
            if not self._left[table]:
                continue
            self._steps += 1
            if self._steps > SMALL_STEPS:
                return False
            again = sum(times for rival, times in self._rivals[player] if places[rival] == table)
            dearer = (cost[0] + again, cost[1] + abs(table - home))
            if dearer >= self.cost:
                continue
            self._left[table] -= 1
            whole = self.seat([*places, table], dearer)
            self._left[table] += 1
            if not whole:
                return False
        return True


def exchanged(problem: Problem, places: list[int], chance: Random) -> list[int]:
    """A seating from which no exchange of somebody who meets a rival again makes it better, or as far as STEPS go."""
    meetings: list[dict[int, int]] = [{} for _player in places]
    for (player, other), times in problem.meetings.items():
        meetings[player][other] = meetings[other][player] = times
    at = [set(table) for table in tables_of(places, len(problem.sizes))]

    def worse(player: int, other: int) -> tuple[int, int]:
        """What an exchange of two players costs."""
        here, there = places[player], places[other]
        again = sum(meetings[player].get(rival, 0) for rival in at[there] if rival != other)
        again += sum(meetings[other].get(rival, 0) for rival in at[here] if rival != player)
        again -= sum(meetings[player].get(rival, 0) for rival in at[here])
        again -= sum(meetings[other].get(rival, 0) for rival in at[there])
        homes = problem.homes
        far = abs(homes[player] - there) + abs(homes[other] - here)
        return again, far - abs(homes[player] - here) - abs(homes[other] - there)

    for _step in range(STEPS):
        unhappy = list(those_who_meet_again(at, meetings))
        if not unhappy:
            break
        chance.shuffle(unhappy)
        for player in unhappy:
            others = [other for other in range(len(places)) if places[other] != places[player]]
            change, other = min((worse(player, other), other) for other in others) if others else ((0, 0), player)
            if change < (0, 0):
                at[places[player]] ^= {player, other}
                at[places[other]] ^= {player, other}
                places[player], places[other] = places[other], places[player]
                break
        else:
            break
    return places


def those_who_meet_again(at: list[set[int]], meetings: list[dict[int, int]]) -> Iterator[int]:
    """Everybody who sits with a rival whom they have met."""
    for table in at:
        for player in sorted(table):
            if not meetings[player].keys().isdisjoint(table):
                yield player


def shaken(places: list[int], chance: Random) -> list[int]:
    """The seating with some exchanges by chance: another beginning."""
    fresh = list(places)
    for _exchange in range(max(2, len(places) // 8)):
        player, other = chance.randrange(len(fresh)), chance.randrange(len(fresh))
        fresh[player], fresh[other] = fresh[other], fresh[player]
    return fresh
