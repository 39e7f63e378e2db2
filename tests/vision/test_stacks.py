"""Dice in stacks: the top die and the height, judged on scenes drawn here with known truth."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.__main__ import main
from companion.errors import BadInput
from companion.game.readings import Box, DieReading
from tests.benches import reader_photos
from vision.scene.file import scene_of
from vision.scene.scene import Pose, Scene, SceneCamera
from vision.stacks.reader import (
    FACE_PX,
    LEVEL_PX,
    MOST_LEVELS,
    TALL_PX,
    TOP_Y_PX,
    WIDE_PX,
    StackReading,
    StacksReading,
    covers,
    cut_of,
    height_chances,
    is_under,
    level_rows,
    marks_of,
    read_stacks,
    stack_of,
)
from vision.training.drawn.stacks import render_stacks

JUDGED_SEED = 23  # neither the network's pictures (21) nor those its threshold was set on (22)
JUDGED = 5
DOWN = np.diag([1.0, -1.0, -1.0])  # a camera that looks straight down


@pytest.fixture(scope="module")
def scenes() -> list[tuple[np.ndarray, dict[str, Any]]]:
    cv2.setNumThreads(1)
    return [render_stacks(np.random.default_rng([JUDGED_SEED, index])) for index in range(JUDGED)]


@pytest.fixture(scope="module")
def readings(scenes) -> list[StacksReading]:
    return [read_stacks(picture, scene_of(labels)) for picture, labels in scenes]


def met(labels: dict[str, Any], reading: StacksReading) -> list[tuple[dict[str, Any], StackReading]]:
    """Labelled stacks in full view with the reading whose top die lies there."""
    pairs = []
    for label in labels["stacks"]:
        size = np.sqrt(cv2.contourArea(np.array(label["top_face_px"], np.float32)))
        near = [
            stack for stack in reading.stacks if np.hypot(*(np.array(label["top_centre_px"]) - place(stack))) < size / 2
        ]
        if label["top_visible"] > 0.9 and near:
            pairs.append((label, near[0]))
    return pairs


def place(stack: StackReading) -> np.ndarray:
    return np.array([stack.top.cx, stack.top.cy])


@pytest.fixture(scope="module")
def pairs(scenes, readings) -> list[tuple[dict[str, Any], StackReading]]:
    return [pair for (_, labels), reading in zip(scenes, readings, strict=True) for pair in met(labels, reading)]


def test_most_stacks_in_full_view_are_found(scenes, pairs):
    in_view = sum(stack["top_visible"] > 0.9 for _, labels in scenes for stack in labels["stacks"])
    assert len(pairs) >= 0.7 * in_view


def test_most_heights_are_right(pairs):
    assert sum(label["height"] == stack.height for label, stack in pairs) >= 0.65 * len(pairs)


def test_hardly_a_wrong_height_is_accepted(pairs):
    assert sum(label["height"] != stack.height and stack.height_accepted for label, stack in pairs) <= 0.03 * len(pairs)


@pytest.mark.parametrize("stated", [0.75, 1.5])
def test_no_height_is_accepted_where_the_dice_are_not_as_large_as_the_scene_says(scenes, stated):
    """Every level would be measured with the wrong step, all stacks of the picture alike."""
    picture, labels = scenes[0]
    scene = scene_of(labels)
    told = read_stacks(picture, replace(scene, die_size_mm=stated * scene.die_size_mm))
    assert told.stacks
    assert not any(stack.height_accepted for stack in told.stacks)


def test_side_faces_and_lower_dice_are_no_stacks(scenes, readings):
    found = sum(len(reading.stacks) for reading in readings)
    there = sum(len(labels["stacks"]) for _, labels in scenes)
    assert found <= 1.15 * there


@pytest.mark.parametrize(
    ("at_px", "height", "under"),
    [
        (910.0, 3, False),  # a stack that stands one and a half dice nearer, its top over the sides of the other
        (930.0, 1, True),  # a face in the middle of these sides: a stack of that height would stand in the other
    ],
)
def test_a_top_before_the_sides_of_another_stack_is_a_stack_where_both_have_room(at_px, height, under):
    side = 16.0
    pose = Pose(np.array([[900.0, 0, 640], [0, 900, 480], [0, 0, 1]]), np.zeros(5), DOWN, np.array([0, 0, 800.0]))
    scene = Scene(die_size_mm=side)

    def seen(x_px: float, levels: int) -> StackReading:
        die = DieReading(5, x_px, 480.0, 18.0, 18.0, 0.0, None, 0.99, True, (), None, (0.0, 0.0, 0.0))
        return stack_of(die, pose, side, np.eye(MOST_LEVELS)[levels - 1])

    behind, before = seen(640 + 305.7, 4), seen(at_px, height)
    assert covers(behind, Box(at_px, 480.0, 18.0, 18.0), pose, scene)
    assert is_under(before, behind, pose, scene) is under


def test_straight_below_the_camera_a_stack_does_not_lean_and_aside_it_does():
    pose = Pose(np.array([[900.0, 0, 640], [0, 900, 480], [0, 0, 1]]), np.zeros(5), DOWN, np.array([0.0, 0.0, 800.0]))
    assert cut_of(pose, 16.0, np.array([640.0, 480.0]), 0).lean < 1e-6
    assert cut_of(pose, 16.0, np.array([1000.0, 480.0]), 0).lean == pytest.approx(360 / 900, rel=0.05)


@pytest.mark.parametrize("height_mm", [600.0, 900.0])
def test_a_face_one_level_higher_looks_so_much_larger(height_mm):
    pose = Pose(np.array([[900.0, 0, 640], [0, 900, 480], [0, 0, 1]]), np.zeros(5), DOWN, np.array([0, 0, height_mm]))

    def side_px(level: int) -> float:
        left, right = pose.project(np.array([[-8.0, 0, 16 * level], [8.0, 0, 16 * level]]))
        return float(right[0] - left[0])

    nearer = cut_of(pose, 16.0, np.array([640.0, 480.0]), 0).nearer
    assert side_px(2) / side_px(1) - 1 < 1.01 * nearer
    assert side_px(3) / side_px(2) - 1 == pytest.approx(nearer, rel=0.06)


@pytest.mark.parametrize("aside_px", [60, 150, 300])
@pytest.mark.parametrize("yaw_deg", [0, 20, 45, 70])
def test_each_level_is_equally_tall_in_the_crop(aside_px, yaw_deg):
    """The near edge of a foot lies so many times LEVEL_PX below the top's; within 1.5 pixels of the picture."""
    side = 16.0
    pose = Pose(np.array([[900.0, 0, 640], [0, 900, 480], [0, 0, 1]]), np.zeros(5), DOWN, np.array([0, 0, 800.0]))
    top_px = np.array([640.0 + aside_px, 480.0])
    top = pose.on_plane(top_px, 2 * side)
    angles = np.radians(yaw_deg) + np.pi / 2 * np.arange(4)
    middles = side / 2 * np.stack([np.cos(angles), np.sin(angles), np.zeros(4)], axis=1)  # of the top's edges
    across = np.subtract(*pose.project(top + middles[[0, 2]]))
    cut = cut_of(pose, side, top_px, float(np.degrees(np.arctan2(across[1], across[0]))))
    rows = level_rows(cut)

    def shown_at(down: int) -> float:
        foot_px = pose.project(top + middles - [0, 0, down * side])
        column, row = max((cut.matrix @ np.append(point, 1) for point in foot_px), key=lambda point: point[1])
        first = int(column)
        beside = [np.interp(row, rows[:, column], np.arange(TALL_PX)) for column in (first, first + 1)]
        return float(np.interp(column, [first, first + 1], beside))

    pixel = LEVEL_PX / (FACE_PX * cut.lean)
    for down in (1, 2):
        assert shown_at(down) - shown_at(0) == pytest.approx(down * LEVEL_PX, abs=1.5 * pixel)


