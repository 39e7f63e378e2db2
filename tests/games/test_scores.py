"""Everybody's line of points, as every game shows it."""

import pytest

from companion.game.players import Viewer
from companion.game.scores import best_first, score_lines
from companion.game.widgets import ScoreLine, ScoreTable
from companion.shelf import GAMES

PARTS = {"a": (("stacks", 7, "X-1"), ("ruling", -2, "ruling")), "b": (), "c": (("stacks", 5, "X-1"),)}


def test_points_are_the_sum_of_what_they_are_made_of():
    viewer = Viewer(None, {"a": "Ann"})
    lines = score_lines(PARTS, viewer, ("c",), {"b"}, lambda player: player * 2)
    assert lines == (
        ScoreLine("a", "Ann", 5, PARTS["a"], "aa"),
        ScoreLine("b", "somebody", 0, (), "bb", active=True),
        ScoreLine("c", "somebody", 5, PARTS["c"], "cc", winner=True),
    )
    assert [line.player for line in best_first(lines)] == ["c", "a", "b"]
    assert not any(line.active for line in score_lines(PARTS, viewer, ("c",)))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_games_table_says_the_score_in_seat_order(game):
    state = game.rules.start(game.rules.options(), ("a", "b", "c"))
    tables = [each for each in game.pages.view(state, Viewer(None, {})) if isinstance(each, ScoreTable)]
    if game.rules.name == "turn_clock":  # TC-61: there is one point, for whoever has won.
        assert tables == []
        return
    assert [{line.player: line.points for line in table.lines} for table in tables] == [dict(game.rules.score(state))]
    assert [line.player for line in tables[0].lines] == ["a", "b", "c"]
