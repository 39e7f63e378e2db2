"""A table that was described: a bump mends itself, a mat that is gone is said, and nothing but the mat leaves."""

import contextlib
import json
import math
import re
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.demo.things import VirtualTable
from companion.equipment.mat import mat
from companion.errors import BadInput
from companion.game.readings import DiceReading, Kind, Watching
from companion.game.readings.mat import LookAtMat
from tests.benches.mat import off, true_pose
from tests.vision.test_calibration import above, camera_with, seen_by
from vision.calibration.look_at_mat import Calibration
from vision.cameras.camera import Frame
from vision.scene.fields import pose_fields
from vision.scene.file import CORNERS, scene_of
from vision.scene.markers import marker_places, without_markers
from vision.scene.pose import detect_markers
from vision.scene.scene import Scene
from vision.virtual.camera import virtual_scene
from vision.virtual.painter import Painter
from vision.watch.known_table import KnownTable
from vision.watch.lookout import reader_for
from vision.watch.watch import Watch

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
    assert "I can't see the whole mat" in table.trouble
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


@pytest.mark.parametrize("kind", Kind)
def test_the_mat_is_looked_for_before_anything_but_dice_is_read(kind, monkeypatch):
    looked_in = []
    monkeypatch.setattr(KnownTable, "find", lambda _table, frame_bgr: looked_in.append(frame_bgr))
    frame_bgr = np.zeros((480, 640, 3), np.uint8)
    read = reader_for(KnownTable(virtual_scene()), Watching(kind))
    with contextlib.suppress(BadInput):  # the scene of dice lacks what others need
        read(frame_bgr)
    assert len(looked_in) == (0 if kind is Kind.DICE else 1)


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


CAMERA = {"width": 640, "height": 480, "fx": 600, "fy": 600, "cx": 320, "cy": 240}
SQUARE = [[0, 0], [20, 0], [20, -20], [0, -20]]
BOARD = {"n": 5, "cell_mm": 24, "grid_corners_mm_tl_tr_br_bl": SQUARE}


@pytest.mark.parametrize(
    ("odd", "named"),
    [
        ({"unit_mm": math.nan}, "unit_mm"),
        ({"unit_mm": math.inf}, "unit_mm"),
        ({"unit_mm": 10**400}, "unit_mm"),
        ({"piece": {"diameter_mm": math.nan, "thickness_mm": 3}}, "piece.diameter_mm"),
        ({"piece": {"diameter_mm": 1e-6, "thickness_mm": 3}}, "piece.diameter_mm"),
        ({"block_mm_long_mid_short": [60, 30, 1e-6]}, "block_mm_long_mid_short"),
        ({"board": {**BOARD, "grid_corners_mm_tl_tr_br_bl": [[math.nan, 0]] * 4}}, "board.grid_corners_mm"),
        ({"colour_by_length": {"²": "white"}}, "colour_by_length"),
        ({"references": {"9" * 5_000: {"card": 7}}}, "references"),
        ({"camera": {**CAMERA, "width": math.nan}}, "camera"),
        ({"camera": {**CAMERA, "height": math.inf}}, "camera"),
        ({"camera": {**CAMERA, "width": 0.5}}, "width"),
        ({"camera": {**CAMERA, "fx": math.nan}}, "camera"),
        ({"camera": {**CAMERA, "fx": 1e-9}}, "fx"),
        ({"camera": {**CAMERA, "fy": 1e18}}, "camera"),
        ({"camera": {**CAMERA, "dist": [0, 0, 0]}}, "camera.dist"),
        ({"camera": {**CAMERA, "t_mm": [math.nan, 0, 0]}}, "camera.t_mm"),
        ({"camera": {**CAMERA, "R_world_to_cam": [[0, 0, 0]] * 3}}, "camera.R_world_to_cam"),
        ({"markers": [{"id": math.nan, "corners_mm": SQUARE}]}, "id of a marker"),
        ({"markers": [{"id": 1, "corners_mm": 5}]}, "corners of a marker"),
        ({"markers": [{"id": 1, "corners_mm": SQUARE[:3]}]}, "corners of a marker"),
        ({"markers": [{"id": 1, "corners_mm": SQUARE, "dictionary": "Board"}]}, "dictionary of a marker"),
        ({"markers": [{"id": 1, "corners_mm": SQUARE, "dictionary": "__name__"}]}, "dictionary of a marker"),
        ({"markers": [{"id": 1, "corners_mm": SQUARE, "dictionary": [1]}]}, "dictionary of a marker"),
    ],
)
def test_what_no_picture_can_be_read_with_is_refused_by_its_name(odd, named):
    with pytest.raises(BadInput, match=re.escape(named)):
        scene_of(odd)


