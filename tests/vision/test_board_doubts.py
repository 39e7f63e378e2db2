"""Boards whose scene says too little or something wrong, and boards under coloured lamps: it is asked, not guessed."""

from dataclasses import replace
from itertools import chain
from typing import Any

import cv2
import numpy as np
import pytest

from companion.game.readings import BoardReading, CellReading
from vision.board.reader import read_board, read_spaces
from vision.colour.exposure import brightened
from vision.scene.file import scene_of
from vision.scene.scene import Board, Piece, Scene, SceneCamera
from vision.training.drawn import boards as drawn

LAMPS = {"cyan": (0.25, 1.0, 1.0), "pink": (1.0, 0.35, 0.8), "yellow": (1.0, 0.85, 0.2), "red": (1.0, 0.3, 0.25)}
SEEDS = ([26, 3], [26, 8], [27, 6])  # with white, grey and natural wood: under a lamp they look like other paints
STEEP, TILT_DEG = (0, 1, 2, 3, 4, 5), 45  # on [28, 2] a tall pink pile hides the red piece behind it
Truth = list[list[str | None]]


@pytest.fixture(scope="module")
def boards() -> list[tuple[np.ndarray, dict[str, Any]]]:
    cv2.setNumThreads(1)
    return [drawn.render_board(np.random.default_rng(seed)) for seed in SEEDS]


def judged(reading: BoardReading, truth: Truth) -> list[tuple[CellReading, str | None]]:
    """The reading of each space, and the colour that lies there."""
    return list(zip(chain(*reading.cells), chain(*truth), strict=True))


def silent(pairs: list[tuple[CellReading, str | None]]) -> int:
    return sum(cell.accepted and cell.colour != colour for cell, colour in pairs)


def asked(pairs: list[tuple[CellReading, str | None]]) -> float:
    return float(np.mean([not cell.accepted for cell, _colour in pairs]))


def under_lamp(frame_bgr: np.ndarray, lamp_rgb: tuple[float, ...]) -> np.ndarray:
    """The same table under a lamp of that colour: light is multiplied, not levels."""
    light = (frame_bgr / 255) ** 2.2 * lamp_rgb[::-1]
    return np.asarray((255 * light ** (1 / 2.2)).round(), np.uint8)


@pytest.mark.parametrize("lamp", LAMPS)
def test_under_a_coloured_lamp_no_piece_is_silently_another_colour(boards, lamp):
    pairs = [
        pair
        for frame, labels in boards
        for pair in judged(read_board(under_lamp(frame, LAMPS[lamp]), scene_of(labels)), labels["top_colours"])
    ]
    assert silent([pair for pair in pairs if pair[1] is not None]) == 0
    assert sum(cell.colour == colour for cell, colour in pairs) >= 0.97 * len(pairs)


def in_the_dark(frame_bgr: np.ndarray, light: float) -> np.ndarray:
    """The same table in so much less light, with a camera's noise."""
    levels = 255 * ((frame_bgr / 255) ** 2.2 * light) ** (1 / 2.2)
    noise = np.random.default_rng(4).normal(0, 1.2, frame_bgr.shape)
    return np.asarray(np.clip(levels + noise, 0, 255).round(), np.uint8)


@pytest.mark.parametrize("light", [0.06, 0.015])
def test_a_nearly_dark_board_is_read_and_nothing_on_it_is_silently_wrong(boards, light):
    pairs = [
        pair
        for frame, labels in boards
        for pair in judged(read_board(in_the_dark(frame, light), scene_of(labels)), labels["top_colours"])
    ]
    assert silent(pairs) == 0
    assert sum(cell.colour == colour for cell, colour in pairs) >= 0.97 * len(pairs)
    assert asked(pairs) <= 0.1


def test_a_picture_that_is_bright_somewhere_stays_as_it_is(boards):
    for frame, _labels in boards:
        assert brightened(frame) is frame
    dim = np.full((60, 80, 3), 30, np.uint8)
    assert brightened(dim).max() == 4 * 30
    assert brightened(np.zeros((60, 80, 3), np.uint8)).max() == 0


