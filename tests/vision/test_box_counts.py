"""Counting left-over boxes, against all ways to say what each thing is, written out one by one."""

import itertools

import numpy as np
import pytest

from vision.load import counts
from vision.load.counts import Roll, count_boxes, heights_together, roll_likelihood, ways_to_count

NOTHING = np.zeros(5, int)


def sure(*sizes: int) -> tuple[np.ndarray, np.ndarray]:
    """Things of which both that they are boxes and their sizes are as good as sure."""
    chances = np.full((len(sizes), 5), 0.001)
    chances[range(len(sizes)), np.array(sizes, int) - 1] = 0.996
    return np.full(len(sizes), 0.999), chances


def high(units: int) -> np.ndarray:
    """A truck whose tops are surely so high together."""
    return np.eye(30)[units]


def boxes(**of_size: int) -> np.ndarray:
    return np.array([of_size.get(f"n{size}", 0) for size in (1, 2, 3, 4, 5)])


def test_without_a_roll_each_thing_is_judged_by_itself():
    likely, chances = np.array([0.9, 0.4]), np.array([[0.1, 0.7, 0.2, 0, 0], [1.0, 0, 0, 0, 0]])
    count = count_boxes(likely, chances, [])
    assert count.outside.tolist() == [0, 1, 0, 0, 0]
    assert count.sizes.tolist() == [2, 0]
    assert count.confidence == pytest.approx(0.9 * 0.6 * 0.7)


def test_counts_are_as_likely_as_all_ways_to_come_to_them():
    rng = np.random.default_rng(4)
    likely, chances = rng.uniform(0, 1, 4), rng.dirichlet(np.ones(5), 4)
    most = np.array([2, 1, 0, 2, 3])
    expected = np.zeros(most + 1)
    things = [*zip(likely, chances, strict=True), *((counts.HIDDEN, alone) for alone in np.eye(5))]
    possible = [(0, *(np.flatnonzero(sizes) + 1)) for _box, sizes in things]
    for what in itertools.product(*possible):
        count = np.bincount(what, minlength=6)[1:]
        if (count <= most).all():
            parts = [1 - box if not k else box * sizes[k - 1] for k, (box, sizes) in zip(what, things, strict=True)]
            expected[tuple(count)] += np.prod(parts)
    assert ways_to_count(likely, chances, most, counts.HIDDEN) == pytest.approx(expected)


def test_no_more_of_a_size_are_left_over_than_were_rolled():
    likely, chances = sure(4, 4)
    chances[1] = [0, 0.4, 0, 0.6, 0]
    assert count_boxes(likely, chances, []).outside.tolist() == [0, 0, 0, 2, 0]
    assert count_boxes(likely, chances, [Roll(boxes(n2=2, n4=1), None)]).outside.tolist() == [0, 1, 0, 1, 0]


def test_what_lies_on_the_truck_tells_what_does_not():
    likely, chances = sure(3)
    likely[0] = 0.5
    rolled = boxes(n3=1, n5=2)
    loaded = count_boxes(likely, chances, [Roll(rolled, high(13))])
    beside = count_boxes(likely, chances, [Roll(rolled, high(10))])
    assert (loaded.outside.tolist(), beside.outside.tolist()) == ([0] * 5, [0, 0, 1, 0, 0])
    assert min(loaded.confidence, beside.confidence) > 0.9


def test_a_gap_under_the_tops_is_possible_and_a_load_that_sticks_out_below_is_not():
    shape = tuple(boxes(n1=3) + 1)
    likely = roll_likelihood(Roll(boxes(n1=3), high(2)), shape).ravel()
    assert likely[0] == 0  # three units cannot lie two high
    assert likely[1] > likely[2] > likely[3] > 0


def test_a_box_that_nobody_sees_is_told_and_never_accepted_silently():
    likely, chances = sure(1)
    count = count_boxes(likely, chances, [Roll(boxes(n1=1, n4=1, n5=2), high(10))])
    assert count.outside.tolist() == [1, 0, 0, 1, 0]
    assert count.sizes.tolist() == [1]
    assert count.hidden == 1


def test_boxes_that_are_no_part_of_the_roll_are_told_and_doubted():
    count = count_boxes(*sure(5, 5, 5), [Roll(boxes(n1=4), high(4))])
    assert count.outside.tolist() == [0, 0, 0, 0, 3]
    assert count.confidence <= 0.5


def test_one_entered_wrongly_is_doubted_more_than_one_that_fits():
    seen = sure(2, 2, 5)
    right = count_boxes(*seen, [Roll(boxes(n2=2, n3=2, n5=1), high(6))])
    wrong = count_boxes(*seen, [Roll(boxes(n2=1, n3=2, n5=1), high(6))])  # a two was rolled that nobody entered
    assert right.confidence > 0.9
    assert wrong.confidence < 0.9


def test_left_overs_may_be_those_of_any_player_whose_truck_agrees():
    mine, other = Roll(boxes(n4=1, n5=1), high(9)), Roll(boxes(n2=1, n5=2), high(10))
    likely, chances = sure(2)
    likely[0], chances[0] = 0.7, [0, 0.5, 0, 0.5, 0]
    assert count_boxes(likely, chances, [mine, other]).outside.tolist() == [0, 1, 0, 0, 0]
    assert count_boxes(likely, chances, [Roll(mine.boxes, high(5)), Roll(other.boxes, high(12))]).outside[3] == 1


def test_an_empty_table_leaves_nothing_over():
    count = count_boxes(np.zeros(0), np.zeros((0, 5)), [Roll(boxes(n1=2, n5=1), high(7))])
    assert count.outside.tolist() == [0] * 5
    assert count.confidence > 0.9


def test_heights_are_those_of_all_squares_together():
    levels = np.array([[0.5, 0.5, 0, 0, 0], [0, 0, 1, 0, 0]])
    assert heights_together(levels)[:4] == pytest.approx([0, 0, 0.5, 0.5])
