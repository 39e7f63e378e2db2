"""Photographs of Go boards laid flat by their printed lines, with a board drawn here."""

import cv2
import numpy as np
import pytest

from tests.benches.go_photos import SPACE_PX, fitted_to_lines, labelled_colours, read_photograph, rectified

ROWS = [
    "....W....",
    ".BB......",
    ".BWW..W..",
    "......B..",
    "...B..B..",
    "..WB.....",
    "....W..B.",
    ".W....BW.",
    ".........",
]
N = len(ROWS)
TILTED = np.array([[92.0, 70.0], [520.0, 58.0], [566.0, 531.0], [41.0, 548.0]], np.float32)  # the outermost crossings


@pytest.fixture(scope="module")
def photo():
    """A wooden board with its lines and stones, seen aslant, with noise."""
    side = (N + 1) * SPACE_PX
    flat = np.full((side, side, 3), (110, 165, 205), np.uint8)
    for at in range(SPACE_PX, side, SPACE_PX):
        cv2.line(flat, (at, SPACE_PX), (at, side - SPACE_PX), (40, 60, 80), 1, cv2.LINE_AA)
        cv2.line(flat, (SPACE_PX, at), (side - SPACE_PX, at), (40, 60, 80), 1, cv2.LINE_AA)
    for row, letters in enumerate(ROWS):
        for column, letter in enumerate(letters):
            spot = ((column + 1) * SPACE_PX, (row + 1) * SPACE_PX)
            if letter != ".":
                cv2.circle(flat, (spot[0] + 2, spot[1] + 2), 17, (70, 105, 130), -1, cv2.LINE_AA)  # its shadow
                cv2.circle(flat, spot, 17, (35, 32, 30) if letter == "B" else (225, 230, 232), -1, cv2.LINE_AA)
    rim = np.array([[1, 1], [N, 1], [N, N], [1, N]], np.float32) * SPACE_PX
    matrix = cv2.getPerspectiveTransform(rim, TILTED)
    seen = cv2.warpPerspective(flat, matrix, (608, 608), flags=cv2.INTER_AREA, borderValue=(60, 70, 75))
    noise = np.random.default_rng(5).normal(0, 3, seen.shape)
    return np.clip(cv2.GaussianBlur(seen, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("seed", range(4))
def test_corners_that_are_labelled_three_pixels_beside_their_place_are_found(photo, seed):
    off = np.random.default_rng(seed).uniform(-3, 3, (4, 2)).astype(np.float32)
    assert np.abs(fitted_to_lines(photo, TILTED + off, N) - TILTED).max() < 1.0


def test_a_board_is_laid_flat_with_a_space_around_it(photo):
    flat = rectified(photo, TILTED, N)
    assert flat.shape == ((N + 1) * SPACE_PX, (N + 1) * SPACE_PX, 3)
    assert flat[3 * SPACE_PX, 3 * SPACE_PX].mean() > 190  # a white stone
    assert flat[2 * SPACE_PX, 2 * SPACE_PX].mean() < 70  # a black one


def test_the_crossings_are_read(photo):
    _flat, reading = read_photograph(photo, TILTED + np.float32(2.0), N)
    assert [[cell.colour for cell in row] for row in reading.cells] == labelled_colours(ROWS)
