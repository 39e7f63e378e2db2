"""Is what the camera gives a picture of the table? One that is frozen, black, white or misshapen is not read as it."""

from collections.abc import Callable

import cv2
import numpy as np

from companion.clock import monotonic_us
from companion.errors import CameraUnavailable
from companion.words import _
from vision.cameras.camera import Frame

STRIDE = 16  # every so many pixels one is looked at: enough noise to tell two pictures apart, 1 ms a hundred frames
FROZEN_US = 2_000_000  # the very same picture for so long; a sensor's noise makes each its own
BLACK_LEVELS = 5.0  # a covered lens stays below, a dim room above: the mean level, in a photograph that of every part
BURNT_LEVELS = 252.0  # of every part of a picture so bright that nothing is left of the table
ONE_COLOUR_LEVELS = 3  # between any two pixels of a picture without content; noise, and light on a bare table, are more
BLIND_US = 1_500_000  # before it is said: a lamp that is switched over is none
BLIND_AGAIN_US = 30_000_000  # a camera that stays black or white is opened anew, in case it is not its cap or a lamp
LEAST_PX = 32  # what is smaller is no picture of a table

BLACK = _("The camera sees nothing but black: take off its cap or turn on a light, and play on by tap.")
BURNT = _("The camera sees nothing but white: turn a light or its exposure down, and play on by tap.")


def shows_nothing(frame_bgr: np.ndarray) -> bool:
    """Whether a frame (h, w, 3) is black all over, burnt out or of one colour: that says nothing of the table."""
    height, width = frame_bgr.shape[:2]
    blocks = cv2.resize(frame_bgr, (max(1, width // STRIDE), max(1, height // STRIDE)), interpolation=cv2.INTER_AREA)
    if blocks.max() < BLACK_LEVELS or blocks.min() > BURNT_LEVELS:
        return True
    return is_of_one(blocks) and is_of_one(frame_bgr)


def is_of_one(picture_bgr: np.ndarray) -> bool:
    """Whether a picture (h, w, 3) has one colour from side to side."""
    return bool(np.ptp(picture_bgr, axis=(0, 1)).max() < ONE_COLOUR_LEVELS)


class Health:
    """What is remembered from frame to frame, also from one opening of the camera to the next."""

    def __init__(self, now_us: Callable[[], int] = monotonic_us) -> None:
        self._now_us = now_us
        self._size: tuple[int, ...] | None = None
        self._last: np.ndarray | None = None
        self._same_since_us = 0
        self._has_noise = False
        self._blind_since_us: int | None = None

    def opened(self) -> None:
        """The camera was opened (anew): its pictures may have another size now."""
        self._size = None
        self._blind_since_us = None

    def trouble(self, frame: Frame) -> str:
        """ "" for a frame that can be read, otherwise the sentence for the table.

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
        """The last frame was black or white all over: nothing can be read from it, and nothing has left the table."""
        return self._blind_since_us is not None

    def _check_size(self, bgr: np.ndarray) -> None:
        size = bgr.shape
        if len(size) != 3 or size[2] != 3 or bgr.dtype != np.uint8 or min(size[:2]) < LEAST_PX:
            raise CameraUnavailable(_("The camera gives pictures that are none: it is started again; play on by tap."))
        if self._size is not None and size != self._size:
            raise CameraUnavailable(
                _(
                    "The camera's picture was {size} × {size2} pixels and is now {size3} × {size4}: it is "
                    "started again; play on by tap.",
                    size=self._size[1],
                    size2=self._size[0],
                    size3=size[1],
                    size4=size[0],
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
        """A camera that has never shown noise cannot be told from one that is frozen: it is believed."""
        if self._last is None or not np.array_equal(sample, self._last):
            self._has_noise = self._has_noise or (self._last is not None and self._last.shape == sample.shape)
            self._last, self._same_since_us = sample.copy(), now_us
        elif self._has_noise and now_us - self._same_since_us >= FROZEN_US:
            raise CameraUnavailable(_("The camera repeats one old picture: it is started again; play on by tap."))