@pytest.mark.parametrize("tilt_deg", [0, 20])
def test_other_tops_are_marked_where_the_crop_shows_them(tilt_deg):
    """Whichever row of the upright stack the crop shows there, it is the one in which the other top lies."""
    tilt = np.radians(tilt_deg)
    turned = np.array([[1, 0, 0], [0, -np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), -np.cos(tilt)]])
    pose = Pose(np.array([[900.0, 0, 640], [0, 900, 480], [0, 0, 1]]), np.zeros(5), turned, np.array([0, 0, 800.0]))
    cut = cut_of(pose, 16.0, np.array([900.0, 500.0]), 30.0)
    upright = np.array([[WIDE_PX / 2, TOP_Y_PX - 25.0], [WIDE_PX / 2 + 3, TOP_Y_PX + 30.0]])  # behind, and below it
    there_px = (upright - cut.matrix[:, 2]) @ np.linalg.inv(cut.matrix[:, :2]).T
    for at, other_px in zip(upright, there_px, strict=True):
        rows, columns = np.nonzero(marks_of(cut, other_px[None]))
        column, row = columns.mean(), rows.mean()
        assert column == pytest.approx(at[0], abs=0.6)
        assert level_rows(cut)[round(row), round(column)] == pytest.approx(at[1], abs=0.6)
    assert not marks_of(cut, np.zeros((0, 2))).any()


