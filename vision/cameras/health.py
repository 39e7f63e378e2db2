"""Checks whether a camera's frames show the table: frames that are frozen, black, white or misshapen are not read."""

from collections.abc import Callable

import cv2
import numpy as np

from companion.clock import monotonic_us
from companion.errors import CameraUnavailable
from companion.words import _
from vision.cameras.camera import Frame

STRIDE = 16  # one of so many pixels is checked: enough noise to tell two pictures apart, 1 ms for a hundred frames
FROZEN_US = 2_000_000  # the very same picture for so long is frozen, as a sensor's noise makes each differ
BLACK_LEVELS = 5.0  # mean level (in a photograph of every part): a covered lens stays below, a dim room above
BURNT_LEVELS = 252.0  # every part of a burnt-out picture is brighter
ONE_COLOUR_LEVELS = 3  # most difference of pixels in an empty picture; noise and light on a bare table exceed it
BLIND_US = 1_500_000  # before the table is told: switching a lamp is shorter
BLIND_AGAIN_US = 30_000_000  # a camera that stays black or white is opened again: it may not be the cap or a lamp
LEAST_PX = 32  # least side of a picture of a table

BLACK = _("The camera sees nothing but black: take off its cap or turn on a light, and play on by tap.")
BURNT = _("The camera sees nothing but white: turn a light or its exposure down, and play on by tap.")


def shows_nothing(frame_bgr: np.ndarray) -> bool:
    """Whether a frame (h, w, 3) is black, burnt out or of one colour all over, and so says nothing of the table."""
    height, width = frame_bgr.shape[:2]
    blocks = cv2.resize(frame_bgr, (max(1, width // STRIDE), max(1, height // STRIDE)), interpolation=cv2.INTER_AREA)
    if blocks.max() < BLACK_LEVELS or blocks.min() > BURNT_LEVELS:
        return True
    return is_one_colour(blocks) and is_one_colour(frame_bgr)


def is_one_colour(picture_bgr: np.ndarray) -> bool:
    """Whether a picture (h, w, 3) has one colour all over."""
    return bool(np.ptp(picture_bgr, axis=(0, 1)).max() < ONE_COLOUR_LEVELS)


class Health:
    """Checks frame after frame, also when the camera is opened again."""

    def __init__(self, now_us: Callable[[], int] = monotonic_us) -> None:
        self._now_us = now_us
        self._size: tuple[int, ...] | None = None
        self._last: np.ndarray | None = None
        self._same_since_us = 0
        self._has_noise = False
        self._blind_since_us: int | None = None

    def opened(self) -> None:
        """Notes that the camera was opened: its pictures may have another size now."""
        self._size = None
        self._blind_since_us = None

    def trouble(self, frame: Frame) -> str:
        """The sentence for the table about a frame that cannot be read, else "".

        Raises CameraUnavailable when the camera has to be opened anew.
        """
        self._check_size(frame.bgr)
        sample = frame.bgr[::STRIDE, ::STRIDE]
        now_us = self._now_us()
        if float(sample.mean()) < BLACK_LEVELS:
            return self._blind(BLACK, now_us)
        if float(sample.min()) > BURNT_LEVELS:
            return self._blind(BURNT, now_us)
        self._blind_since_us = None
        self._check_frozen(sample, now_us)
        return ""

    @property
    def is_blind(self) -> bool:
        """Whether the last frame was black or white all over: it says nothing, not even that things were taken away."""
        return self._blind_since_us is not None

    def _check_size(self, bgr: np.ndarray) -> None:
        size = bgr.shape
        if len(size) != 3 or size[2] != 3 or bgr.dtype != np.uint8 or min(size[:2]) < LEAST_PX:
            raise CameraUnavailable(_("The camera gives pictures that are none: it is started again; play on by tap."))
        if self._size is not None and size != self._size:
            raise CameraUnavailable(
                _(
                    "The camera's picture was {old_width} × {old_height} pixels and is now {width} × {height}: it is "
                    "started again; play on by tap.",
                    old_width=self._size[1],
                    old_height=self._size[0],
                    width=size[1],
                    height=size[0],
                )
            )
        self._size = size

    def _blind(self, sentence: str, now_us: int) -> str:
        if self._blind_since_us is None:
            self._blind_since_us = now_us
        blind_us = now_us - self._blind_since_us
        if blind_us > BLIND_AGAIN_US:
            raise CameraUnavailable(sentence)
        return sentence if blind_us >= BLIND_US else ""

    def _check_frozen(self, sample: np.ndarray, now_us: int) -> None:
        """Raises CameraUnavailable for a frozen picture.

        A camera that has never shown noise cannot be told from a frozen one, so it is not checked.
        """
        if self._last is None or not np.array_equal(sample, self._last):
            self._has_noise = self._has_noise or (self._last is not None and self._last.shape == sample.shape)
            self._last, self._same_since_us = sample.copy(), now_us
        elif self._has_noise and now_us - self._same_since_us >= FROZEN_US:
            raise CameraUnavailable(_("The camera repeats one old picture: it is started again; play on by tap."))
