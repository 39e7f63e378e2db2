"""Films of stacks that are built block by block, and what the true places of their blocks would tell."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.benches.tower import stands_alike
from vision.training.drawn.buildings import Film, course_of, moved, random_film
from vision.training.drawn.tower_designs import Part, random_kit
from vision.training.drawn.tower_rooms import random_pose, random_room
from vision.training.drawn.towers import Stack, build_stack

DESIGN = ((Part("flat_x", 0.0),), (Part("up_y", 8.0),), (Part("edge_x", 0.0),))


@pytest.fixture(scope="module")
def filmed():
    """A film of one stack of three levels, and its looks."""
    rng = np.random.default_rng([8300, 1])
    kit, centres = random_kit(rng), [(0.0, 0.0)]
    stack = build_stack(rng, kit, DESIGN, 1, centres[0])
    film = Film(rng, kit, random_room(rng, kit, centres), random_pose(rng, wide=False), centres, [stack], {})
    return film, list(film.looks())


def test_a_film_begins_empty_and_ends_with_what_its_labels_say(filmed):
    film, looks = filmed
    assert looks[0].still
    assert looks[0].standing == {1: ()}
    places = [block["position_mm"] for block in film.entry("film")["stacks"][0]["blocks"]]
    assert np.allclose(places, [solid.centre_mm for solid in looks[-1].standing[1]], atol=0.01)


def test_a_block_that_comes_changes_the_picture_and_noise_does_not(filmed):
    _film, looks = filmed
    still = [look for look in looks if look.still]
    for before, after in pairwise(still):
        apart = (
            np.abs(before.frame_bgr.astype(float) - after.frame_bgr).reshape(96, 10, 128, 10, 3).mean(axis=(1, 3, 4))
        )
        same = before.standing == after.standing
        usual = np.median(apart)
        assert (apart.max() < 3 * usual + 3) == same


def test_an_arm_is_in_the_picture_before_each_step(filmed):
    _film, looks = filmed
    for before, after in pairwise(looks):
        if before.standing != after.standing:
            assert not before.still


def test_a_course_ends_with_every_block_and_changes_one_at_a_time():
    rng = np.random.default_rng(4)
    stack = build_stack(rng, random_kit(rng), DESIGN, 1, (0.0, 0.0))
    for _ in range(40):
        counts = [len(standing) for standing in course_of(rng, stack.solids)]
        assert counts[-1] == len(DESIGN)
        assert all(abs(after - before) <= 1 for before, after in pairwise(counts))


def test_a_film_of_a_seed_is_always_the_same():
    one, other = random_film(5, 1), random_film(5, 1)
    assert one.same == other.same
    assert [stack.design for stack in one.stacks] == [stack.design for stack in other.stacks]


def test_true_places_tell_a_block_that_was_moved_and_a_whole_stack_that_stands_elsewhere(filmed):
    film, _looks = filmed
    model = film.stacks[0]
    aside = replace(model, space=2, solids=[moved(solid, np.array([7.0, 0, 0])) for solid in model.solids])
    across_mm = film.kit.size(DESIGN[1][0])[0]  # The second block carries the third.

    def alike(stack: Stack) -> bool:
        entry = replace(film, stacks=[model, stack]).entry("film")
        return stands_alike(entry, 2, entry, 1)

    def pushed(share: float) -> Stack:
        far = moved(aside.solids[2], np.array([share * across_mm, 0, 0]))
        return replace(aside, solids=[*aside.solids[:2], far])

    assert alike(aside)
    assert alike(pushed(0.32))
    assert not alike(pushed(0.34))
    assert not alike(replace(aside, solids=aside.solids[:2], parts=aside.parts[:2]))
