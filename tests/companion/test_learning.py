"""What the dice of simulated tables teach the camera: some read badly, some always well, and people say anything."""

from random import Random

import pytest

from companion.sensing.strictness import (
    LAXEST,
    MOST_SILENT,
    STRICTEST,
    Answer,
    Evidence,
    colour_of,
    strictness,
    upper_end,
)

USUAL = 0.0276  # the most doubt that is accepted: vision/models/dice.json
DICE = 120  # of one game


def doubts_of(random, hard=0.03):
    """The doubt the reader states of one die: nearly always tiny, seldom near the line, `hard` of them asked."""
    kind = random.random()
    if kind < hard:
        return USUAL * (0.2 / USUAL) ** random.random()
    if kind < 0.1:
        return 10 ** random.uniform(-2.5, -1.6)
    return 10 ** random.uniform(-5, -3)


class SimulatedTable:
    """A table that plays games, at which a stated doubt d comes true with probability `times` · d.

    notices     the share of wrong entries that somebody corrects
    """

    def __init__(self, times, seed, notices=0.8, hard=0.03):
        self.times, self.notices, self.hard = times, notices, hard
        self.random = Random(seed)
        self.games = []
        self.asked, self.silent, self.dice = [], [], 0

    def play(self, games):
        for _ in range(games):
            self.games.append(self.one_game(strictness(self.games)))
        return self

    def one_game(self, stricter):
        answers, accepted, doubts, asked, silent = [], 0, 0.0, 0, 0
        for _ in range(DICE):
            doubt = doubts_of(self.random, self.hard)
            wrong = self.random.random() < self.times * doubt
            if doubt > USUAL / stricter:
                answers.append(Answer(doubt, USUAL, wrong))
                asked += 1
            elif wrong and self.random.random() < self.notices:
                answers.append(Answer(doubt, USUAL, True))
                silent += 1
            else:
                accepted, doubts = accepted + 1, doubts + doubt
                silent += wrong
        self.asked.append(asked / DICE)
        self.silent.append(silent / DICE)
        return Evidence(tuple(answers), accepted, doubts)


def mean(values):
    return sum(values) / len(values)


def test_a_table_of_which_nothing_is_known_is_as_usual():
    assert strictness([]) == 1
    assert strictness([Evidence((), 500, 0.3)]) == 1  # no question, no correction: no evidence to ask less


def test_a_few_corrected_dice_make_the_camera_ask_more():
    wrong = Answer(0.002, USUAL, True)
    said = [strictness([Evidence((wrong,) * count, 100, 0.1)]) for count in (1, 2, 3)]
    assert said == sorted(said)
    assert said[0] > 1.5
    assert said[2] > 3


def test_a_calibrated_table_stays_near_the_usual():
    tables = [SimulatedTable(times=1, seed=seed).play(20) for seed in range(20)]
    found = sorted(strictness(table.games) for table in tables)
    assert 0.8 <= found[len(found) // 2] <= 1.3
    assert found[-1] < 3


def test_dice_that_read_badly_are_asked_and_fewer_errors_stay_silent():
    tables = [SimulatedTable(times=6, seed=seed).play(20) for seed in range(10)]
    assert all(strictness(table.games) > 2.5 for table in tables)
    first, later = mean([t.silent[0] for t in tables]), mean([mean(t.silent[5:]) for t in tables])
    assert later < first / 2


def test_dice_that_are_always_right_are_asked_less_within_the_error_that_is_allowed():
    tables = [SimulatedTable(times=0.02, seed=seed, hard=0.08).play(30) for seed in range(10)]
    assert all(LAXEST <= strictness(table.games) < 1 for table in tables)
    first, later = mean([mean(t.asked[:3]) for t in tables]), mean([mean(t.asked[-10:]) for t in tables])
    assert later < 0.93 * first
    assert mean([mean(table.silent) for table in tables]) <= MOST_SILENT


def test_no_single_game_makes_the_camera_less_strict():
    right = tuple(Answer(0.1, USUAL, False) for _ in range(500))
    assert strictness([Evidence(right, 500, 0.1)]) == 1


def test_a_child_that_corrects_at_random_changes_one_evening_at_most():
    table = SimulatedTable(times=1, seed=5).play(15)
    spite = Evidence(tuple(Answer(0.0001, USUAL, True) for _ in range(200)))
    assert strictness([spite] * 30) == STRICTEST  # whatever is said, no more than this
    assert strictness([*table.games, spite]) < 3
    assert strictness([*table.games, spite, *SimulatedTable(times=1, seed=6).play(30).games]) < 2


def test_a_child_that_agrees_with_everything_cannot_lower_it_further_than_allowed():
    yes = Evidence(tuple(Answer(0.15, USUAL, False) for _ in range(100)), 20, 0.01)
    assert strictness([yes] * 100) == LAXEST
    let_in = Evidence(tuple(Answer(0.04, USUAL, False) for _ in range(100)), 20, 0.01)
    assert strictness([let_in] * 100) >= LAXEST


def test_dice_far_from_the_line_say_nothing():
    assert strictness([Evidence((Answer(0.6, USUAL, True),) * 3)]) == 1


@pytest.mark.parametrize(("errors", "upper"), [(1, 2.996), (2, 4.744), (5, 9.154)])
def test_the_upper_end_is_that_of_tables_of_the_gamma_distribution(errors, upper):
    assert upper_end(errors, 1) == pytest.approx(upper, rel=0.01)


RED, BLUE = (190.0, 30.0, 40.0), (30.0, 60.0, 170.0)


def test_a_colour_that_nobody_knew_is_that_of_the_first_die():
    assert colour_of([RED]) == RED


def test_one_wrong_tap_moves_no_colour_that_is_known_and_two_dice_do():
    assert colour_of([BLUE], before=RED) == RED
    assert colour_of([BLUE, BLUE], before=RED) == BLUE
    assert colour_of([RED, RED, BLUE]) == RED
    assert colour_of([RED, BLUE]) == RED
    assert colour_of([RED, BLUE, BLUE]) == BLUE
