"""Who is where in a tournament."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from companion.hub.tournament.events import Form
from companion.hub.tournament.play import Play, Round
from companion.hub.tournament.state import State

BYE = Fraction(1)  # A bye counts as a won game, except in a group, where everybody has as many.
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Line:
    """One entrant in the standings.

    points      of each game the share of rivals beaten, half of one for a tie: 1 for a win, at tables of any size
    rivals      the points of all whom this one met: of two with equal points, who met the stronger
    reached     the newest round in which this one was still in, in a knock-out; else 0
    is_in       in a knock-out also whoever a tie that is not ruled leaves open
    last        the place at the last table where this one sat, 0 for none
    """

    entrant: str
    place: int
    points: Fraction
    rivals: Fraction
    wins: int
    games: int
    byes: int
    reached: int
    is_in: bool
    last: int


def lines(state: State) -> tuple[Line, ...]:
    """Everybody, best first; who is equal in all has the same place, and the earlier entrant stands first."""
    points, wins, games = points_of(state), Counter[str](), Counter[str]()
    rivals_met: dict[str, list[str]] = {entrant: [] for entrant in state.entrants}
    byes = byes_of(state)
    for play in plays(state):
        for entrant in play.pairing.seats:
            games[entrant] += 1
            rivals_met[entrant] += [rival for rival in play.pairing.seats if rival != entrant]
        wins.update(play.outcome[0])
    rivals = {entrant: sum((points[rival] for rival in rivals_met[entrant]), Fraction()) for entrant in state.entrants}
    reached = rounds_reached(state)
    remaining, last_places = find_remaining(state), last_places_of(state)

    def key(entrant: str) -> tuple[object, ...]:
        if state.plan.form is Form.KNOCK_OUT:
            return (-reached[entrant], entrant not in remaining, last_places[entrant])
        return (-points[entrant], -wins[entrant], -rivals[entrant])

    ordered = sorted(state.entrants, key=key)
    standings: list[Line] = []
    for number, entrant in enumerate(ordered, start=1):
        is_equal = standings and key(standings[-1].entrant) == key(entrant)
        place = standings[-1].place if is_equal else number
        standings.append(
            Line(
                *(entrant, place, points[entrant], rivals[entrant], wins[entrant]),
                *(games[entrant], byes[entrant], reached[entrant], entrant in remaining, last_places[entrant]),
            )
        )
    return tuple(standings)


def byes_of(state: State) -> Counter[str]:
    """Entrant → how many byes."""
    return Counter(entrant for round_ in state.rounds for entrant in round_.byes)


def points_of(state: State) -> dict[str, Fraction]:
    """Entrant → points."""
    points = dict.fromkeys(state.entrants, Fraction())
    for play in plays(state):
        for entrant in play.pairing.seats:
            points[entrant] += share_of(play, entrant)
    if state.plan.form is not Form.GROUP:
        for entrant, byes in byes_of(state).items():
            points[entrant] += byes * BYE
    return points


def share_of(play: Play, entrant: str) -> Fraction:
    """The share of rivals whom an entrant beat in a game that is done, half of one for a tie."""
    behind = len(play.pairing.seats)
    for group in play.outcome:
        behind -= len(group)
        if entrant in group:
            return (behind + HALF * (len(group) - 1)) / (len(play.pairing.seats) - 1)
    raise AssertionError("whoever sits in a game that is done has a place")


def plays(state: State) -> list[Play]:
    return [play for round_ in state.rounds for play in round_.plays if play.is_done]


def rounds_reached(state: State) -> dict[str, int]:
    """Entrant → the newest round of a knock-out in which this one sat or had a bye; 0 in other forms."""
    reached = dict.fromkeys(state.entrants, 0)
    if state.plan.form is Form.KNOCK_OUT:
        for round_ in state.rounds:
            for entrant in entrants_of(round_):
                reached[entrant] = round_.number
    return reached


def last_places_of(state: State) -> dict[str, int]:
    """Entrant → the place at the last table where this one sat, 0 for none."""
    places = dict.fromkeys(state.entrants, 0)
    for play in plays(state):
        place = 1
        for group in play.outcome:
            places.update(dict.fromkeys(group, place))
            place += len(group)
    return places


def entrants_of(round_: Round) -> list[str]:
    """Everybody whom a round knows."""
    return [entrant for play in round_.plays for entrant in play.pairing.seats] + list(round_.byes)


def find_remaining(state: State) -> frozenset[str]:
    """Those who are seated in the next round: who has not withdrawn, and in a knock-out is not out.

    In a knock-out this looks at closed rounds alone: while one is open, everybody in it is in. Where a tie leaves open
    who goes on, whoever shares in it is in until it is ruled.
    """
    if state.plan.form is not Form.KNOCK_OUT or not state.rounds:
        return frozenset(state.present)
    newest = state.rounds[-1]
    if not newest.is_closed:
        return frozenset(entrants_of(newest)) - state.withdrawn
    through = set(newest.byes)
    for play in newest.plays:
        through |= find_hopeful(play, state.plan.through)
    return frozenset(through) - state.withdrawn


def find_hopeful(play: Play, through: int) -> frozenset[str]:
    """Those who go on from a table that is done, and all whom a tie leaves open."""
    hopeful = frozenset[str]()
    for group in play.outcome:
        if len(hopeful) < places_through(play, through):
            hopeful |= frozenset(group)
    return hopeful


def find_advancing(play: Play, through: int) -> frozenset[str] | None:
    """Those who go on from a table that is done; None if a tie leaves that open."""
    hopeful = find_hopeful(play, through)
    return hopeful if len(hopeful) <= places_through(play, through) else None


def places_through(play: Play, through: int) -> int:
    """How many go on from a table: never all."""
    return min(through, len(play.pairing.seats) - 1)
