"""Pauses of a timed round (MX-17): the sums beside them say what going through them all says, in a time that stays.

The old way, which went through all pauses for each event, is written here as it was.
"""

import time
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.maxstax.events import Paused, Resumed, Shouted, ShoutRejected, Started
from companion.games.maxstax.pauses import NO_PAUSES
from companion.games.maxstax.timer import Round, deadline_us, elapsed_us, latest_us
from companion.journal.codec import state_to_json
from companion.shelf import GAMES

INSTANTS = st.integers(0, 60)
FEW, MANY = 1_000, 4_000  # To go through all pauses took sixteen times as long for four times as many.
MOST_TIMES = 2 * MANY / FEW


@st.composite
def pauses(draw):
    """Pauses in any order, as a Creator's second start may bring them, of which the last may last."""
    found = NO_PAUSES
    for first, second in draw(st.lists(st.tuples(INSTANTS, INSTANTS), min_size=1, max_size=12)):
        found = found.begun(min(first, second)).ended(max(first, second))
    if draw(st.booleans()):
        found = found.begun(draw(INSTANTS))
    return found


@settings(max_examples=200)  # Pauses overlap in few of them.
@given(pauses(), INSTANTS)
def test_the_sums_say_what_all_pauses_say(pauses, at_us):
    current = Round(("A", "B"), go_us=1, limit_us=1_000, pauses=pauses)
    closed = [(since, until) for since, until in pauses if until is not None]
    assert deadline_us(current) == 1 + current.limit_us + sum(until - since for since, until in closed)
    stopped = sum(min(at_us if until is None else until, at_us) - since for since, until in pauses if since < at_us)
    assert elapsed_us(current, at_us) == at_us - 1 - stopped
    assert pauses.has(at_us) == any(since < at_us and (until is None or at_us < until) for since, until in pauses)
    assert latest_us((current,)) == max(1, *(edge for pause in pauses for edge in pause if edge is not None), 0)
    assert pauses.is_over == (not pauses or pauses[-1][1] is not None)


def test_pauses_are_told_and_compared_as_they_always_were():
    current = Round(("A", "B"), pauses=NO_PAUSES.begun(3).ended(5).begun(7))
    assert state_to_json(current)["pauses"] == [[3, 5], [7, None]]
    assert current == replace(current, pauses=NO_PAUSES.begun(3).ended(5).begun(7))
    assert current != replace(current, pauses=current.pauses.ended(7))
    assert current.pauses[-1] == (7, None)


def replayed_s(count):
    """Processor time for a round of so many pauses, then a shout dated before each of them."""
    game = GAMES["speedstax"]
    state = game.rules.start(game.rules.options(), ("A", "B"))
    state = game.rules.apply(state, Started(0, everyone=True))
    go_us = state.current.go_us
    began_s = time.process_time()
    for number in range(count):
        state = game.rules.apply(state, Paused(go_us + 10 * number + 5))
        state = game.rules.apply(state, Resumed(go_us + 10 * number + 10))
    for number in range(count):
        state = game.rules.apply(state, Shouted("A", go_us + 10 * number + 1))
        state = game.rules.apply(state, ShoutRejected("A", go_us + 10 * number + 1))
    return time.process_time() - began_s


def test_a_round_of_many_pauses_is_replayed_in_a_time_in_proportion_to_them():
    few, many = (min(replayed_s(count) for _ in range(2)) for count in (FEW, MANY))
    print(f"{FEW} pauses {few:.3f} s, {MANY} pauses {many:.3f} s")
    assert many < MOST_TIMES * few
