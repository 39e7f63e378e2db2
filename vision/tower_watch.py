"""Stacks watched from frame to frame: which stand is read while all is still, and from then on each fall is told."""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from companion.readings import BlockReading, Status, TowerReading
from vision.collapse import CollapseWatch, Fall
from vision.scene import Scene
from vision.settle import Track, follow, is_settled, small_grey
from vision.tower import read_tower

LOOK_EVERY_US = 1_000_000  # a stack that is being built is looked for so often


@dataclass(frozen=True)
class Collapse:
    """The stack of a space fell."""

    space: int
    fall: Fall


class TowerWatch:
    """Feed it frames of stacking spaces; it says which stack fell and when."""

    def __init__(self, scene: Scene, read: Callable[[np.ndarray, Scene | None], TowerReading] = read_tower) -> None:
        self._scene, self._read = scene, read
        self._falls = CollapseWatch()
        self._standing: set[int] = set()
        self._track: Track | None = None
        self._looked_us: int | None = None

    def feed(self, frame_bgr: np.ndarray, at_us: int) -> list[Collapse]:
        """The falls that this frame makes sure of; BadInput says what the scene lacks."""
        fallen = self._falls.feed(frame_bgr, at_us)
        self._standing -= fallen.keys()
        self._track = follow(self._track, small_grey(frame_bgr), at_us)
        due = self._looked_us is None or at_us - self._looked_us >= LOOK_EVERY_US
        if due and is_settled(self._track) and len(self._standing) < len(self._scene.spaces_mm):
            self._looked_us = at_us
            self._look(frame_bgr, at_us)
        return [Collapse(space, fall) for space, fall in fallen.items()]

    def _look(self, frame_bgr: np.ndarray, at_us: int) -> None:
        """Begins with stacks that stand and were not watched yet."""
        for space in self._read(frame_bgr, self._scene).spaces:
            if space.status is Status.STANDING and space.blocks and space.space not in self._standing:
                self._falls.stands(space.space, frame_bgr, [outline_px(block) for block in space.blocks], at_us)
                self._standing.add(space.space)


def outline_px(block: BlockReading) -> np.ndarray:
    """(4, 2) corners of a block."""
    return np.asarray(cv2.boxPoints(((block.cx, block.cy), (block.w, block.h), block.angle_deg)))
