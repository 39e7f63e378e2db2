"""Pig, by turns that were worked out on paper."""

import pytest
from pig_game import GAME
from pig_game.rules import Held, Options, Rolled

from companion.errors import IllegalEvent

RULES = GAME.rules


def played(*turns, goal=100):
    """The state after Ann's and Bob's turns: the faces of each, and 0 for holding."""
    state = RULES.start(Options(goal), ("Ann", "Bob"))
    for number, turn in enumerate(turns):
        player = ("Ann", "Bob")[number % 2]
        for face in turn:
            state = RULES.apply(state, Rolled(player, face) if face else Held(player))
    return state


def test_what_is_held_counts():
    assert RULES.score(played((6, 5, 0), (4, 0), (2,))) == {"Ann": 11, "Bob": 4}


def test_a_1_takes_the_points_of_the_turn_alone():
    assert RULES.score(played((6, 5, 0), (4, 1), (6, 1))) == {"Ann": 11, "Bob": 0}


def test_the_first_at_the_goal_wins_once_they_hold():
    assert RULES.winners(played((6, 6, 6, 2), goal=20)) == ()
    assert RULES.winners(played((6, 6, 6, 2, 0), goal=20)) == ("Ann",)


def test_there_is_nothing_to_hold_before_a_roll():
    with pytest.raises(IllegalEvent):
        RULES.apply(played(), Held("Ann"))
