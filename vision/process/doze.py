"""Lets most pictures of a table at rest go by undecoded, until one of a few small looks a second sees a change.

A camera sends thirty pictures a second, and decoding and watching each takes a tenth of a small Pi's time, day and
night. While nothing moves and nobody asks, five a second are looked at, small and grey. The others wait as the camera
sent them. If a look shows a change, all that wait are watched in order, as if none had gone by.
"""

from collections import deque

import numpy as np

from companion.errors import BadInput
from vision.cameras.camera import Frame
from vision.watch.settle import changed

SETTLED_US = 3_000_000  # A table that was quiet for so long is dozed over.
LOOK_US = 180_000  # A thirtieth of a second less than a fifth, as the next picture comes only then.
WHOLE_US = 1_000_000  # So often one is watched all the same: an ill camera is told of within three seconds.
MOST_LOOKS = 16  # A sensor's noise makes each look another; a camera that hands out old pictures repeats one of these.
MOST_WAITING = 15  # A fast camera sends no more between two looks.


class Doze:
    """Asked about every frame of a camera that is open."""

    def __init__(self) -> None:
        self._quiet_since_us: int | None = None
        self._still_grey: np.ndarray | None = None  # The table when the doze began, None while it is watched.
        self._looked_us = self._whole_us = 0
        self._looks: deque[int] = deque(maxlen=MOST_LOOKS)  # What the last ones saw, as hashes.
        self._waiting: deque[Frame] = deque(maxlen=MOST_WAITING)

    @property
    def is_on(self) -> bool:
        """Whether pictures go by."""
        return self._still_grey is not None

    def due(self, frame: Frame, *, is_quiet: bool) -> list[Frame]:
        """The frames to be watched now, in order.

        is_quiet    whether the table was at rest in the last one that was watched, and nobody asks for anything
        """
        self._waiting.append(frame)
        if not is_quiet:
            self._quiet_since_us = None
            return self._wake()
        if self._quiet_since_us is None:
            self._quiet_since_us = frame.at_us
        if self._still_grey is None:
            if frame.at_us - self._quiet_since_us >= SETTLED_US:
                self._still_grey = look(frame)
                self._looked_us = self._whole_us = frame.at_us
            return self._all_waiting()
        if frame.at_us - self._looked_us < LOOK_US:
            return []
        self._looked_us = frame.at_us
        grey = look(frame)
        if grey is None or self._is_repeated(grey) or is_other(self._still_grey, grey):
            self._quiet_since_us = None
            return self._wake()
        self._waiting.clear()
        if frame.at_us - self._whole_us < WHOLE_US:
            return []
        self._whole_us = frame.at_us
        return [frame]

    def _is_repeated(self, grey: np.ndarray) -> bool:
        """Whether the very same was seen a moment ago."""
        key = hash(grey.tobytes())
        is_known = key in self._looks
        self._looks.append(key)
        return is_known

    def _wake(self) -> list[Frame]:
        self._still_grey = None
        return self._all_waiting()

    def _all_waiting(self) -> list[Frame]:
        waiting = list(self._waiting)
        self._waiting.clear()
        return waiting


def is_other(before_grey: np.ndarray, after_grey: np.ndarray) -> bool:
    """Whether two small pictures show different things."""
    return before_grey.shape != after_grey.shape or bool(changed(before_grey, after_grey).any())


def look(frame: Frame) -> np.ndarray | None:
    """The small picture in grey, (h, w) float32; None if it is damaged."""
    try:
        return frame.small_grey.astype(np.float32)
    except BadInput:
        return None
