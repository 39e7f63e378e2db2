"""The rounds of a game: which event belongs to which, and the points in each; games of ours by hand-worked games."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from companion.game.rounds import Round, by_turns, rounds_played
from companion.house.host import Host
from companion.journal.store import Journal
from companion.shelf import GAMES
from tests.browser.furnished import played_so_far
from tests.played import read

PLAYTHROUGHS = Path(__file__).parents[1] / "playthroughs"


@dataclass(frozen=True)
class Walked:
    player: str


@dataclass(frozen=True)
class Rained:
    pass


def test_a_game_that_says_nothing_has_a_turn_of_everybody_in_a_round():
    events = [Walked("a"), Walked("a"), Walked("b"), Rained(), Walked("a"), Walked("b"), Walked("b"), Walked("a")]
    assert by_turns(events) == (1, 1, 1, 1, 2, 2, 2, 3)


def test_the_points_of_a_round_are_those_gained_by_its_events():
    course = [(75, 75), (75, 75), (70, 75), (80, 71), (80, 71)]
    assert rounds_played([1, 1, 2, 2], course) == (Round(1, (-5, 0), (70, 75)), Round(2, (10, -4), (80, 71)))
    assert rounds_played([], [(0, 0)]) == ()


# game, playthrough → the points gained in each round, added up by hand from its comments and ../shared/rules
BY_HAND = {
    # SPD-03: two players score 2 and 1, none for who is incomplete (MX-20); B's stack of round 3 was never done
    ("speedstax", "two-players-straight"): ["2 1", "1 2", "2 0", "2 1", "1 2"],
    # SS-21, SS-23: a circle is a point less; each turn is a roll for everybody, A begins with ten circles
    ("sack_stackers", "ten-circles"): ["-10 0", "0 1", "0 -3"],
    # ST-58: seven stacks of sixes each; then ones count ten (ST-05), six stacks against seven
    ("stack_dice", "two-rounds"): ["42 42", "60 70"],
    # PS-50 to PS-53: losses of 8, 10, 21, the smallest brings ten; then 0, 12, 14
    ("pack_and_stack", "two-rounds"): ["2 -10 -21", "10 -12 -14"],
    # SAM-04, SAM-05: the copied Creator gives the point away, the others keep it
    ("samestax", "two-players"): ["0 1", "0 1", "1 0", "1 0"],
    # SWP-40: the stars of the cards; a Speed-Stack-Off brings no points (MX-31)
    ("swapstax", "stack-off"): ["1 0 1", "2 0 2", "0 3 0", "4 0 5", "1 0 0", "0 0 0", "0 0 0"],
    # SP-14: three turns a round, the second backwards; SP-44: squares of the islands
    ("sandpile_panic", "three-share-the-first-move"): ["1 1 1", "0 3 3", "0 5 5", "0 1 7", "8 0 0"],
}


@pytest.mark.parametrize(("game", "name"), BY_HAND)
def test_rounds_of_a_game_worked_by_hand(tmp_path, game, name):
    table = table_of(tmp_path, game, name)
    assert [" ".join(map(str, one.gains)) for one in table.fold.rounds()] == BY_HAND[game, name]


@pytest.mark.parametrize("game", GAMES)
def test_the_rounds_of_every_game_add_up_to_its_points(tmp_path, game):
    for path in sorted((PLAYTHROUGHS / game).glob("*.txt")):
        table = table_of(tmp_path, game, path.stem)
        rounds, course = table.fold.rounds(), table.course()
        assert [one.number for one in rounds] == list(range(1, len(rounds) + 1)), path.stem
        for seat, start in enumerate(course[0]):
            assert start + sum(one.gains[seat] for one in rounds) == course[-1][seat]
        assert rounds[-1].points == course[-1]


def table_of(tmp_path, game, name):
    host = Host(Journal(tmp_path / f"{name}.sqlite3"))
    host.clock.offset_us += 10**11
    return played_so_far(host, read(PLAYTHROUGHS / game / f"{name}.txt"), 1.0)
