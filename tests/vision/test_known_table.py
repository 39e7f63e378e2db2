"""A table that was described: a bump mends itself, a mat that is gone is said, and nothing but the mat leaves."""

import json

import cv2
import numpy as np
import pytest

from companion.errors import BadInput
from companion.mat import mat
from companion.readings import DiceReading, Kind, Watching
from companion.readings.mat import LookAtMat
from companion.virtual_table import VirtualTable
from tests.vision.test_calibration import above, camera_with, seen_by
from vision.calibration import Calibration
from vision.camera import Frame
from vision.known_table import KnownTable
from vision.lookout import reader_for
from vision.markers import without_markers
from vision.mat_bench import off, true_pose
from vision.pose import detected_markers
from vision.virtual import Painter, virtual_scene
from vision.watch import Watch

STANDS = above(tilt_deg=8.0, far_mm=800.0)
BUMPED = above(tilt_deg=11.0, far_mm=790.0, aside_deg=10.0)


def shown(pose):
    return seen_by(pose, mat("dice"))


@pytest.fixture(scope="module")
def fields():
    seen = Calibration("webcam", camera_with(STANDS)).look(shown(STANDS), LookAtMat(0))
    assert seen.scene
    return seen.scene


def test_a_bumped_camera_finds_its_place_again(fields):
    table = KnownTable(fields)
    table.find(shown(BUMPED))
    assert table.trouble == ""
    assert off(true_pose(table.scene({}).camera), BUMPED)[0] < 0.5


def test_a_mat_that_is_gone_is_said_until_it_is_back(fields):
    table = KnownTable(fields)
    table.find(np.full((960, 1280, 3), 90, np.uint8))
    assert "not fully in view" in table.trouble
    assert off(true_pose(table.scene({}).camera), STANDS)[0] < 0.5  # as it stood
    table.find(shown(STANDS))
    assert table.trouble == ""


def test_what_lies_outside_the_mat_never_leaves(fields):
    frame_bgr = shown(STANDS)
    outline = STANDS.project(np.array(mat("dice").outline.corners_mm) * 1.35).astype(np.int32)  # past any margin
    face = np.full_like(frame_bgr, (10, 20, 250))
    cv2.fillConvexPoly(face, outline, (0, 0, 0))
    frame_bgr = np.where(face.any(axis=2, keepdims=True), face, frame_bgr)
    assert (frame_bgr[5, 5] == (10, 20, 250)).all()
    kept = KnownTable(fields).only_mat(frame_bgr)
    assert not (kept == (10, 20, 250)).all(axis=2).any()
    inside = STANDS.project(np.array([[0.0, 0.0, 0.0]]))[0].astype(int)
    assert (kept[inside[1], inside[0]] == frame_bgr[inside[1], inside[0]]).all()
    assert kept.shape == frame_bgr.shape  # so that pixels keep their places


def test_the_pictures_of_a_reading_show_the_mat_alone(fields):
    frame_bgr = shown(STANDS)
    frame_bgr[:20] = (10, 20, 250)
    table = KnownTable(fields)
    watch = Watch(lambda bgr: DiceReading(bgr.shape[1], bgr.shape[0], ()), live=False, show=table.only_mat)
    settled = watch.glance(Frame(frame_bgr, 0, 0))
    kept = cv2.imdecode(np.frombuffer(settled.frame_jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert int(kept[:10, :, 2].max()) < 150  # no red is left


def test_without_calibration_pictures_are_whole():
    frame_bgr = shown(STANDS)
    assert KnownTable().only_mat(frame_bgr) is frame_bgr


def test_a_picture_of_another_camera_is_left_alone(fields):
    other = np.zeros((400, 1280, 3), np.uint8)
    assert KnownTable(fields).only_mat(other).shape == other.shape


def test_what_is_no_scene_changes_nothing(fields, tmp_path):
    table = KnownTable(fields)
    with pytest.raises(BadInput, match="outline"):
        table.use({**fields, "mat": {"outline_mm_tl_tr_br_bl": [1, 2]}})
    assert table.scene({}).camera is not None
    (tmp_path / "scene.json").write_text(json.dumps(fields))
    assert KnownTable.at(tmp_path / "scene.json").scene({}).die_size_mm == 16.0
    assert KnownTable.at(None).scene({}).camera is None


def test_what_a_game_knows_goes_before_what_was_calibrated(fields):
    table = KnownTable(fields)
    assert table.scene({"die_size_mm": 12}).die_size_mm == 12
    assert table.scene({}).die_size_mm == 16.0


def test_markers_are_no_dice():
    """A reader of dice takes some of the eight for dice, or for something like them, and asks."""
    frame_bgr = Painter().picture(VirtualTable(), 0)
    read = reader_for(KnownTable(virtual_scene()), Watching(Kind.DICE))
    assert read(frame_bgr) == DiceReading(1280, 960, ())
    without_a_mat = reader_for(KnownTable(), Watching(Kind.DICE))(frame_bgr)
    assert len(without_a_mat.dice) + len(without_a_mat.unread) > 0
    assert not any(die.accepted for die in without_a_mat.dice)


def test_a_marker_that_is_covered_is_not_painted_over(fields):
    table = KnownTable(fields)
    frame_bgr = shown(STANDS)
    markers = table.scene({}).markers
    covered = frame_bgr.copy()
    corner = STANDS.project(np.array([markers[0].corners_mm[0]]))[0].astype(int)
    covered[corner[1] : corner[1] + 14, corner[0] : corner[0] + 60] = (10, 20, 250)
    assert markers[0].id not in detected_markers(covered, markers[0].dictionary)
    painted = without_markers(covered, markers)
    assert (painted[corner[1] + 5, corner[0] + 10] == (10, 20, 250)).all()
    assert without_markers(frame_bgr, ()) is frame_bgr
    assert not set(detected_markers(painted, markers[0].dictionary)) - {markers[0].id}
