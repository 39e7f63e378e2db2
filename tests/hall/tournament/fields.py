"""Tournaments that tests play: small fields with results by a rule, and every seating of a small field."""

import itertools

from companion.hub.tournament.events import Begun, Entered, Form, Pairing, ResultTaken, RoundPaired
from companion.hub.tournament.pairing import meetings_of, next_seating
from companion.hub.tournament.state import apply

HEAD = "0" * 64


def begun(count, most=2, form=Form.ROUNDS, least=2, rounds=0, through=1):
    """A tournament with entrants e0, e1, …, the strongest first."""
    plan = Begun(
        game="stack_dice", preset="tournament", form=form, least=least, most=most, rounds=rounds, through=through
    )
    state = apply(None, plan)
    return apply(state, Entered(entrants=tuple(f"e{number}" for number in range(count)))) if count else state


def paired(state, solve):
    """The state with the next round, and its seating."""
    seating = next_seating(state, solve, str)
    number = len(state.rounds) + 1
    pairings = tuple(
        Pairing(number=place, table="", session=f"s{number}-{place}", seats=seats)
        for place, seats in enumerate(seating.tables, start=1)
    )
    return apply(state, RoundPaired(round=number, pairings=pairings, byes=seating.byes)), seating


def played(state, order=lambda one: int(one[1:])):
    """The state in which every open game of the newest round is over: who is first in that order wins."""
    for play in state.newest.open:
        ranks = tuple((one,) for one in sorted(play.pairing.seats, key=order))
        state = apply(state, ResultTaken(session=play.pairing.session, head=HEAD, ranks=ranks))
    return state


def rematches(state, tables):
    """How often two at one table have met before."""
    met = meetings_of(state)
    return sum(met[frozenset(pair)] for table in tables for pair in itertools.combinations(table, 2))


def every_seating(players, sizes):
    """Each way to seat the players at tables of these sizes; tables of one size are alike."""
    if not sizes:
        yield ()
        return
    first, *rest = players
    for size in sorted(set(sizes)):
        left = list(sizes)
        left.remove(size)
        for others in itertools.combinations(rest, size - 1):
            table = (first, *others)
            for more in every_seating([one for one in rest if one not in others], left):
                yield (table, *more)
