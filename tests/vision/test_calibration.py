"""Calibration on drawn mats whose camera is known: where it stands, whether that is enough, and what to do when not."""

import math
import tomllib
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.demo.things import TableDie, VirtualTable
from companion.equipment.mat import DICTIONARY, mat
from companion.game.readings.mat import LookAtMat, Tap, Verdict
from tests.benches.mat import off, true_pose
from vision.board.reader import read_board
from vision.calibration.look_at_mat import Calibration, look_at
from vision.load.reader import read_load
from vision.scene.file import camera_of, scene_of
from vision.scene.lenses import LENSES, View, Views
from vision.scene.pose import Pose, detect_markers
from vision.training.drawn.mats import HEIGHT_PX, WIDTH_PX, at_picture_size, render_mat, table_with_mat
from vision.virtual.camera import CAMERA, virtual_scene
from vision.virtual.dice import resting_pose
from vision.virtual.painter import Painter
from vision.virtual.view import project

CAMERAS = Path(__file__).parents[2] / "hardware" / "cameras.toml"
WISH = LookAtMat(0)


def above(tilt_deg=8.0, far_mm=700.0, focal_px=1900.0, aside_deg=0.0):
    """A camera over the mat, without lens distortion."""
    tilt, aside = np.radians(tilt_deg), np.radians(aside_deg)
    away = np.array([np.sin(tilt) * np.sin(aside), -np.sin(tilt) * np.cos(aside), np.cos(tilt)])
    right = np.cross(-away, [0.0, 1.0, 0.0])
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(-away, right), -away])
    matrix = np.array([[focal_px, 0, (WIDTH_PX - 1) / 2], [0, focal_px, (HEIGHT_PX - 1) / 2], [0, 0, 1.0]])
    return Pose(matrix, np.zeros(5), rotation, -rotation @ (away * far_mm))


def camera_with(pose):
    focal = float(pose.intrinsics[0, 0])
    fields = {"width": WIDTH_PX, "height": HEIGHT_PX, "fx": focal, "fy": focal}
    return camera_of({**fields, "cx": (WIDTH_PX - 1) / 2, "cy": (HEIGHT_PX - 1) / 2})


def seen_by(pose, printed):
    """The mat on a table, in good light."""
    return (at_picture_size(table_with_mat(np.random.default_rng(4), printed, pose)[0]) * 255).astype(np.uint8)


@pytest.fixture(scope="module")
def empty_demo():
    return Painter().picture(VirtualTable(), 0)


def verdicts(look):
    return {check.name: check.verdict for check in look.checks}


@pytest.mark.parametrize("number", range(6))
def test_the_camera_is_found_to_a_millimetre_in_pictures_of_every_kind(number):
    frame_bgr, label = render_mat(7, number)
    truth = camera_of(label["camera"])
    view = look_at(frame_bgr, replace(truth, rotation=None, shift_mm=None), 16.0)
    assert view.mat is not None
    assert view.mat.name == label["mat"]["name"]
    off_mm, off_deg = off(view.pose, true_pose(truth))
    assert off_mm < 1.0
    assert off_deg < 0.6


def test_the_demos_table_is_good_and_its_own_scene_says_the_same(empty_demo):
    view = look_at(empty_demo, CAMERA, 16.0)
    assert set(verdicts(view).values()) == {Verdict.OK}
    scene = scene_of(virtual_scene())
    off_mm, off_deg = off(view.pose, true_pose(scene.camera))
    assert off_mm < 0.2
    assert off_deg < 0.1


def test_without_a_mat_one_sentence_says_what_to_do():
    view = look_at(np.full((480, 640, 3), 90, np.uint8), CAMERA, 16.0)
    assert [check.verdict for check in view.checks] == [Verdict.BAD]
    assert "Print one with" in view.checks[0].text
    assert not view.is_good


@pytest.mark.parametrize("shape", [(1, 1, 3), (1, 20_000, 3), (3000, 3000, 3)])
def test_strange_pictures_are_no_error(shape):
    assert look_at(np.zeros(shape, np.uint8), CAMERA, 16.0).pose is None


def test_markers_of_a_large_picture_are_as_exact_as_those_of_a_small_one(empty_demo):
    """The Pi's camera gives 2304 pixels; they are found on fewer and sharpened on all."""
    twice = cv2.resize(empty_demo, None, fx=1.8, fy=1.8, interpolation=cv2.INTER_CUBIC)
    small, large = (detect_markers(shown, DICTIONARY) for shown in (empty_demo, twice))
    assert set(small) == set(large)
    for number, corners in small.items():
        assert np.abs((large[number] + 0.5) / 1.8 - 0.5 - corners).max() < 0.3


