"""Seasons: the totals of finished games. Pure functions over outcomes; ties are shared.

A game says itself whom it ranks (`Game.ranked`); players placed alike share the mean of the places they take. A
finished game is worth one season point for each rival placed worse and half a point for each placed alike. One that its
rules leave undecided counts nothing: another game is played.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from companion.game.players import PlayerId, Ranking


@dataclass(frozen=True)
class Outcome:
    """The outcome of a game: whether it is over, everybody's points, who won, and the ranking (see `Game.ranking`).

    stood_in    the players who were not there in the end, as somebody else played for them or they rested: their seats
                are rivals, and count for nobody
    """

    over: bool
    score: Mapping[PlayerId, int]
    winners: tuple[PlayerId, ...]
    ranking: Ranking
    stood_in: tuple[PlayerId, ...] = ()


@dataclass(frozen=True)
class Played:
    """One game of the house, as a season needs it.

    unreadable  why it cannot be read, "" for one that can; an unreadable game is not over and has no points
    """

    session: str
    game: str
    players: tuple[PlayerId, ...]
    created_wall_us: int
    outcome: Outcome
    unreadable: str = ""


@dataclass(frozen=True)
class Best:
    """The most points that a person made in one game, and in which session."""

    game: str
    points: int
    session: str


@dataclass(frozen=True)
class Standing:
    """One person's line of a season table.

    points      1 for each rival beaten, ½ for each tie
    place       mean of the places, exact
    bests       the best result in each kind of game, games played alone included
    """

    person: str
    points: float
    games: int
    wins: int
    place: Fraction
    bests: Mapping[str, Best]


def places(outcome: Outcome) -> Mapping[PlayerId, float]:
    """The place of everybody who is ranked; equal players share the mean of their places."""
    places_: dict[PlayerId, float] = {}
    for alike in outcome.ranking:
        places_ |= dict.fromkeys(alike, len(places_) + (1 + len(alike)) / 2)
    return places_


def season_points(outcome: Outcome) -> Mapping[PlayerId, float]:
    """The season points of a finished game: 1 for each rival placed worse, ½ for each placed alike."""
    places_ = places(outcome)
    return {
        player: sum((place < other) + (place == other) / 2 for rival, other in places_.items() if rival != player)
        for player, place in places_.items()
    }


def counts(played: Played) -> bool:
    """Whether a game is part of a season: it is over, had at least two players, and its rules decided it."""
    return played.outcome.over and len(played.players) > 1 and bool(played.outcome.ranking)


def undecided(played: Played) -> bool:
    """Whether a game ended so that its rules have another one played."""
    return played.outcome.over and len(played.players) > 1 and not played.outcome.ranking


def standings(games: Iterable[Played], seated: Mapping[PlayerId, str]) -> tuple[Standing, ...]:
    """The table of a season, most points first, then the better mean place.

    seated      player → person of the house; other players count as rivals too
    """
    finished = [played for played in games if played.outcome.over]
    points: dict[str, float] = defaultdict(float)
    places_of: dict[str, list[float]] = defaultdict(list)
    wins: dict[str, int] = defaultdict(int)
    for played in filter(counts, finished):
        worth, place = season_points(played.outcome), places(played.outcome)
        for player in played.players:
            if (person := seated.get(player)) and player not in played.outcome.stood_in:
                points[person] += worth[player]
                places_of[person].append(place[player])
                wins[person] += player in played.outcome.winners
    best = bests(finished, seated)
    lines = (
        Standing(
            person,
            points[person],
            len(places_of[person]),
            wins[person],
            Fraction(sum(places_of[person])) / len(places_of[person]),
            best[person],
        )
        for person in places_of
    )
    return tuple(sorted(lines, key=lambda line: (-line.points, line.place)))


def bests(finished: Iterable[Played], seated: Mapping[PlayerId, str]) -> Mapping[str, Mapping[str, Best]]:
    """Person → game → their best result in a finished game; of equal ones the earliest."""
    bests_: dict[str, dict[str, Best]] = {}
    for played in sorted(finished, key=lambda game: game.created_wall_us):
        for player, points in played.outcome.score.items():
            if (person := seated.get(player)) and player not in played.outcome.stood_in:
                mine = bests_.setdefault(person, {})
                if played.game not in mine or points > mine[played.game].points:
                    mine[played.game] = Best(played.game, points, played.session)
    return bests_
