"""Who is where in a tournament."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from companion.hub.tournament.events import Form
from companion.hub.tournament.state import Play, Round, State

BYE = Fraction(1)  # a bye counts as a game that was won, but in a group, where everybody has as many
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Line:
    """One entrant in the standings.

    points      of each game the share of rivals beaten, half of one for a tie: 1 for a win, at tables of any size
    rivals      the points of all whom this one met: of two with equal points, who met the stronger
    reached     the newest round in which this one was still in, in a knock-out; else 0
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


def lines(state: State) -> tuple[Line, ...]:
    """Everybody, best first; who is equal in all has the same place, and the earlier entrant stands first."""
    points, wins, games = points_of(state), Counter[str](), Counter[str]()
    met: dict[str, list[str]] = {one: [] for one in state.entrants}
    byes = Counter(one for round_ in state.rounds for one in round_.byes)
    for play in plays(state):
        for one in play.pairing.seats:
            games[one] += 1
            met[one] += [rival for rival in play.pairing.seats if rival != one]
        wins.update(play.outcome[0])
    rivals = {one: sum((points[rival] for rival in met[one]), Fraction()) for one in state.entrants}
    reached = rounds_reached(state)
    left, in_the_last = alive(state), places_in_the_last(state)

    def key(one: str) -> tuple[object, ...]:
        if state.plan.form is Form.KNOCK_OUT:
            return (-reached[one], one not in left, in_the_last[one])
        return (-points[one], -wins[one], -rivals[one])

    ordered = sorted(state.entrants, key=key)
    found: list[Line] = []
    for number, one in enumerate(ordered, start=1):
        same = found and key(found[-1].entrant) == key(one)
        place = found[-1].place if same else number
        found.append(
            Line(one, place, points[one], rivals[one], wins[one], games[one], byes[one], reached[one], one in left)
        )
    return tuple(found)


def points_of(state: State) -> dict[str, Fraction]:
    """Entrant → points."""
    points = dict.fromkeys(state.entrants, Fraction())
    for play in plays(state):
        rivals = len(play.pairing.seats) - 1
        behind = rivals + 1
        for group in play.outcome:
            behind -= len(group)
            for one in group:
                points[one] += (behind + HALF * (len(group) - 1)) / rivals
    if state.plan.form is not Form.GROUP:
        for round_ in state.rounds:
            for one in round_.byes:
                points[one] += BYE
    return points


def plays(state: State) -> list[Play]:
    """Every game that is decided."""
    return [play for round_ in state.rounds for play in round_.plays if play.is_done]


def rounds_reached(state: State) -> dict[str, int]:
    """Entrant → the newest round of a knock-out in which this one sat or had a bye; 0 in other forms."""
    reached = dict.fromkeys(state.entrants, 0)
    if state.plan.form is Form.KNOCK_OUT:
        for round_ in state.rounds:
            for one in in_round(round_):
                reached[one] = round_.number
    return reached


def places_in_the_last(state: State) -> dict[str, int]:
    """Entrant → the place at the last table where this one sat, 0 for none."""
    places = dict.fromkeys(state.entrants, 0)
    for play in plays(state):
        for place, group in enumerate(play.outcome, start=1):
            for one in group:
                places[one] = place
    return places


def in_round(round_: Round) -> list[str]:
    """Everybody whom a round knows."""
    return [one for play in round_.plays for one in play.pairing.seats] + list(round_.byes)


def alive(state: State) -> frozenset[str]:
    """Those who are seated in the next round: who has not withdrawn, and in a knock-out is not out.

    In a knock-out this looks at closed rounds alone: while one is open, everybody in it is in.
    """
    if state.plan.form is not Form.KNOCK_OUT or not state.rounds:
        return frozenset(state.present)
    newest = state.rounds[-1]
    if not newest.is_closed:
        return frozenset(in_round(newest)) - state.withdrawn
    through = set(newest.byes)
    for play in newest.plays:
        through |= going_on(play, state.plan.through) or set()
    return frozenset(through) - state.withdrawn


def going_on(play: Play, through: int) -> frozenset[str] | None:
    """Those who go on from a table that is done; None if a tie leaves that open."""
    wanted, found = min(through, len(play.pairing.seats) - 1), frozenset[str]()
    for group in play.outcome:
        if len(found) == wanted:
            return found
        found |= frozenset(group)
        if len(found) > wanted:
            return None
    return found
