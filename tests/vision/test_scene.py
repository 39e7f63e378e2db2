"""A scene that no table has is refused in one sentence that names the field, before anybody reads a picture with it."""

import numpy as np
import pytest

from companion.equipment.mat import mat
from companion.errors import BadInput
from vision.readers.kinds import READERS
from vision.scene.file import load_scene, scene_of
from vision.scene.pose import Marker, pose_from_corners

FRAME = np.full((960, 1280, 3), 128, np.uint8)
# 80 cm above the table, looking straight down; 70 cm before it and 20 cm high, looking at it
ABOVE = {"R_world_to_cam": [[1, 0, 0], [0, -1, 0], [0, 0, -1]], "t_mm": [0, 0, 800]}
BEFORE = {"R_world_to_cam": [[1, 0, 0], [0, 0, -1], [0, 1, 0]], "t_mm": [0, 200, 700]}
LENS = {"width": 1280, "height": 960, "fx": 1500, "fy": 1500, "cx": 640, "cy": 480}
CORNERS = [[-90, 90, 0], [90, 90, 0], [90, -90, 0], [-90, -90, 0]]
BOARD = {
    "board": {"n": 6, "cell_mm": 30, "grid_corners_mm_tl_tr_br_bl": CORNERS},
    "piece": {"diameter_mm": 22, "thickness_mm": 4},
    "colour_rgb": {"red": [200, 20, 20]},
}
BLOCKS = {"block_mm_long_mid_short": [60, 40, 20], "cylinder_mm_diameter_height": [40, 40]}


def scene(place=ABOVE, lens=(), **fields):
    return scene_of({"camera": {**LENS, **place, **dict(lens)}, **fields})


def test_a_camera_above_the_table_and_one_before_it_are_taken():
    assert scene(die_size_mm=16).pose(FRAME).eye_mm.tolist() == [0, 0, 800]
    assert scene(BEFORE).pose(FRAME).eye_mm.tolist() == [0, -700, 200]
    wide = {"fx": 474, "fy": 474, "dist": [-0.04, 0.01, 0, 0, 0]}  # the widest that we advise
    assert scene(lens=wide).camera.focal == (474, 474)


@pytest.mark.parametrize(
    ("lens", "field"),
    [
        ({"fx": 1, "fy": 1}, "camera.fx"),
        ({"fx": 5}, "camera.fx"),
        ({"fy": 1e6}, "camera.fy"),
        ({"cx": 1e6}, "camera.cx"),
        ({"dist": [1e6] * 5}, "camera.dist"),
        ({"dist": [0, 0, 1, 1, 0]}, "camera.dist"),
        ({"dist": [0] * 8 + [1e6] * 4}, "camera.dist"),
    ],
)
def test_what_is_no_lens_is_refused(lens, field):
    with pytest.raises(BadInput, match=field):
        scene(lens=lens)


@pytest.mark.parametrize(
    "place",
    [
        {"t_mm": [0, 0, -800]},  # under the table
        {"t_mm": [0, 0, 0]},  # in it
        {"t_mm": [0, 0, 1e6]},
        {"R_world_to_cam": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "t_mm": [0, 0, -800]},  # looking up
        {"R_world_to_cam": [[-1, 0, 0], [0, -1, 0], [0, 0, -1]]},  # in a mirror
    ],
)
def test_a_camera_that_sees_no_table_is_refused(place):
    with pytest.raises(BadInput, match=r"camera\.R_world_to_cam"):
        scene({**ABOVE, **place})


def test_markers_that_put_the_camera_under_the_table_fit_no_scene():
    markers = tuple(
        Marker("DICT_4X4_50", number, tuple((x + dx, dy, 0.0) for dx, dy in ((0, 40), (40, 40), (40, 0), (0, 0))))
        for number, x in enumerate((-120.0, 0.0, 80.0))
    )
    pose = scene().pose(FRAME)
    seen = {marker.id: pose.project(np.array(marker.corners_mm)) for marker in markers}
    assert pose_from_corners(seen, markers, pose.intrinsics, pose.distortion).eye_mm[2] == pytest.approx(800, abs=1)
    mirrored = {number: corners * (-1, 1) + (1280, 0) for number, corners in seen.items()}
    with pytest.raises(BadInput, match="The markers don't match the scene"):
        pose_from_corners(mirrored, markers, pose.intrinsics, pose.distortion)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("block_mm_long_mid_short", [60, 4000, 20]),
        ("block_mm_long_mid_short", [60, 40, 0.1]),
        ("cylinder_mm_diameter_height", [1e6, 40]),
        ("block_mm_long_mid_short", [20, 40, 60]),
        ("block_mm_long_mid_short", [60, 20, 40]),
        ("space_centres_mm", [[0, 0]] * 5),
        ("trucks", [{}] * 21),
    ],
)
def test_lengths_and_numbers_that_no_table_has_are_refused(field, value):
    with pytest.raises(BadInput, match=field):
        scene(**{field: value})