@pytest.fixture(scope="module")
def steep() -> list[tuple[np.ndarray, dict[str, Any]]]:
    """Boards seen from the side."""
    usual = drawn.random_camera
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawn, "random_camera", lambda rng, _most, wide: usual(rng, TILT_DEG, 1.15 * wide))
        return [drawn.render_board(np.random.default_rng([28, index])) for index in STEEP]


@pytest.mark.parametrize("factor", [1 / 3, 3.0])
def test_a_thickness_that_is_wrong_by_three_adds_no_silent_error_even_from_the_side(steep, factor):
    pairs = []
    for frame, labels in steep:
        scene = scene_of(labels)
        assert scene.piece is not None
        wrong = replace(scene.piece, thickness_mm=factor * scene.piece.thickness_mm)
        pairs += judged(read_board(frame, replace(scene, piece=wrong)), labels["top_colours"])
    assert silent(pairs) == 0
    assert asked(pairs) <= 0.12


SPACE_PX, SPACES = 60, 8
PAINTS = {"black": (30.0, 30.0, 32.0), "orange": (230.0, 115.0, 25.0)}


def draughts(diameter_share: float) -> tuple[np.ndarray, Scene, Truth]:
    """A board of light and dark squares with a few flat discs, from straight above; its scene says nothing of them."""
    rng = np.random.default_rng(5)
    side = (SPACES + 2) * SPACE_PX
    picture = np.full((side, side, 3), 214, np.uint8)
    truth: Truth = [[None] * SPACES for _ in range(SPACES)]
    for row, column in np.ndindex(SPACES, SPACES):
        corner = np.array([column + 1, row + 1]) * SPACE_PX
        tone = 86 if (row + column) % 2 else 196
        cv2.rectangle(picture, corner.tolist(), (corner + SPACE_PX - 1).tolist(), (tone, tone, tone), -1)
        if (row + column) % 2 == 0 and row not in (3, 4):
            name = "orange" if row < 3 else "black"
            middle = (corner + SPACE_PX / 2 + rng.uniform(-4, 4, 2)) * 16
            paint = np.array(PAINTS[name][::-1])
            radius = int(diameter_share * SPACE_PX / 2 * 16)
            for share, light in ((1.0, 0.7), (0.9, 1.0), (0.6, 0.85), (0.52, 1.0)):
                size, colour = int(share * radius), (light * paint).tolist()
                cv2.circle(picture, middle.astype(int).tolist(), size, colour, -1, cv2.LINE_AA, 4)
            truth[row][column] = name
    picture = np.clip(cv2.GaussianBlur(picture, (0, 0), 0.8) + rng.normal(0, 2, picture.shape), 0, 255).astype(np.uint8)
    reach = SPACES * 10.0
    corners = tuple((x * reach, y * reach, 0.0) for x, y in ((-1, 1), (1, 1), (1, -1), (-1, -1)))
    above = tuple(np.diag([1.0, -1.0, -1.0]).ravel())
    camera = SceneCamera(
        side, side, (6000.0, 6000.0), (side / 2, side / 2), (), above, (0.0, 0.0, 6000 * 20 / SPACE_PX)
    )
    return picture, Scene(colour_rgb=PAINTS, camera=camera, board=Board(SPACES, 20.0, corners)), truth


@pytest.mark.parametrize("share", [0.44, 0.6, 0.85])
def test_a_size_that_nobody_told_is_found_in_the_picture(share):
    picture, scene, truth = draughts(share)
    pairs = judged(read_board(picture, scene), truth)
    assert silent(pairs) == 0
    assert asked(pairs) <= 0.15
    assert read_spaces(picture, scene).piece.diameter_mm == pytest.approx(20 * share, rel=0.25)


def test_a_size_that_was_told_is_kept(boards):
    frame, labels = boards[0]
    scene = scene_of(labels)
    assert read_spaces(frame, scene).piece == scene.piece != Piece(1.0, 1.0)
