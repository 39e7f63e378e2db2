"""How the next round is seated: who plays at which table. Pure, so that the same tournament is always seated alike.

First it is decided how large the tables are and who has a bye, then the field is laid out by rank, and only where that
would have two meet again a solver looks for something better (`problem`).
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from companion.errors import IllegalEvent
from companion.hub.tournament.events import Form
from companion.hub.tournament.play import Play
from companion.hub.tournament.problem import Problem, Tables, seated_by_rank, snake
from companion.hub.tournament.seats import balance, history_of
from companion.hub.tournament.standings import byes_of, find_advancing, find_remaining, lines
from companion.hub.tournament.state import State
from companion.words import _, listed

BYES_TRIED = 12  # This many choices of who has a bye are tried until nobody meets a rival again.
MOST_NAMED = 5  # A refusal counts the other games.

Solver = Callable[[Problem], Tables]
Names = Callable[[str], str]


@dataclass(frozen=True)
class Seating:
    """A round: the entrants of each table by seat, and those who have a bye."""

    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...]


def next_seating(state: State, solve: Solver, name_of: Names) -> Seating:
    """The next round; raises IllegalEvent where there is none, and says who is missing.

    name_of     an entrant's name, for the sentence
    """
    check_ready(state, name_of)
    least, most = state.plan.least, state.plan.most
    field = field_of(state)
    if len(field) < least:
        raise IllegalEvent(too_few(state, least))
    if state.plan.form is Form.KNOCK_OUT:
        seating = knock_out(state, field, solve)
    elif state.plan.form is Form.GROUP and most == 2:
        seating = all_in_turn(state, field) or by_rank(state, field, solve)
    else:
        seating = by_rank(state, field, solve)
    history = history_of(play.pairing.seats for round_ in state.rounds for play in round_.plays)
    return Seating(tuple(balance(table, history) for table in seating.tables), seating.byes)


def check_ready(state: State, name_of: Names) -> None:
    """Raises IllegalEvent unless the next round can be seated."""
    if state.is_ended:
        raise IllegalEvent(_("This tournament is over. Begin a new one."))
    if not state.rounds:
        return
    newest = state.newest
    if newest.open:
        raise IllegalEvent(
            _(
                "Round {round} isn't closed yet. Missing: {games}.",
                round=newest.number,
                games=listed(open_games(newest.open, name_of)),
            )
        )
    if state.plan.form is Form.KNOCK_OUT:
        for play in newest.plays:
            if find_advancing(play, state.plan.through) is None:
                raise IllegalEvent(
                    _(
                        "In game {number} a tie leaves open who goes on. Rule its places.",
                        number=play.pairing.number,
                    )
                )
        if is_final(state):
            raise IllegalEvent(_("The final is played. End the tournament."))
        if len(find_remaining(state)) == 1:
            raise IllegalEvent(_("Only one is left, and has won. End the tournament."))
    elif state.plan.rounds and len(state.rounds) >= state.plan.rounds:
        raise IllegalEvent(_("All rounds are played. End the tournament."))


def too_few(state: State, least: int) -> str:
    """The sentence where there are too few for a game."""
    if state.plan.form is Form.KNOCK_OUT and state.rounds:
        return _("Too few are left for a game of {least}. End the tournament: who came furthest has won.", least=least)
    return _("A round needs {least} entrants at least. Enter more.", least=least)


def open_games(plays: Sequence[Play], name_of: Names) -> list[str]:
    """The games that are not done, with who plays them."""
    games = [
        _(
            "game {number} ({names})",
            number=play.pairing.number,
            names=", ".join(map(name_of, play.pairing.seats)),
        )
        for play in plays[:MOST_NAMED]
    ]
    if more := len(plays[MOST_NAMED:]):
        games.append(_("{n} more", n=more))
    return games


def is_final(state: State) -> bool:
    """Whether the newest round of a knock-out was its last: one table, and nobody waits with a bye."""
    is_knock_out = state.plan.form is Form.KNOCK_OUT
    return is_knock_out and bool(state.rounds) and len(state.newest.plays) == 1 and not state.newest.byes


def rounds_of_group(state: State) -> int:
    """The fewest rounds in which everybody can meet everybody: of two at a table just so many are played."""
    count, most = len(state.present), state.plan.most
    if count < 2:
        return 0
    if most == 2:
        return count - 1 + count % 2
    return -(-(count - 1) // (min(most, count) - 1))


def field_of(state: State) -> list[str]:
    """Those who are to be seated, in the order by which they are: by standing, or as they came in.

    In a knock-out in which more than one is left, but too few for a game, the best of those who are out fill it.
    """
    remaining = find_remaining(state)
    if state.plan.form is Form.KNOCK_OUT and 1 < len(remaining) < state.plan.least:
        others = [line.entrant for line in lines(state) if line.entrant in state.present]
        remaining |= set(
            [entrant for entrant in others if entrant not in remaining][: state.plan.least - len(remaining)]
        )
    if state.plan.form is Form.ROUNDS:
        return [line.entrant for line in lines(state) if line.entrant in remaining]
    return [entrant for entrant in state.entrants if entrant in remaining]


def table_sizes(count: int, least: int, most: int) -> tuple[tuple[int, ...], int]:
    """The sizes of as few tables as `count` players need, that differ by one at most, and how many have a bye.

    As few byes as can be: none where tables of `least` to `most` seats can hold all.
    """
    for byes in range(count + 1):
        tables = -(-(count - byes) // most)
        if tables * least <= count - byes:
            break
    if not tables:
        return (), byes
    size, larger = divmod(count - byes, tables)
    return (size + 1,) * larger + (size,) * (tables - larger), byes


def meetings_of(state: State) -> Counter[frozenset[str]]:
    """Two entrants → how often they sat at one table."""
    pairs = Counter[frozenset[str]]()
    for round_ in state.rounds:
        for play in round_.plays:
            pairs.update(map(frozenset, itertools.combinations(play.pairing.seats, 2)))
    return pairs


def by_rank(state: State, field: Sequence[str], solve: Solver) -> Seating:
    """Neighbours in rank sit together as far as nobody meets a rival again; the last with the fewest byes has one."""
    sizes, byes = table_sizes(len(field), state.plan.least, state.plan.most)
    best: tuple[int, Seating] | None = None
    for resting in itertools.islice(bye_choices(state, field, byes), BYES_TRIED):
        seated = [entrant for entrant in field if entrant not in resting]
        cost, tables = solve_seating(state, seated, sizes, seated_by_rank(sizes), solve)
        if best is None or cost < best[0]:
            best = cost, Seating(tables, resting)
        if cost == 0:
            break
    if best is None:
        raise AssertionError("there is always somebody who can have the bye")
    return best[1]


def bye_choices(state: State, field: Sequence[str], count: int) -> Iterator[tuple[str, ...]]:
    """Who may have a bye: those who had the fewest so far, the last in rank first."""
    byes_before = byes_of(state)
    candidates = sorted(field, key=lambda entrant: (byes_before[entrant], -field.index(entrant)))
    limit = byes_before[candidates[count - 1]] if count else 0
    sure = [entrant for entrant in candidates[:count] if byes_before[entrant] < limit]
    may = [entrant for entrant in candidates if byes_before[entrant] == limit]
    for some in itertools.combinations(may, count - len(sure)):
        yield (*sure, *some)


def knock_out(state: State, field: Sequence[str], solve: Solver) -> Seating:
    """The best are spread over the tables; the best who had the fewest byes have them, so that two by two it comes out
    even."""
    least, most = state.plan.least, state.plan.most
    sizes, byes = table_sizes(len(field), least, most)
    if most == 2:
        byes = (1 << (len(field) - 1).bit_length()) - len(field)
        sizes = (2,) * ((len(field) - byes) // 2)
    byes_before = byes_of(state)
    resting = sorted(field, key=lambda entrant: byes_before[entrant])[:byes]
    seated = [entrant for entrant in field if entrant not in resting]
    _cost, tables = solve_seating(state, seated, sizes, snake(sizes), solve)
    return Seating(tables, tuple(resting))


def all_in_turn(state: State, field: Sequence[str]) -> Seating | None:
    """The next round of a group of two at a table, in which everybody meets everybody in as few rounds as can be.

    The entrants stand in a circle about the first of them and turn by one each round. None where that no longer comes
    out even, since people came late or withdrew.
    """
    circle: list[str] = list(state.entrants)
    if len(circle) % 2:
        circle.append("")  # Whoever sits opposite has a bye.
    here, meetings = set(field), meetings_of(state)
    for turn in range(len(circle) - 1):
        rest = circle[1:]
        rest = rest[-turn:] + rest[:-turn] if turn else rest
        row = [circle[0], *rest]
        pairs = [(row[number], row[-1 - number]) for number in range(len(row) // 2)]
        tables = tuple(pair for pair in pairs if here.issuperset(pair))
        byes = tuple(entrant for pair in pairs if not here.issuperset(pair) for entrant in pair if entrant in here)
        if tables and len(byes) == len(field) % 2 and not any(meetings[frozenset(pair)] for pair in tables):
            return Seating(tables, byes)
    return None


def solve_seating(
    state: State, seated: Sequence[str], sizes: tuple[int, ...], homes: tuple[int, ...], solve: Solver
) -> tuple[int, tuple[tuple[str, ...], ...]]:
    """How many meet again, and the tables."""
    place = {entrant: number for number, entrant in enumerate(seated)}
    meetings = {
        (min(places), max(places)): times
        for pair, times in meetings_of(state).items()
        if len(places := [place[entrant] for entrant in pair if entrant in place]) == 2
    }
    problem = Problem(sizes, homes, meetings)
    at_home = problem.at_home()
    tables = at_home if problem.rematches(at_home) == 0 else solve(problem)
    return problem.rematches(tables), tuple(tuple(seated[entrant] for entrant in table) for table in tables)
