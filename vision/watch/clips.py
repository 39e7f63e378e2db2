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
from vision.cameras.pictures import reduced_to
from vision.watch.known_table import OUTSIDE_BGR

CLIP_US = 2_000_000  # before the last movement
AFTER_US = 300_000  # after it: the dice lie
EVERY_US = 140_000  # between two pictures: a third more would still show which way a die fell, at a third of the size
KEPT = 32  # pictures in memory: more than a slow reader lets pass between the rest and its report
LONG_PX = 320  # the longer side of a picture
MOST_BYTES = 150_000
QUALITIES = (75, 60, 45, 30, 15)  # of JPEG: the first that is small enough

Mask = Callable[[np.ndarray], np.ndarray | None]  # a picture → which part of it may leave this process; None: all


@dataclass(frozen=True, eq=False)
class Small:
    """A small picture, (h, w, 3) uint8, and the stamp of its frame."""

    bgr: np.ndarray
    at_us: int


@dataclass(frozen=True, eq=False)
class Wanted:
    """A clip to be made: the digest of the look's picture, the pictures, and a mask of their size."""

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
        self._smalls: deque[Small] = deque(maxlen=KEPT)
        self._take = 0
        self._wanted: Wanted | None = None
        self._is_due = False

    def keep(self, wanted: bool) -> None:
        """Keeps pictures from now on, or no more; then what was kept goes at once."""
        self.keeps = wanted
        if not wanted:
            self._forget()

    def see(self, frame: Frame) -> None:
        """Takes every frame, in order."""
        self._is_due = self._wanted is not None
        if not self.keeps:
            return
        size = small_size(frame.bgr)
        newest = self._smalls[-1] if self._smalls else None
        if newest and (frame.take != self._take or newest.bgr.shape[1::-1] != size or frame.at_us < newest.at_us):
            self._smalls.clear()
        elif newest and frame.at_us - newest.at_us < EVERY_US:
            return
        self._take = frame.take
        self._smalls.append(Small(reduced_to(size, frame.bgr), frame.at_us))

    def rested(self, settled: Settled, rested_us: int, frame: Frame) -> None:
        """A rest was reported.

        rested_us   of the last movement, in the time of the frames
        frame       in which it was reported
        """
        first_us, last_us = rested_us - CLIP_US, rested_us + AFTER_US
        smalls = tuple(small for small in self._smalls if first_us <= small.at_us <= last_us)
        if len(smalls) < 2:
            return
        mask = self._mask(frame.bgr)
        if mask is not None:
            mask = cv2.resize(mask, smalls[-1].bgr.shape[1::-1], interpolation=cv2.INTER_NEAREST)
        self._wanted = Wanted(hashlib.sha256(settled.frame_jpeg).hexdigest(), smalls, mask)

    def made(self) -> Clip | None:
        """The clip of the last rest, in a frame after its report; each only once, else None."""
        wanted = self._wanted
        if wanted is None or not self._is_due:
            return None
        self._wanted = None
        smalls = wanted.smalls
        while len(smalls) >= 2:
            for quality in QUALITIES:
                strip = strip_of(smalls, wanted.mask, quality)
                if len(strip) <= MOST_BYTES:
                    return Clip(wanted.picture, len(smalls), (smalls[-1].at_us - smalls[0].at_us) // 1000, strip)
            smalls = smalls[::2]  # a picture of noise alone
        return None

    def _forget(self) -> None:
        self._smalls.clear()
        self._wanted = None


def small_size(frame_bgr: np.ndarray) -> tuple[int, int]:
    """Width and height of a frame's small picture."""
    height, width = frame_bgr.shape[:2]
    share = min(1.0, LONG_PX / max(width, height))
    return max(1, round(width * share)), max(1, round(height * share))


def strip_of(smalls: tuple[Small, ...], mask: np.ndarray | None, quality: int) -> bytes:
    """The pictures below one another in one JPEG; what the mask leaves out is grey."""
    shown = [small.bgr if mask is None else covered(small.bgr, mask) for small in smalls]
    return cv2.imencode(".jpg", np.vstack(shown), (cv2.IMWRITE_JPEG_QUALITY, quality))[1].tobytes()


def covered(bgr: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The picture with nothing but what the mask leaves."""
    return cv2.copyTo(bgr, mask, np.full_like(bgr, OUTSIDE_BGR))
