"""High Roll's rules; whole games stand in `tests/playthroughs/high_roll`."""

import pytest
from companion.games.high_roll import rules
from companion.games.high_roll.rules import Options, PipsRolled

from companion.errors import IllegalEvent


def test_players_roll_in_turn():  # HR-01
    state = rules.start(Options(), ("A", "B"))
    with pytest.raises(IllegalEvent, match="Another player"):
        rules.apply(state, PipsRolled("B", 3))
    assert rules.awaiting(rules.apply(state, PipsRolled("A", 3))) == {"B"}


def test_a_one_brings_nothing():  # HR-02
    state = rules.apply(rules.start(Options(), ("A",)), PipsRolled("A", 1))
    assert rules.score(state) == {"A": 0}


def test_the_first_with_enough_points_wins():  # HR-03
    state = rules.apply(rules.start(Options(target=5), ("A", "B")), PipsRolled("A", 5))
    assert rules.is_over(state)
    assert rules.winners(state) == ("A",)
