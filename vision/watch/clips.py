"""Clips: the last two seconds before a rest, as a strip of small pictures, so that people can look at a throw again.

Small pictures of the last seconds are kept in memory, some ten megabytes. A clip is made of them once a rest was
reported, and only when the camera's process has nothing better to do.
"""

import hashlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from companion.game.readings import Settled
from companion.sensing.process_messages import Clip
from vision.cameras.camera import Frame
from vision.cameras.pictures import as_jpeg, reduced_to
from vision.watch.known_table import leave_only

CLIP_US = 2_000_000  # A clip begins this long before the last movement.
AFTER_US = 300_000  # A clip ends this long after the last movement: the dice lie by then.
# Pictures are this far apart. A third more would still show which way a die fell, at a third of the size.
EVERY_US = 140_000
MOST_SMALLS = 32  # A slow reader lets fewer pictures pass between a rest and its report.
LONG_PX = 320  # The longer side of a picture has this length.
MOST_BYTES = 150_000
QUALITIES = (75, 60, 45, 30, 15)  # JPEG takes the first of these qualities that is small enough.

# It gives the part of a picture that may leave this process, or None for all of it.
Mask = Callable[[np.ndarray], np.ndarray | None]


@dataclass(frozen=True, eq=False)
class Small:
    """A small picture, (h, w, 3) uint8, and the stamp of its frame."""

    bgr: np.ndarray
    at_us: int


@dataclass(frozen=True, eq=False)
class Draft:
    """A clip yet to be made: the digest of the look's picture, the pictures, and a mask of their size."""

    picture: str
    smalls: tuple[Small, ...]
    mask: np.ndarray | None


class Clips:
    """Keeps small pictures while `keeps`, and makes clips of them.

    mask    the part of a picture that may leave this process
    """

    def __init__(self, mask: Mask) -> None:
        self.keeps = False
        self._mask = mask
        self._smalls: deque[Small] = deque(maxlen=MOST_SMALLS)
        self._take = 0
        self._draft: Draft | None = None
        self._is_due = False

    @property
    def is_planned(self) -> bool:
        """Whether a clip is left to make."""
        return self._draft is not None

    def keep(self, is_on: bool) -> None:
        """Keeps pictures from now on, or no more; then the kept ones go at once."""
        self.keeps = is_on
        if not is_on:
            self._smalls.clear()
            self._draft = None

    def see(self, frame: Frame) -> None:
        """Takes every frame, in order."""
        self._is_due = self._draft is not None
        if not self.keeps:
            return
        size = clip_size(frame.bgr)
        newest = self._smalls[-1] if self._smalls else None
        if newest and (frame.take != self._take or newest.bgr.shape[1::-1] != size or frame.at_us < newest.at_us):
            self._smalls.clear()
        elif newest and frame.at_us - newest.at_us < EVERY_US:
            return
        self._take = frame.take
        self._smalls.append(Small(reduced_to(size, frame.bgr), frame.at_us))

    def plan(self, settled: Settled, rest_us: int, frame: Frame) -> None:
        """Plans the clip of a rest that was reported in this frame; `rest_us` is in the time of the frames."""
        first_us, last_us = rest_us - CLIP_US, rest_us + AFTER_US
        smalls = tuple(small for small in self._smalls if first_us <= small.at_us <= last_us)
        if len(smalls) < 2:
            return
        mask = self._mask(frame.bgr)
        if mask is not None:
            mask = cv2.resize(mask, smalls[-1].bgr.shape[1::-1], interpolation=cv2.INTER_NEAREST)
        self._draft = Draft(hashlib.sha256(settled.frame_jpeg).hexdigest(), smalls, mask)

    def make(self) -> Clip | None:
        """The clip of the last rest, once, in a frame after its report; else None."""
        draft = self._draft
        if draft is None or not self._is_due:
            return None
        self._draft = None
        smalls = draft.smalls
        while len(smalls) >= 2:
            strip_bgr = np.vstack([leave_only(small.bgr, draft.mask) for small in smalls])
            for quality in QUALITIES:
                strip = as_jpeg(strip_bgr, quality)
                if len(strip) <= MOST_BYTES:
                    return Clip(draft.picture, len(smalls), (smalls[-1].at_us - smalls[0].at_us) // 1000, strip)
            smalls = smalls[::2]  # The pictures hold nothing but noise.
        return None


def clip_size(frame_bgr: np.ndarray) -> tuple[int, int]:
    """Width and height of a frame's picture in a clip."""
    height, width = frame_bgr.shape[:2]
    share = min(1.0, LONG_PX / max(width, height))
    return max(1, round(width * share)), max(1, round(height * share))
