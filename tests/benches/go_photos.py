"""Photographs of Go boards for judging the board reader: rectified, with each crossing in the middle of a space.

The labels give the outermost crossings to about three pixels, and say nothing of the camera. So the grid is fitted to
the printed lines, and the photograph is rectified by it, as if it had been taken from straight above.
"""

from collections.abc import Mapping

import cv2
import numpy as np

from companion.game.readings import BoardReading
from vision.board.reader import read_board
from vision.colour.bodies import NOMINAL_RGB
from vision.scene.scene import RGB, Board, Piece, Scene, SceneCamera

SPACE_PX = 36  # from one crossing to the next, rectified; the photographs have about 30
SPACE_MM, STONE_MM, HIGH_MM = 23.0, 22.0, 8.0  # of the boards and stones that are sold
FAR = 10_000.0  # focal length in pixels of a camera so far above that nothing leans
STONES = {name: NOMINAL_RGB[name] for name in ("black", "white")}
COLOURS = {"B": "black", "W": "white", ".": None}  # a letter of the labels
BLURS_PX, STEPS_PX = (4.0, 2.5, 1.5), (3.0, 1.5, 0.75, 0.4)  # lines are looked for from coarse to fine
DARKER = 40.0  # levels that a line is darker than what is beside it, at most: the rest is a stone's edge
ON_A_LINE = np.linspace(0.15, 0.85, 8)  # of the way from one crossing to the next: where a line is looked for


def read_photograph(frame_bgr: np.ndarray, corners_px: np.ndarray, n: int) -> tuple[np.ndarray, BoardReading]:
    """The rectified photograph (h, w, 3) and its reading.

    corners_px  (4, 2) outermost of the n × n crossings, from the upper left clockwise
    """
    flat_bgr = rectified(frame_bgr, fitted_to_lines(frame_bgr, corners_px, n), n)
    return flat_bgr, read_board(flat_bgr, flat_scene(n))


def labelled_colours(rows: list[str]) -> list[list[str | None]]:
    """The labelled colours, row by row."""
    return [[COLOURS[letter] for letter in row] for row in rows]


def rectified(frame_bgr: np.ndarray, corners_px: np.ndarray, n: int) -> np.ndarray:
    """The board from straight above, with a space around the outermost crossings."""
    side = (n + 1) * SPACE_PX
    rim = np.array([[1, 1], [n, 1], [n, n], [1, n]], np.float32) * SPACE_PX
    to_flat = cv2.getPerspectiveTransform(corners_px.astype(np.float32), rim)
    return cv2.warpPerspective(frame_bgr, to_flat, (side, side), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)


def flat_scene(n: int, colour_rgb: Mapping[str, RGB] = STONES) -> Scene:
    """The scene of a rectified photograph, with stones of these colours."""
    side, reach = (n + 1) * SPACE_PX, n * SPACE_MM / 2
    corners_mm = tuple((x * reach, y * reach, 0.0) for x, y in ((-1, 1), (1, 1), (1, -1), (-1, -1)))
    above = tuple(np.diag([1.0, -1.0, -1.0]).ravel())
    middle, high_mm = side / 2, FAR * SPACE_MM / SPACE_PX
    return Scene(
        colour_rgb=colour_rgb,
        camera=SceneCamera(side, side, (FAR, FAR), (middle, middle), (), above, (0.0, 0.0, high_mm)),
        board=Board(n, SPACE_MM, corners_mm),
        piece=Piece(STONE_MM, HIGH_MM),
    )


def fitted_to_lines(frame_bgr: np.ndarray, corners_px: np.ndarray, n: int) -> np.ndarray:
    """The corners (4, 2) moved to where the lines between the crossings are darkest in the photograph."""
    grey = cv2.cvtColor(cv2.medianBlur(frame_bgr, 3), cv2.COLOR_BGR2GRAY)
    darker = cv2.morphologyEx(grey, cv2.MORPH_BLACKHAT, np.ones((7, 7), np.uint8)).astype(np.float32)
    along, across = (ON_A_LINE[:, None] + np.arange(n - 1)).ravel(), np.arange(n)
    points = np.array([point for a in along for b in across for point in ((a, b), (b, a))], np.float32)
    found = corners_px.astype(np.float32)
    for blur_px in BLURS_PX:
        lines = cv2.GaussianBlur(np.minimum(darker, DARKER), (0, 0), blur_px)
        for step_px in STEPS_PX:
            found = hill_climbed(found, lines, points, n, step_px)
    return found


def hill_climbed(corners_px: np.ndarray, lines: np.ndarray, points: np.ndarray, n: int, step_px: float) -> np.ndarray:
    """The corners after hill climbing with steps of this size."""
    best = line_levels(corners_px, lines, points, n)
    while True:
        tried = [corners_px + step for step in steps_of(step_px)]
        levels = [line_levels(each, lines, points, n) for each in tried]
        if max(levels) <= best:
            return corners_px
        best, corners_px = max(levels), tried[int(np.argmax(levels))]


def steps_of(step_px: float) -> list[np.ndarray]:
    """The steps to try: each corner right, left, down or up, or all of them together."""
    ways = [np.array(way, np.float32) * step_px for way in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    single = [np.eye(4, dtype=np.float32)[:, corner : corner + 1] for corner in range(4)]
    return [moved * way for moved in (*single, np.ones((4, 1), np.float32)) for way in ways]


def line_levels(corners_px: np.ndarray, lines: np.ndarray, points: np.ndarray, n: int) -> float:
    """The mean darkness on the grid's lines, compared with their surroundings."""
    rim = np.array([[0, 0], [n - 1, 0], [n - 1, n - 1], [0, n - 1]], np.float32)
    to_frame = cv2.getPerspectiveTransform(rim, corners_px)
    places = cv2.perspectiveTransform(points[None], to_frame)[0]
    return float(cv2.remap(lines, places[:, 0], places[:, 1], cv2.INTER_LINEAR).mean())