def test_each_thing_that_may_be_wrong_is_told_apart(empty_demo):
    blurred = cv2.GaussianBlur(empty_demo, (0, 0), 2.8)
    assert verdicts(look_at(blurred, CAMERA, 16.0))["focus"] is not Verdict.OK
    dark = (empty_demo * 0.25).astype(np.uint8)
    assert verdicts(look_at(dark, CAMERA, 16.0))["light"] is Verdict.BAD
    lamp = empty_demo.copy()
    cv2.circle(lamp, (640, 480), 90, (255, 255, 255), cv2.FILLED)
    assert verdicts(look_at(lamp, CAMERA, 16.0))["glare"] is Verdict.WARN
    assert verdicts(look_at(empty_demo, CAMERA, 6.0))["size"] is Verdict.BAD
    half = empty_demo.copy()
    half[:, 640:] = 30
    assert verdicts(look_at(half, CAMERA, 16.0))["markers"] is Verdict.BAD
    folded = empty_demo.copy()
    folded[120:230, 120:260] = np.roll(empty_demo[120:230, 120:260], (-9, -9), axis=(0, 1))
    moved = look_at(folded, CAMERA, 16.0)
    assert verdicts(moved)["fit"] is not Verdict.OK
    assert off(moved.pose, true_pose(scene_of(virtual_scene()).camera))[0] < 0.5  # the other seven agree


def test_from_the_side_the_tilt_is_told_but_not_on_the_mat_for_towers():
    pose = above(tilt_deg=40.0, far_mm=900.0)
    assert verdicts(look_at(seen_by(pose, mat("dice")), camera_with(pose), 16.0))["tilt"] is Verdict.WARN
    assert "tilt" not in verdicts(look_at(seen_by(pose, mat("towers")), camera_with(pose), 16.0))


def test_the_scene_has_every_key_that_readers_want(empty_demo):
    seen = Calibration("webcam", CAMERA).look(empty_demo, WISH)
    scene = scene_of(seen.scene)
    assert scene.camera.rotation is not None
    assert [marker.id for marker in scene.markers] == [0, 1, 2, 3, 7, 8, 9, 36]
    assert scene.die_size_mm == 16.0
    assert len(scene.outline_mm) == 4
    printed = mat("all", 5)
    frame_bgr = seen_by(pose := above(far_mm=800.0), printed)
    all_of_it = scene_of(Calibration("webcam", camera_with(pose)).look(frame_bgr, WISH).scene)
    assert (all_of_it.board.n, all_of_it.board.cell_mm) == (5, printed.grid.cell_mm)
    assert len(all_of_it.spaces_mm) == 4


def test_a_board_is_read_by_what_the_page_saves_of_it():
    """Also where nobody measured a piece; one that was measured goes before, and a mat without a board has none."""
    frame_bgr = Painter().picture(VirtualTable(mat="board", board_n=5), 0)
    calibration = Calibration("webcam", CAMERA)
    saved = calibration.look(frame_bgr, WISH).scene
    assert saved["piece"] == {"diameter_mm": 23.8, "thickness_mm": 6.6}
    shown = scene_of({**saved, "colour_rgb": {"red": [190, 30, 40]}})
    assert {cell.height for row in read_board(frame_bgr, shown).cells for cell in row} == {0}
    wish = replace(WISH, diameter_mm=20.0, thickness_mm=1.5)
    assert calibration.look(frame_bgr, wish).scene["piece"] == {"diameter_mm": 20.0, "thickness_mm": 1.5}
    assert "unit_mm" not in saved


def test_the_smallest_box_is_told_of_a_mat_with_trucks():
    frame_bgr = seen_by(pose := above(far_mm=800.0), mat("loads"))
    calibration = Calibration("webcam", camera_with(pose))
    saved = calibration.look(frame_bgr, WISH).scene
    assert saved["unit_mm"] == 12.0
    assert "piece" not in saved
    read_load(frame_bgr, scene_of(saved))  # which misses nothing
    assert calibration.look(frame_bgr, replace(WISH, unit_mm=15.0)).scene["unit_mm"] == 15.0


