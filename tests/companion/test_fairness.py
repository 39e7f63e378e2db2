"""Whether dice are fair: against tables of chi-square and counts worked out by hand."""

import random

import pytest

from companion.game.dice import D6, Thrown
from companion.house.fairness import all_alike, chi_square_tail, tallies, tally


@pytest.mark.parametrize(
    ("degrees", "stray", "p"),
    # critical values as printed in any table of the chi-square distribution
    [(1, 3.841, 0.05), (2, 5.991, 0.05), (3, 7.815, 0.05), (4, 9.488, 0.05), (5, 11.070, 0.05), (5, 15.086, 0.01)],
)
def test_the_tail_agrees_with_the_printed_tables(degrees, stray, p):
    assert chi_square_tail(stray, degrees) == pytest.approx(p, rel=2e-3)


def test_an_even_count_strays_not_at_all():
    assert tally("white", D6, dict.fromkeys(D6, 10)).p == pytest.approx(1.0)


def test_a_loaded_die_is_told_from_a_fair_one():
    # by hand: 60 throws, 10 of each expected, sixes 25 and every other face 7: (15² + 5 · 3²) / 10 = 27
    loaded = tally("white", D6, {1: 7, 2: 7, 3: 7, 4: 7, 5: 7, 6: 25})
    assert loaded.p == pytest.approx(chi_square_tail(27, 5))
    assert loaded.p < 0.001
    assert "hardly ever" in loaded.verdict


def test_too_few_throws_say_nothing_and_how_many_more_would():
    few = tally("white", D6, {6: 20})
    assert few.p is None
    assert "10 more" in few.verdict  # five of each face are expected from 30 throws on


def test_a_special_die_is_judged_by_its_own_faces():
    # two blanks on six faces: a blank is expected twice as often as a three
    tallied = tally("size 3", (0, 1, 1, 2, 2, 3), {0: 10, 1: 20, 2: 20, 3: 10})
    assert tallied.expected == {0: 10, 1: 20, 2: 20, 3: 10}
    assert tallied.p == pytest.approx(1.0)
    assert tallied.mean == 1.5


def test_every_kind_of_die_has_its_own_tally_in_order():
    thrown = [Thrown("second", D6, 2), Thrown("first", D6, 1), Thrown("second", D6, 2)]
    assert [(one.die, one.throws, one.counts[2]) for one in tallies(thrown)] == [("second", 2, 2), ("first", 1, 0)]


def test_fair_dice_are_called_odd_about_as_often_as_p_says():
    chance = random.Random(1)
    low = sum(
        tally("white", D6, {face: rolls.count(face) for face in D6}).p < 0.05
        for rolls in ([chance.randint(1, 6) for _ in range(60)] for _ in range(1000))
    )
    assert 30 <= low <= 72  # 50 expected of 1,000; five standard deviations of a binomial are 34, the test is discrete


def test_a_die_of_one_value_cannot_stray():  # PS-05: a table without boxes of a size has blanks alone on their die
    (blank,) = tallies([Thrown("size 5", (0, 0, 0, 0, 0, 0), 0)] * 12)
    assert blank.p == 1
    assert blank.verdict == "12 throws so far; chance alone explains this (p = 1.000)."


def test_dice_of_all_colours_are_judged_together_where_their_faces_are_the_same():
    thrown = [Thrown("red", D6, face) for face in D6 * 3] + [Thrown("white", D6, face) for face in D6 * 2]
    together = all_alike(thrown)
    assert (together.throws, together.counts) == (30, dict.fromkeys(D6, 5))
    assert together.verdict == "30 throws so far; chance alone explains this (p = 1.000)."
    assert all_alike([*thrown, Thrown("size 3", (0, 1, 1, 2, 2, 3), 0)]) is None
    assert all_alike([]) is None


def test_a_face_s_interval_is_wilson_s_in_throws():
    # by hand: 6 of 30 is a share of 0.2; z² = 3.8416: middle (0.2 + 3.8416 / 60) / (1 + 3.8416 / 30) = 0.23405,
    # half 1.96 / 1.12805 · √(0.2 · 0.8 / 30 + 3.8416 / 3600) = 0.13904
    low, high = tally("red", D6, {1: 6, 2: 4, 3: 5, 4: 5, 5: 5, 6: 5}).interval(1)
    assert (low, high) == pytest.approx((30 * (0.23405 - 0.13904), 30 * (0.23405 + 0.13904)), rel=1e-3)
