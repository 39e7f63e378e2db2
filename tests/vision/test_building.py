"""Stacks watched while they are built: where each block stands, and when the last picture alone has to do."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from vision.scene.file import scene_of
from vision.scene.scene import Scene, StackReference
from vision.tower.building import Building
from vision.tower.crop import front_of
from vision.tower.fit import ways_of
from vision.tower.match import watched_odds
from vision.tower.outline import find_spot, new_edges
from vision.tower.reader import find_stacks, read_tower
from vision.tower.since import TowerSince, with_watched
from vision.training.drawn.buildings import Film, course_of, random_film
from vision.training.drawn.tower_designs import Part, random_kit
from vision.training.drawn.tower_rooms import random_pose, random_room
from vision.training.drawn.towers import build_stack

HANDS_MM = 1.6  # by which a hand misses, one sigma (`build_stack`)
DESIGN = ((Part("flat_x", 0.0),), (Part("up_y", 8.0),), (Part("edge_x", 0.0),))


@pytest.fixture(scope="module")
def filmed():
    """A film of one stack of three levels, its looks, and its scene."""
    rng = np.random.default_rng([8300, 1])
    kit, centres = random_kit(rng), [(0.0, 0.0)]
    stack = build_stack(rng, kit, DESIGN, 1, centres[0])
    film = Film(rng, kit, random_room(rng, kit, centres), random_pose(rng, wide=False), centres, [stack], {})
    looks = list(film.looks())
    return film, looks, scene_of(film.entry("film"))


def building_of(scene: Scene) -> Building:
    assert scene.block_mm is not None
    front = front_of(scene.pose(np.zeros((960, 1280, 3), np.uint8)), scene.spaces_mm[0], sorted(scene.block_mm)[1])
    return Building(front, ways_of(scene.block_mm, scene.cylinder_mm), np.inf)


def watched(scene, looks):
    building = building_of(scene)
    for look in looks:
        building.look(building.front.cut(look.frame_bgr))
    return building


def test_a_film_begins_empty_and_ends_with_what_its_labels_say(filmed):
    film, looks, _scene = filmed
    assert looks[0].still
    assert looks[0].standing == {1: ()}
    assert any(not look.still for look in looks)
    places = [block["position_mm"] for block in film.entry("film")["stacks"][0]["blocks"]]
    assert np.allclose(places, [solid.centre_mm for solid in looks[-1].standing[1]], atol=0.01)


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


def test_each_block_is_placed_better_than_a_hand_puts_it(filmed):
    film, looks, scene = filmed
    found = watched(scene, looks).result()
    assert found is not None
    course, _lead = found
    assert [(came.piece.level, came.piece.way.name) for came in course.came] == [
        (level, part.way) for level, parts in enumerate(DESIGN) for part in parts
    ]
    errors = [came.x_mm - solid.centre_mm[0] for came, solid in zip(course.came, film.stacks[0].solids, strict=True)]
    assert np.abs(errors - np.median(errors)).max() < HANDS_MM / 2


def test_an_outline_alone_tells_the_place(filmed):
    _film, looks, scene = filmed
    building = building_of(scene)
    still = [look for look in looks if look.still]
    empty = next(look for look in still if not look.standing[1])
    first = next(look for look in still if look.standing[1])
    edges = new_edges(*(building.front.cut(look.frame_bgr).astype(np.float32) for look in (empty, first)))
    way = next(way for way in ways_of(scene.block_mm, scene.cylinder_mm) if way.name == DESIGN[0][0].way)
    true_mm = first.standing[1][0].centre_mm
    spot = find_spot(edges, building.front, way, 0.0, true_mm[0] + 2, true_mm[1])
    assert abs(spot.x_mm - true_mm[0]) < HANDS_MM / 2


def test_an_arm_before_the_stack_leaves_it_to_the_picture(filmed):
    _film, looks, scene = filmed
    arm = next(look for look in reversed(looks) if not look.still)
    building = watched(scene, [*looks, arm])
    assert building.result() is None
    (space,) = find_stacks(looks[-1].frame_bgr, scene)
    assert with_watched(space, building).watched is None


def test_who_joins_late_reads_as_from_one_picture(filmed):
    _film, looks, scene = filmed
    scene = replace(scene, references={1: StackReference(card=1)})
    frame = looks[-1].frame_bgr
    assert TowerSince(lambda _frame: scene)(frame) == read_tower(frame, scene)


def test_places_like_those_of_hands_are_the_same_and_a_block_far_off_is_not():
    fair, moved = [0.5, -1.0, 0.8, 0.2, -0.6], [0.5, -1.0, 12.0, 0.2, -0.6]
    sigmas = [0.4] * 5
    assert watched_odds(fair, sigmas, 2, 3.0) < -4
    assert watched_odds(moved, sigmas, 2, 3.0) > 4
    assert watched_odds([place + 12 for place in fair], sigmas, 2, 3.0) < -4  # the whole stack stands elsewhere


def test_a_place_that_was_measured_badly_says_less():
    shifts = [0.5, -1.0, 2.9, 0.2, -0.6]
    assert watched_odds(shifts, [0.4] * 5, 2, 3.0) < watched_odds(shifts, [2.0] * 5, 2, 3.0)


def test_a_card_which_nobody_built_leaves_half_the_play():
    shifts = [0.5, -1.0, 5.2, 0.2, -0.6]
    assert watched_odds(shifts, [0.4] * 5, 1, 3.0) > watched_odds(shifts, [0.4] * 5, 2, 3.0)