def test_squares_of_another_size_are_taken_over_or_refused():
    frame_bgr = seen_by(pose := above(far_mm=800.0), mat("board", 6))
    seen = Calibration("webcam", camera_with(pose)).look(frame_bgr, replace(WISH, cell_mm=25.0))
    assert seen.scene["board"]["cell_mm"] == 25.0
    refused = Calibration("webcam", camera_with(pose)).look(frame_bgr, replace(WISH, cell_mm=50.0))
    assert not refused.scene
    assert "don't fit on this mat" in refused.checks[0].text


def test_the_makers_angles_are_those_of_the_camera_table():
    """../hardware/cameras.toml has the sources."""
    angles = {camera["name"]: camera for camera in tomllib.loads(CAMERAS.read_text())["camera"]}
    for lens in LENSES.values():
        data = next(camera for name, camera in angles.items() if name.startswith(lens.title))
        if "wide_deg" in data:
            wide = 2 * math.tan(math.radians(data["wide_deg"]) / 2)
        elif "sensor_mm" in data:
            wide = data["sensor_mm"][0] / data["lens_mm"]
        else:
            wide = 2 * math.tan(math.radians(data["corner_deg"]) / 2) * 16 / math.hypot(16, 9)
        assert lens.focal == pytest.approx(1 / wide)


def view_of(pose, random, noise_px=0.2):
    points = np.array([corner for fiducial in mat("dice").fiducials for corner in fiducial.place.corners_mm])
    return View(points, pose.project(points) + random.normal(0, noise_px, (len(points), 2)), pose.rotation[:, 2])


def test_a_lens_is_measured_by_lifting_the_mat_and_only_then():
    random = np.random.default_rng(3)
    true_px = 1500.0  # what a webcam's 78 degrees do not say: 904
    flat = Views()
    assert sum(flat.add(view_of(above(tilt, 700, true_px), random)) for tilt in (0, 1, 2, 3)) == 1
    assert flat.camera(WIDTH_PX, HEIGHT_PX, LENSES["webcam"]) is None
    lifted = Views()
    for aside_deg in (0, 90, 180, 270):
        lifted.add(view_of(above(5, 700, true_px, aside_deg), random))
        lifted.add(view_of(above(30, 700, true_px, aside_deg), random))
    measured = lifted.camera(WIDTH_PX, HEIGHT_PX, LENSES["webcam"])
    assert measured.focal[0] == pytest.approx(true_px, rel=0.01)


def test_a_die_that_is_touched_gives_its_colour():
    dice = (TableDie("a", 4, 150.0, 150.0, 20.0, "red"), TableDie("b", 2, 250.0, 150.0, 40.0, "blue"))
    frame_bgr = Painter().picture(VirtualTable(dice), 0)
    x, y = project(np.array([resting_pose(dice[1]).centre_mm]))[0]
    height, width = frame_bgr.shape[:2]
    calibration = Calibration("webcam", CAMERA)
    seen = calibration.look(frame_bgr, replace(WISH, tap=Tap("1", "blue", x / width, y / height)))
    assert seen.tapped == ("1", "")
    red, green, blue = seen.scene["colour_rgb"]["blue"]
    assert blue > 1.5 * red
    assert blue > green
    nothing = calibration.look(frame_bgr, replace(WISH, tap=Tap("2", "red", 0.5, 0.2)))
    assert "I can't see a die or piece there" in nothing.tapped[1]
    assert set(nothing.colours) == {"blue"}


def test_a_round_piece_that_is_touched_gives_its_colour():
    frame_bgr = Painter().picture(VirtualTable(()), 0)
    middle_mm = np.array([1, 1, 0]) * resting_pose(TableDie("a", 4, 200.0, 150.0, 0.0, "red")).centre_mm
    place, rim = project(middle_mm + np.array([[0, 0, 0], [11, 0, 0]]))  # 22 mm wide
    radius = round(float(np.linalg.norm(rim - place)))
    cv2.circle(frame_bgr, tuple(np.rint(place).astype(int).tolist()), radius, (170, 125, 230), cv2.FILLED)
    height, width = frame_bgr.shape[:2]
    calibration = Calibration("webcam", CAMERA)
    seen = calibration.look(frame_bgr, replace(WISH, tap=Tap("1", "pink", place[0] / width, place[1] / height)))
    assert seen.tapped == ("1", "")
    assert seen.scene["colour_rgb"]["pink"] == [230.0, 125.0, 170.0]
    aside = Tap("2", "red", (place[0] + 4 * radius) / width, place[1] / height)
    beside = calibration.look(frame_bgr, replace(WISH, tap=aside))
    assert "I can't see a die or piece there" in beside.tapped[1]
