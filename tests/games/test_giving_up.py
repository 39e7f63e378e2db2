"""A player gives up in a race: nobody waits for that stack, and it is not complete."""

import pytest

from companion.errors import IllegalEvent
from companion.game.events import NOW_US
from companion.game.players import Viewer
from companion.game.widgets import Choice, Seats
from companion.games.maxstax.events import (
    Collapsed,
    GaveUp,
    Judged,
    Readied,
    RoundClosed,
    Shouted,
    Started,
    TimeRanOut,
)
from companion.games.maxstax.timer import Stage
from companion.games.speedstax import interface
from companion.games.speedstax.rules import apply, awaiting, score, stage, winners
from companion.shelf import GAMES
from tests.games import test_samestax as same
from tests.games import test_swapstax as swap
from tests.games.test_speedstax import GO, S, play, running, shout


def seat_of(state, player):
    seats = next(widget for widget in interface.view(state, Viewer(None, {})) if isinstance(widget, Seats))
    return next(card.state for card in seats.cards if card.player == player)


def test_who_gives_up_ends_last_and_the_race_goes_on_without_them():  # SPD-03, MX-14
    state = play(running("A", "B", "C"), GaveUp("C", GO + 5 * S))
    assert (stage(state), awaiting(state), seat_of(state, "C")) == (Stage.RUNNING, {"A", "B"}, "Gave up")
    with pytest.raises(IllegalEvent, match="given up"):
        apply(state, shout("C", 6))
    state = play(state, shout("A", 20), shout("B", 30))
    assert stage(state) is Stage.FINISHED  # nobody waits for C
    assert score(play(state, RoundClosed())) == {"A": 3, "B": 2, "C": 0}


def test_a_round_in_which_all_give_up_is_over_and_the_next_one_begins_afresh():  # MX-14
    state = play(running("A", "B"), GaveUp("A", GO + S), GaveUp("B", GO + 2 * S))
    assert (stage(state), score(state)) == (Stage.FINISHED, {"A": 0, "B": 0})
    after = play(state, RoundClosed())
    assert awaiting(after) == {"A", "B"}
    assert not after.current.gave_up


@pytest.mark.parametrize(
    ("before", "event", "why"),
    [
        ((), GaveUp("Z", GO + S), "isn't in this round"),
        ((), GaveUp("A", GO - 1), "hasn't started"),
        ((GaveUp("A", GO + S),), GaveUp("A", GO + 2 * S), "given up"),
        ((Shouted("A", GO + S),), GaveUp("A", GO + 2 * S), "complete"),
        ((GaveUp("A", GO + S),), Collapsed("A"), "given up"),
    ],
)
def test_only_who_still_builds_gives_up(before, event, why):  # MX-22
    with pytest.raises(IllegalEvent, match=why):
        apply(play(running("A", "B", "C"), *before), event)


def test_in_a_stack_off_the_other_one_still_has_to_build():  # MX-31
    state = running("A", "B")
    for number in range(5):
        at = 1000 * S * number
        if number:
            state = play(state, *map(Readied, "AB"), Started(at))
        state = play(state, TimeRanOut(at + GO + 120 * S), RoundClosed())
    state = play(state, *map(Readied, "AB"), Started(9000 * S), GaveUp("A", 9000 * S + GO + S))
    assert (stage(state), awaiting(state)) == (Stage.RUNNING, {"B"})
    won = play(state, Shouted("B", 9000 * S + GO + 9 * S), RoundClosed())
    assert winners(won) == ("B",)


def test_a_copy_that_is_given_up_has_failed_and_the_creator_never_gives_up():  # SAM-03, SAM-05
    state = same.creating("A", "B", "C")
    with pytest.raises(IllegalEvent, match="Finish with the blocks"):
        same.apply(state, GaveUp("A", same.GO + S))
    page = GAMES["samestax"].pages.view(state, Viewer("A", {}))
    cards = next(widget for widget in page if isinstance(widget, Seats)).cards
    assert not any(isinstance(tap.event, GaveUp) for card in cards for tap in card.taps)
    state = same.play(same.copying("A", "B", "C"), GaveUp("B", same.COPY + S), same.shout("C", 9))
    assert same.score(same.play(state, RoundClosed())) == {"A": 1, "B": 0, "C": 1}


def test_without_the_shout_nobody_judges_a_stack_that_was_given_up():  # MX-20
    state = swap.stacking({"A": 3, "B": 1}, shout_required=False)
    state = swap.play(state, GaveUp("A", swap.GO + S), swap.shout("B", 5))
    assert swap.awaiting(state) == {"B"}
    assert swap.score(swap.play(state, Judged("B", True), RoundClosed())) == {"A": 0, "B": 1}


def test_each_who_builds_has_a_tap_for_it_on_the_own_card():
    page = interface.view(running("A", "B"), Viewer("A", {}))
    cards = next(widget for widget in page if isinstance(widget, Seats)).cards
    assert [[tap.event for tap in card.taps][-1] for card in cards] == [GaveUp("A", NOW_US), GaveUp("B", NOW_US)]
    assert not any(isinstance(tap.event, GaveUp) for one in page if isinstance(one, Choice) for tap in one.taps)
