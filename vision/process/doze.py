"""Lets most pictures of a table at rest go by undecoded, until one of a few small looks a second sees a change.

A camera sends thirty pictures a second, and decoding and watching each takes a tenth of a small Pi's time, day and
night. While nothing moves and nobody asks, five a second are looked at, small. The others wait as the camera
sent them. If a look shows a change, all that wait are watched in order, as if none had gone by.
"""

from collections import deque
from dataclasses import dataclass

from companion.errors import BadInput
from vision.cameras.camera import Frame
from vision.cameras.health import broken, cast
from vision.watch.settle import Thumbnail, changed, thumbnail

SETTLED_US = 3_000_000  # A table that was quiet for so long is dozed over.
LOOK_US = 180_000  # A thirtieth of a second less than a fifth, as the next picture comes only then.
WHOLE_US = 10_000_000  # So often one is watched all the same: light that fades slowly is followed.
MOST_LOOKS = 16  # A sensor's noise makes each look another; a camera that hands out old pictures repeats one of these.
MOST_WAITING = 15  # A fast camera sends no more between two looks.


@dataclass(frozen=True, eq=False)
class Look(Thumbnail):
    """A small picture, and what it says of the camera.

    illness     the sentence on a camera that shows no table or wrong colours, else ""; so small a picture may mislead,
                so that only another one than before is a reason to look closer
    """

    illness: str


class Doze:
    """Asked about every frame of a camera that is open."""

    def __init__(self) -> None:
        self._quiet_since_us: int | None = None
        self._still: Look | None = None  # The table when the doze began, None while it is watched.
        self._looked_us = self._whole_us = 0
        self._looks: deque[int] = deque(maxlen=MOST_LOOKS)  # What the last ones saw, as hashes.
        self._waiting: deque[Frame] = deque(maxlen=MOST_WAITING)

    @property
    def is_on(self) -> bool:
        """Whether pictures go by."""
        return self._still is not None

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
        if self._still is None:
            if frame.at_us - self._quiet_since_us >= SETTLED_US:
                self._still = look(frame)
                self._looked_us = self._whole_us = frame.at_us
            return self._all_waiting()
        if frame.at_us - self._looked_us < LOOK_US:
            return []
        self._looked_us = frame.at_us
        seen = look(frame)
        if seen is None or self._is_repeated(seen) or is_other(self._still, seen):
            self._quiet_since_us = None
            return self._wake()
        self._waiting.clear()
        if frame.at_us - self._whole_us < WHOLE_US:
            return []
        self._whole_us = frame.at_us
        return [frame]

    def _is_repeated(self, seen: Look) -> bool:
        """Whether the very same was seen a moment ago."""
        key = hash(seen.bgr.tobytes())
        is_known = key in self._looks
        self._looks.append(key)
        return is_known

    def _wake(self) -> list[Frame]:
        self._still = None
        return self._all_waiting()

    def _all_waiting(self) -> list[Frame]:
        waiting = list(self._waiting)
        self._waiting.clear()
        return waiting


def is_other(before: Look, after: Look) -> bool:
    """Whether two looks show different things, or one of them an ill camera."""
    if before.bgr.shape != after.bgr.shape or before.illness != after.illness:
        return True
    return bool(changed(before.grey, after.grey).any())


def look(frame: Frame) -> Look | None:
    """What a small picture shows; None if it is damaged."""
    try:
        seen = thumbnail(frame.look_bgr)
    except BadInput:
        return None
    return Look(seen.bgr, seen.grey, broken(seen.bgr) or cast(seen.bgr))
