"""The best load of a truck, against an independent way to find it, and against the rules."""

import sys
from functools import cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.equipment import trucks as decks
from companion.equipment.trucks import Truck
from companion.games.pack_and_stack.advice import best_load
from companion.games.pack_and_stack.cp_sat import cp_sat_load
from companion.games.pack_and_stack.loads import SIZES, check_packed, counts_of, less, loss, volume
from companion.games.pack_and_stack.options import DICE_FACES


def most_volume(truck, rolled):
    """By putting one box after the other onto the heights of the squares, in every way there is.

    Without gaps every square is filled from the floor, so its height says all; that shares nothing with the search.
    """
    squares = sorted(truck.squares)
    at = {square: index for index, square in enumerate(squares)}
    ways = [(size, size, (index,)) for size in SIZES for index in range(len(squares))]  # upright: (rise, size, run)
    for size in SIZES[1:]:
        for row, column in squares:
            for down, right in ((1, 0), (0, 1)):
                run = tuple(at.get((row + down * step, column + right * step)) for step in range(size))
                if None not in run:
                    ways.append((1, size, run))

    @cache
    def most(heights, left):
        best = 0
        for rise, size, run in ways:
            level = heights[run[0]]
            if left[size - 1] and level + rise <= truck.height and all(heights[index] == level for index in run):
                higher = tuple(height + rise if index in run else height for index, height in enumerate(heights))
                fewer = tuple(number - (each == size) for each, number in zip(SIZES, left, strict=True))
                best = max(best, size + most(higher, fewer))
        return best

    return most((0,) * len(squares), rolled)


def check(truck, rolled, out_of_time=lambda: False):
    """The best load; that it lies as the rules say and takes no more boxes than were rolled."""
    found = best_load(truck, rolled, out_of_time)
    check_packed(truck, found.boxes)
    less(rolled, counts_of(found.boxes))
    assert found.loaded <= found.most <= min(truck.capacity, volume(rolled))
    return found


@given(
    rows=st.lists(st.text("#.", min_size=1, max_size=4), min_size=1, max_size=3),
    height=st.integers(0, 3),
    rolled=st.tuples(*(st.integers(0, 2),) * 5),
)
def test_the_best_load_is_that_of_an_independent_search(rows, height, rolled):
    truck = Truck(tuple(rows), height)
    if len(truck.squares) > 7:
        return  # the independent search takes too long
    found = check(truck, rolled)
    assert found.proven
    assert found.loaded == most_volume(truck, rolled)


def test_a_long_box_fits_nowhere_and_another_stands():  # PS-42, PS-44, PS-E05
    truck, rolled = Truck(("##",), 4), (1, 1, 0, 1, 1)
    found = check(truck, rolled)
    assert found.proven
    assert loss(truck, rolled, less(rolled, counts_of(found.boxes))) == 11


@pytest.mark.parametrize(
    ("truck", "rolled", "best"),
    [
        (Truck(("#####",) * 3, 4), (0, 0, 20, 0, 0), 60),
        (Truck(("#####",) * 3, 4), (0, 0, 0, 0, 13), 60),
        (Truck(("###", "#.#", "###"), 1), (0, 0, 3, 0, 0), 6),  # a ring has room for two threes, not for a third
        (Truck(("#.#", "...", "#.#"), 2), (0, 5, 0, 0, 0), 8),  # four single squares: a two stands on each
        (Truck(("#.#",), 1), (0, 2, 2, 2, 2), 0),
        (Truck((".#.", "###", ".#."), 2), (0, 0, 0, 0, 0), 0),
        (Truck(("...",), 2), (5, 0, 0, 0, 0), 0),
        (Truck(("##", "#", "###"), 2), (0, 6, 0, 0, 0), 12),
    ],
)
def test_trucks_worked_out_by_hand(truck, rolled, best):
    found = check(truck, rolled)
    assert found.proven
    assert found.loaded == best


def test_no_boxes_without_what_lies_under_them():  # PS-43
    """Two fives need rows of five: the second lies on the first, or not at all."""
    truck = Truck(("#####", "#...#"), 2)
    assert check(truck, (0, 0, 0, 0, 2)).loaded == 10
    assert check(Truck(("#####",), 1), (0, 0, 0, 0, 2)).loaded == 5


@pytest.mark.parametrize("deck", decks.HEIGHTS)
def test_every_card_with_the_largest_and_the_smallest_roll_is_proven(deck):
    for truck in decks.printed_decks()[deck]:
        for rolled in ((1, 0, 0, 0, 0), (5, 4, 3, 2, 2)):
            assert check(truck, rolled).proven, truck


def test_out_of_time_it_says_what_is_proven_all_the_same():
    truck, rolled = Truck(("#####",) * 3, 4), (5, 4, 3, 2, 2)
    found = check(truck, rolled, lambda: True)
    assert found.boxes == ()
    assert found.most == 40
    assert not found.proven


def test_a_clock_that_runs_out_later_gives_the_best_until_then():
    """A truck far larger than any card, with a roll whose proof takes long."""
    truck, rolled = Truck(("##.##", "###", "#", ".#######", "######", "##"), 3), (0, 11, 3, 12, 7)
    looks = iter(range(60))
    found = check(truck, rolled, lambda: next(looks, None) is None)
    assert 0 < found.loaded <= found.most


def test_the_optional_solver_finds_the_same_and_proves_it():
    pytest.importorskip("ortools", reason="the extra `solver` is not installed: that CP-SAT agrees stays unshown")
    chance = Random(5)
    trucks = [truck for deck in decks.printed_decks().values() for truck in deck]
    for truck in chance.sample(trucks, 12):
        rolled = tuple(chance.choice(faces) for faces in DICE_FACES)
        ours, theirs = check(truck, rolled), cp_sat_load(truck, rolled, 20.0)
        check_packed(truck, theirs.boxes)
        less(rolled, counts_of(theirs.boxes))
        assert (theirs.loaded, theirs.most) == (ours.loaded, ours.most)


def test_without_the_optional_solver_there_is_no_answer_of_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    assert cp_sat_load(Truck(("##",), 1), (1, 0, 0, 0, 0), 1.0) is None
