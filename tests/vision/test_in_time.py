"""What two looks at one rest agree on: whatever only one of them says is asked."""

from dataclasses import replace

import pytest

from companion.game.readings import (
    BoardReading,
    Box,
    CardReading,
    CellReading,
    DiceReading,
    DieReading,
    Kind,
    MatchReading,
    SpaceReading,
    StackReading,
    StacksReading,
    Status,
    TowerReading,
)
from vision.readers.agreement import agree_on_board, agree_on_card, agree_on_dice, agree_on_stacks, agree_on_tower
from vision.readers.kinds import READERS

FAR = Box(300.0, 100.0, 40.0, 40.0)
CARD = CardReading(640, 480, 7, "Card 7", 0.99, True)
NO_CARD = CardReading(640, 480, None, "", 0.99, True)
UNKNOWN_CARD = CardReading(640, 480, None, "unknown card", 0.5, False)


def die(cx: float = 100.0) -> DieReading:
    return DieReading(5, cx, 100.0, 40.0, 40.0, 0.0, "white", 0.99, True, ((5, 0.99),))


def stack(cx: float = 100.0) -> StackReading:
    return StackReading(die(cx), 2, True, (0.0, 1.0, 0.0, 0.0), 0.0, 0.0)


def tower(match: MatchReading | None) -> TowerReading:
    return TowerReading(640, 480, (SpaceReading(1, Status.STANDING, 0.99, True, (), match),))


def test_what_only_the_other_look_could_not_read_is_unread():
    both = agree_on_dice(DiceReading(640, 480, (die(),)), DiceReading(640, 480, (die(),), (FAR,)))
    assert both.unread == (FAR,)
    assert not both.accepted
    assert both.dice[0].accepted


def test_a_stack_seen_only_by_the_other_look_is_unread():
    alone, two = StacksReading(640, 480, (stack(),), ()), StacksReading(640, 480, (stack(), stack(300.0)), ())
    assert agree_on_stacks(alone, two).unread == (FAR,)
    assert not agree_on_stacks(alone, two).accepted
    assert agree_on_stacks(alone, replace(alone, unread=(FAR,))).unread == (FAR,)


@pytest.mark.parametrize(
    "other", [MatchReading(False, 0.99, True), MatchReading(True, 0.7, False), None], ids=["contrary", "unsure", "none"]
)
def test_a_verdict_that_only_one_look_gives_is_asked(other):
    both = agree_on_tower(tower(MatchReading(True, 0.99, True)), tower(other))
    assert both.spaces[0].match == MatchReading(True, 0.99, False)
    assert both.spaces[0].accepted


def test_a_colour_that_one_look_is_unsure_of_is_asked():
    sure = BoardReading(640, 480, ((CellReading("red", 1, 0.99, True, 0.0, 0.0),),))
    unsure = BoardReading(640, 480, ((CellReading("red", 1, 0.6, False, 0.0, 0.0),),))
    for first, other in ((sure, unsure), (unsure, sure)):
        assert not agree_on_board(first, other).cells[0][0].accepted


@pytest.mark.parametrize(("one", "other"), [(CARD, NO_CARD), (NO_CARD, CARD)])
def test_a_card_that_one_look_saw_is_asked_for(one, other):
    both = agree_on_card(one, other)
    assert (both.card, both.accepted) == (7, False)
    assert not READERS[Kind.CARD].in_time.is_empty(both)


def test_a_card_that_nobody_knows_is_told_and_an_empty_spot_is_not():
    assert not READERS[Kind.CARD].in_time.is_empty(agree_on_card(UNKNOWN_CARD, UNKNOWN_CARD))
    assert READERS[Kind.CARD].in_time.is_empty(agree_on_card(NO_CARD, NO_CARD))