def test_every_distortion_that_opencv_knows_is_taken():
    for count in (0, 4, 5, 8, 12, 14):
        camera = scene_of({"camera": {**CAMERA, "dist": [0.01] * count}}).camera
        assert len(camera.distortion) == (count or 5)


def test_a_place_that_no_camera_can_have_is_said_as_a_mat_that_is_gone(fields):
    larger = [
        {**marker, CORNERS: [[3_000 * part for part in corner] for corner in marker[CORNERS]]}
        for marker in fields["markers"]
    ]
    table = KnownTable({**fields, "markers": larger})
    table.find(shown(STANDS))
    assert "I can't see the whole mat" in table.trouble


@pytest.mark.parametrize("none", [None, []])
def test_a_scene_may_name_no_colours_of_a_drawn_table(none):
    table = KnownTable({"colour_rgb": none})
    table.use_drawn(virtual_scene())
    assert table.scene({}).colour_rgb == scene_of(virtual_scene()).colour_rgb


def test_what_a_game_knows_goes_before_what_was_calibrated(fields):
    table = KnownTable(fields)
    assert table.scene({"die_size_mm": 12}).die_size_mm == 12
    assert table.scene({}).die_size_mm == 16.0


def test_markers_are_no_dice():
    """On a known mat they are painted over; on any other table none of the eight passes for a die."""
    frame_bgr = Painter().picture(VirtualTable(), 0)
    read = reader_for(KnownTable(virtual_scene()), Watching(Kind.DICE))
    assert read(frame_bgr) == DiceReading(1280, 960, ())
    without_a_mat = reader_for(KnownTable(), Watching(Kind.DICE))(frame_bgr)
    assert not any(die.accepted for die in without_a_mat.dice)


def test_a_marker_that_is_covered_is_not_painted_over(fields):
    table = KnownTable(fields)
    frame_bgr = shown(STANDS)
    scene = table.scene({})
    markers = scene.markers
    covered = frame_bgr.copy()
    corner = STANDS.project(np.array([markers[0].corners_mm[0]]))[0].astype(int)
    covered[corner[1] : corner[1] + 14, corner[0] : corner[0] + 60] = (10, 20, 250)
    assert markers[0].id not in detect_markers(covered, markers[0].dictionary)
    painted = without_markers(covered, scene)
    assert (painted[corner[1] + 5, corner[0] + 10] == (10, 20, 250)).all()
    assert without_markers(frame_bgr, Scene()) is frame_bgr
    assert not set(detect_markers(painted, markers[0].dictionary)) - {markers[0].id}


@pytest.mark.parametrize("stands", [STANDS, BUMPED, above(tilt_deg=8.0, far_mm=500.0)])
def test_markers_are_painted_over_wherever_the_camera_stands_now(fields, stands):
    """Where the scene says that they lie a quick look finds them, as well as a look at the whole picture does."""
    scene, frame_bgr = scene_of(fields), shown(stands)
    painted = without_markers(frame_bgr, scene)
    assert detect_markers(painted, scene.markers[0].dictionary) == {}
    by_the_whole = without_markers(frame_bgr, replace(scene, camera=None))
    assert (np.abs(painted.astype(int) - by_the_whole).max(axis=2) > 8).mean() < 0.0001


def test_only_markers_wholly_in_view_have_a_place_to_be_looked_for(fields):
    scene, frame_bgr = scene_of(fields), shown(STANDS)
    places = marker_places(frame_bgr, scene)
    assert set(places) == {marker.id for marker in scene.markers}
    for number, corners in detect_markers(frame_bgr, scene.markers[0].dictionary).items():
        left, top, right, bottom = places[number]
        assert ((corners > (left, top)) & (corners < (right, bottom))).all()
    assert marker_places(frame_bgr[:, :900], scene) == {}  # a picture of another shape
    closer = scene_of({**fields, "camera": {**fields["camera"], **pose_fields(above(tilt_deg=8.0, far_mm=400.0))}})
    assert len(marker_places(frame_bgr, closer)) < len(scene.markers)
