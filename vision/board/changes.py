"""Boards at one rest after the other: finds where a piece was put on another of its own colour.

From above such a pile looks as before: its top has the same colour, and its height hardly shows. But the camera stands
still, so the picture itself differs from the one of the last rest.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np

from companion.game.readings import BoardReading
from companion.game.readings.play import Cell
from vision.board.play import changed_areas, changed_chance
from vision.board.reader import Spaces, reading_of
from vision.scene.scene import Scene

KEPT_PX = 1280  # The picture kept of a rest is no wider, as one of 12 megapixels takes 36 MB.
SURELY_CHANGED = 0.9  # Less would ask about shadows, which is a nuisance.


class Rest(NamedTuple):
    """The picture of a board at rest, and the spaces read from it."""

    frame_bgr: np.ndarray
    spaces: Spaces


class BoardSince:
    """Reads boards; each reading names the spaces that changed since the last rest.

    read    returns the spaces of a frame and the scene they were read with
    """

    def __init__(self, read: Callable[[np.ndarray], tuple[Spaces, Scene]]) -> None:
        self._read = read
        self._newest: Rest | None = None
        self._last: Rest | None = None

    def __call__(self, frame_bgr: np.ndarray) -> BoardReading:
        spaces, scene = self._read(frame_bgr)
        now = self._newest = reduced_rest(frame_bgr, spaces)
        reading = reading_of(spaces, frame_bgr)
        if self._last is None or len(self._last.spaces.spaces) != len(spaces.spaces):
            return reading
        return replace(reading, changed=changed_cells(self._last, now, scene))

    def remember(self) -> None:
        """Takes the last reading for the board at its last rest."""
        self._last = self._newest


def reduced_rest(frame_bgr: np.ndarray, spaces: Spaces) -> Rest:
    """A rest with its picture reduced to at most KEPT_PX."""
    zoom = min(1.0, KEPT_PX / frame_bgr.shape[1])
    if zoom == 1:
        return Rest(frame_bgr.copy(), spaces)
    small = cv2.resize(frame_bgr, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA)
    shrink = np.array([[zoom, 0, (zoom - 1) / 2], [0, zoom, (zoom - 1) / 2], [0, 0, 1]])
    pose = replace(spaces.pose, intrinsics=shrink @ spaces.pose.intrinsics)
    return Rest(small, spaces._replace(pose=pose))


def changed_cells(before: Rest, after: Rest, scene: Scene) -> tuple[Cell, ...]:
    """The spaces that surely look different; none if the pictures differ in size."""
    n = round(len(after.spaces.spaces) ** 0.5)
    if before.frame_bgr.shape != after.frame_bgr.shape:
        return ()
    looks = changed_areas((before.frame_bgr, after.frame_bgr), (before.spaces, after.spaces), scene)
    pairs = zip(before.spaces.spaces, after.spaces.spaces, looks, strict=True)
    sure = [index for index, pair in enumerate(pairs) if changed_chance(*pair) > SURELY_CHANGED]
    return tuple(divmod(index, n) for index in sure)