def test_what_a_picture_shows_is_told_in_any_order(scenes, readings):
    picture, labels = scenes[0]
    scene, dice = scene_of(labels), tuple(stack.top for stack in readings[0].stacks)
    chances = height_chances(picture, scene.pose(picture), scene.die_size_mm, dice)
    other_way = height_chances(picture, scene.pose(picture), scene.die_size_mm, dice[::-1])
    np.testing.assert_allclose(chances, other_way[::-1], atol=1e-4)
    assert height_chances(picture, scene.pose(picture), scene.die_size_mm, ()).shape == (0, MOST_LEVELS)


def test_the_place_of_a_die_on_the_table_is_found_in_millimetres():
    pose = Pose(np.diag([1000.0, 1000.0, 1.0]), np.zeros(5), DOWN, np.array([0.0, 0.0, 800.0]))
    point = np.array([50.0, -30.0, 32.0])
    assert pose.on_plane(pose.project(point[None])[0], 32.0) == pytest.approx(point, abs=1e-6)


def test_a_smaller_picture_of_the_same_camera_has_the_same_pose(scenes):
    picture, labels = scenes[0]
    scene = scene_of(labels)
    whole, half = scene.pose(picture), scene.pose(cv2.resize(picture, None, fx=0.5, fy=0.5))
    point = np.array([[10.0, 20.0, 0.0]])
    assert half.project(point) * 2 == pytest.approx(whole.project(point), abs=1e-6)


def test_markers_in_view_tell_where_the_camera_stands():
    tags = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    intrinsics = np.array([[1100.0, 0, 640], [0, 1100.0, 480], [0, 0, 1]])
    true = Pose(intrinsics, np.zeros(5), DOWN, np.array([5.0, -8.0, 700.0]))
    picture = np.full((960, 1280, 3), 210, np.uint8)
    markers = []
    for number, (x, y) in enumerate([(-150, 120), (110, 120), (110, -80), (-150, -80)]):
        corners = [[x, y, 0], [x + 40, y, 0], [x + 40, y - 40, 0], [x, y - 40, 0]]
        tag = cv2.cvtColor(cv2.aruco.generateImageMarker(tags, number, 200), cv2.COLOR_GRAY2BGR)
        drawn = true.project(np.array(corners, float)).astype(np.float32)
        to_frame = cv2.getPerspectiveTransform(np.array([[0, 0], [200, 0], [200, 200], [0, 200]], np.float32), drawn)
        cv2.warpPerspective(tag, to_frame, (1280, 960), dst=picture, borderMode=cv2.BORDER_TRANSPARENT)
        markers.append({"id": number, "corners_mm_tl_tr_br_bl": corners})
    camera = {"width": 1280, "height": 960, "fx": 1100, "fy": 1100, "cx": 640, "cy": 480}
    pose = scene_of({"camera": camera, "markers": markers}).pose(picture)
    assert pose.shift_mm == pytest.approx(true.shift_mm, abs=5)
    with pytest.raises(BadInput, match="I see only"):
        scene_of({"camera": camera, "markers": markers}).pose(np.full_like(picture, 210))


@pytest.mark.parametrize(
    ("scene", "missing"),
    [
        (None, "die_size_mm"),
        (Scene(die_size_mm=16.0), "no camera"),
        (
            Scene(die_size_mm=16.0, camera=SceneCamera(640, 480, (500, 500), (320, 240))),
            "and no markers to find it by",
        ),
        (Scene(die_size_mm=16.0, camera=SceneCamera(480, 640, (500, 500), (320, 240))), "calibrated camera"),
    ],
)
def test_what_the_scene_lacks_is_named(scene, missing):
    with pytest.raises(BadInput, match=missing):
        read_stacks(np.zeros((480, 640, 3), np.uint8), scene)


def test_an_empty_table_has_no_stacks(scenes):
    _, labels = scenes[0]
    reading = read_stacks(np.full((960, 1280, 3), 120, np.uint8), scene_of(labels))
    assert reading.stacks == ()
    assert reading.accepted


