"""Cuts around the tops of boxes: what is higher leans upwards in them, and places in them are places on the table."""

import cv2
import numpy as np
import pytest

from vision.load.cuts import CUT_PX, SQUARE, UNIT_PX, cutter_of
from vision.load.flat import seen_at
from vision.load.reader import KINDS, beside_the_trucks
from vision.scene.pose import Pose
from vision.scene.scene import Truck
from vision.training.drawn.tabletop import random_camera

UNIT = 12.0
TRUCK = Truck(5, 3, 2, ((True,) * 5,) * 3, UNIT, ((-30, 18, 1.2), (30, 18, 1.2), (30, -18, 1.2), (-30, -18, 1.2)))


@pytest.fixture(params=range(6))
def pose(request) -> Pose:
    return random_camera(np.random.default_rng([5, request.param]), 35, 400.0)[0]


def test_what_is_higher_leans_upwards_in_a_cut(pose):
    cutter = cutter_of(np.zeros((960, 1280, 3), np.uint8), pose, UNIT, ())
    spots = np.array([[70.0, -40.0], [-60.0, 55.0], [5.0, 80.0]])
    axes, leans = cutter.axes_at(spots)
    higher = seen_at(pose, np.column_stack([spots, np.full(3, 2 * UNIT)]), UNIT)
    moved = np.einsum("nij,nj->ni", axes, higher - spots) / UNIT
    # what stands two units high is nearer the camera, so it leans a little more than twice as much as one
    assert moved[:, 0] == pytest.approx(0, abs=1e-6)
    assert (-moved[:, 1]) == pytest.approx(leans, rel=0.03)


def test_a_thing_one_unit_higher_looks_so_much_larger(pose):
    frame = np.zeros((960, 1280, 3), np.uint8)
    low, high = (np.diff(seen_at(pose, np.array([[0.0, 0, z], [9.0, 0, z]]), 0)[:, 0])[0] for z in (UNIT, 2 * UNIT))
    assert high / low - 1 == pytest.approx(cutter_of(frame, pose, UNIT, ()).nearer, rel=0.05)


def test_a_place_in_a_cut_is_a_place_on_the_table(pose):
    mark = np.array([31.0, -44.0])
    frame = np.zeros((960, 1280, 3), np.uint8)
    ((x, y),) = pose.project(np.array([[*mark, UNIT]]))
    cv2.circle(frame, (round(x), round(y)), 4, (255, 255, 255), -1, cv2.LINE_AA)
    cutter = cutter_of(frame, pose, UNIT, ())
    spot = mark + np.array([9.0, 13.0])
    pictures, _masks, _leans = cutter.cut(spot[None])
    shown = pictures[0].astype(float).sum(axis=2)
    assert shown.max() > 200
    rows, columns = np.indices(shown.shape)
    middle = np.array([(columns * shown).sum(), (rows * shown).sum()]) / shown.sum()
    moved = (middle + 0.5 - CUT_PX / 2) / UNIT_PX
    assert cutter.places(spot[None], moved[None])[0] == pytest.approx(mark, abs=0.06 * UNIT)


def test_the_mask_shows_the_loading_area_and_the_square_that_is_asked_about(pose):
    cutter = cutter_of(np.zeros((960, 1280, 3), np.uint8), pose, UNIT, (TRUCK,))
    square = np.array([[-6.0, 6, 1.2], [6, 6, 1.2], [6, -6, 1.2], [-6, -6, 1.2]])
    middle = seen_at(pose, np.array([[0.0, 0, 1.2]]), UNIT)
    _pictures, masks, _leans = cutter.cut(middle, square[None])
    assert masks[0, CUT_PX // 2, CUT_PX // 2] == SQUARE
    assert (masks[0] == SQUARE).sum() == pytest.approx(UNIT_PX**2, rel=0.25)
    assert (masks[0] > 0).sum() == pytest.approx(15 * UNIT_PX**2, rel=0.15)


def test_what_would_stand_on_a_loading_area_is_no_left_over(pose):
    cutter = cutter_of(np.zeros((960, 1280, 3), np.uint8), pose, UNIT, (TRUCK,))
    here, far = np.array([0.0, 0.0]), np.array([0.0, 90.0])
    beside = beside_the_trucks(np.array([here, far]), cutter)
    lying = [not standing for _length, standing in KINDS]
    assert not beside[0, lying].any()
    assert beside[1, lying].all()