@pytest.mark.parametrize("n", [0, 1, 3, 20])
def test_a_board_has_the_sizes_of_boards_that_are_read(n):
    with pytest.raises(BadInput, match=r"board\.n must be a whole number from 4 to 19"):
        scene(board={**BOARD["board"], "n": n})


def test_a_scene_may_tell_of_a_go_board_while_mats_keep_the_sizes_of_the_game():
    go = scene(board={**BOARD["board"], "n": 19}).board
    assert go is not None
    assert go.n == 19
    with pytest.raises(BadInput, match="4 to 10 squares"):
        mat("board", 19)


TURNED = [[90, 90, 2], [90, -90, 2], [-90, -90, 2], [-90, 90, 2]]  # as seen from another side of the table


@pytest.mark.parametrize(
    "corners",
    [
        [[0, 0, 0]] * 4,
        [[x, 0, 0] for x in (-90, -30, 30, 90)],
        [CORNERS[0], CORNERS[0], *CORNERS[2:]],
        [CORNERS[0], CORNERS[2], CORNERS[1], CORNERS[3]],  # across
        CORNERS[::-1],  # in a mirror
        [[0, 0], [0.1, 0], [0.1, -0.1], [0, -0.1]],
    ],
)
def test_corners_that_go_round_nothing_are_refused(corners):
    """By such a board every reading was empty, and accepted."""
    truck = {"columns": 3, "rows": 3, "levels": 1, "cell_mm": 20}
    for name, fields in {
        "board.grid_corners_mm": {"board": {**BOARD["board"], "grid_corners_mm_tl_tr_br_bl": corners}},
        "area_corners_mm": {"trucks": [{**truck, "area_corners_mm_tl_tr_br_bl": corners}]},
        "outline": {"mat": {"outline_mm_tl_tr_br_bl": corners}},
    }.items():
        with pytest.raises(BadInput, match=name):
            scene(**fields)
    assert scene(board={**BOARD["board"], "grid_corners_mm_tl_tr_br_bl": TURNED}).board.n == 6


@pytest.mark.parametrize(
    ("kind", "told", "words"),
    [
        (
            "stacks",
            scene(die_size_mm=500),
            "The scene says a die is 500.0 mm wide and the camera is 800 mm above the table",
        ),
        (
            "tower",
            scene(**BLOCKS, space_centres_mm=[[0, 0]]),
            "The scene says the camera isn't in front of the stacking spaces",
        ),
        (
            "tower",
            scene(BEFORE, **BLOCKS, space_centres_mm=[[0, 0], [0, -700]]),
            "The scene says the camera isn't in front of the stacking spaces",
        ),
        (
            "board",
            scene(BEFORE | {"t_mm": [0, 200, 50]}, **BOARD),
            "The scene says corners of board are behind the camera",
        ),
    ],
)
def test_what_cannot_be_before_the_camera_is_said(kind, told, words):
    with pytest.raises(BadInput, match=words):
        READERS[kind].read_photo(FRAME, told)


def test_a_camera_that_lacks_something_says_what():
    with pytest.raises(BadInput, match="camera lacks fy, cy:"):
        scene_of({"camera": {key: value for key, value in LENS.items() if key not in ("fy", "cy")}})


def test_a_scene_saved_with_a_byte_order_mark_is_read(tmp_path):
    """As some editors on Windows save UTF-8."""
    path = tmp_path / "scene.json"
    path.write_bytes(b"\xef\xbb\xbf" + b'{"die_size_mm": 16}')
    assert load_scene(path).die_size_mm == 16