def test_the_command_says_what_the_contract_asks_for(scenes, tmp_path, monkeypatch, capsys):
    picture, labels = scenes[1]
    photo, scene = tmp_path / "stacks.png", tmp_path / "scene.json"
    cv2.imwrite(str(photo), picture)
    scene.write_text(json.dumps({key: value for key, value in labels.items() if key != "stacks"}))
    monkeypatch.setattr("sys.argv", ["companion", "read", "stacks", str(photo), "--scene", str(scene), "--json"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    (element,) = json.loads(capsys.readouterr().out)
    assert {"image", "width", "height", "ms", "accepted", "stacks"} <= set(element)
    stack = element["stacks"][0]
    assert {"top", "height", "height_accepted", "x_mm", "y_mm"} <= set(stack)
    assert stack["height"] in range(1, MOST_LEVELS + 1)
    assert stack["top"]["colour"] in labels["colour_rgb"]


def test_the_photo_is_accepted_only_when_every_height_is(readings):
    reading = next(reading for reading in readings if reading.stacks)
    doubtful = replace(reading.stacks[0], height_accepted=False)
    assert not replace(reading, stacks=(doubtful,)).accepted


def test_a_scene_file_without_a_photo_of_stacks_is_one_sentence(tmp_path, monkeypatch, capsys):
    photo = tmp_path / "empty.png"
    cv2.imwrite(str(photo), np.zeros((480, 640, 3), np.uint8))
    monkeypatch.setattr("sys.argv", ["companion", "read", "stacks", str(Path(photo))])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    assert capsys.readouterr().err.count("\n") == 1


# the bench


def test_the_bench_counts_what_the_labels_say_and_draws_what_was_missed(tmp_path, monkeypatch):
    def top(value: int, cx: float, accepted: bool = True) -> DieReading:
        return DieReading(value, cx, 100.0, 40.0, 40.0, 0.0, "red", 0.99, accepted, ((value, 0.99),))

    def labelled(cx: float, value: int, height: int, **more: Any) -> dict[str, Any]:
        face = [[cx - 20, 80], [cx + 20, 80], [cx + 20, 120], [cx - 20, 120]]
        fields = {"top_centre_px": [cx, 100], "top_face_px": face, "top_visible": 1.0, "top_colour": "red"}
        return {**fields, "top_value": value, "height": height, **more}

    def stack(die: DieReading, height: int, accepted: bool) -> StackReading:
        return StackReading(die, height, accepted, (0.0, 1.0, 0.0, 0.0), 0.0, 0.0)

    labels = [
        labelled(100, 3, 2),
        labelled(200, 4, 3),  # read one lower, and surely
        labelled(300, 5, 1, top_colour="blue"),  # read as a two, and asked
        labelled(400, 6, 4),  # not found
        labelled(500, 1, 1, top_visible=0.5),  # found with another height; not asked for
        labelled(550, 1, 1, in_frame=False),
    ]
    seen = (
        stack(top(3, 103), 2, True),
        stack(top(4, 200), 2, True),
        stack(top(2, 300, accepted=False), 1, False),
        stack(top(1, 500), 2, True),
        stack(top(6, 600), 1, True),  # none is there
    )
    monkeypatch.setattr(reader_photos, "read_stacks", lambda frame, scene: StacksReading(640, 480, seen, ()))
    blank = np.full((480, 640, 3), 90, np.uint8)
    camera = {"width": 640, "height": 480, "fx": 900, "fy": 900, "cx": 320, "cy": 240}
    pictures = [
        ("a.jpg", blank, {"camera": camera, "stacks": labels}),
        ("b.jpg", blank, {"camera": camera, "stacks": []}),
    ]
    monkeypatch.setattr(reader_photos, "shown", lambda folder, images: pictures)
    figures = {figure.name: figure for figure in reader_photos.stack_figures(tmp_path, [], tmp_path / "out")}
    assert {name: (figure.count, figure.total) for name, figure in figures.items() if figure.total is not None} == {
        "found, of tops in view": (3, 4),
        "top value right, of found": (2, 3),
        "top colour right, of found": (2, 3),
        "height right, of found": (2, 3),
        "height asked, of found": (1, 3),
        "silent height errors, of found": (1, 3),
        "silent value errors, of found": (0, 3),
    }
    assert figures["stacks read where none is"].value == 1 + len(seen)
    drawn = cv2.imread(str(tmp_path / "out" / "a.jpg"))
    red = (drawn[..., 2] > 200) & (drawn[..., 1] < 60) & (drawn[..., 0] < 60)
    assert [bool(red[60:140, x - 40 : x + 40].any()) for x in (100, 200, 300, 400, 500)] == [
        False,
        True,
        True,
        True,
        False,
    ]
