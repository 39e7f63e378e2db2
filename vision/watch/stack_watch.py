"""From frames of stacking spaces to readings: watches them like any table, and reports a falling stack at once.

A rest begins only when the last block lies still, but a fall is news before that. So between two rests each frame is
checked for the stacks that were read as standing; nothing is read for it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import cv2
import numpy as np

from companion.clock import monotonic_us
from companion.game.readings import BlockReading, Kind, Settled, SpaceReading, Status, TowerReading
from vision.cameras.camera import Frame
from vision.watch.collapse import CollapseWatch, Fall
from vision.watch.watch import FrameReading, Full, Show, Watch, same_frame, whole_picture


class StackWatch(Watch):
    """Watches the stacks that a camera at table height sees.

    read    reads all spaces of one picture
    falls   the falls that the newest frame made sure, by space
    """

    def __init__(
        self,
        read: Callable[[np.ndarray], TowerReading],
        *,
        live: bool,
        show: Show = whole_picture,
        stopwatch_us: Callable[[], int] = monotonic_us,
    ) -> None:
        super().__init__(self._read_on, live=live, kind=Kind.TOWER, show=show, stopwatch_us=stopwatch_us)
        self._read_spaces = read
        self._collapse = CollapseWatch()
        self.falls: Mapping[int, Fall] = {}
        self._last_reading: TowerReading | None = None
        self._watched_reading: TowerReading | None = None  # Its stacks are watched.
        self._heaps: set[int] = set()  # In these spaces a stack fell, and nothing was surely read since.

    def feed(self, frame: Frame, full: Full = same_frame) -> Settled | None:
        """A reading when a stack has just fallen, or when the spaces have come to rest with something new."""
        self.falls = self._collapse.feed(frame.bgr, frame.at_us)
        settled = super().feed(frame, full)
        if self._last_reading is None:
            return settled
        if self._last_reading is not self._watched_reading and self.is_at_rest:
            self._watched_reading = self._last_reading
            self._watch_stacks(self._last_reading, frame)
        return self._report_falls(self._last_reading, frame, full) if self.falls else settled

    def glance(self, frame: Frame, full: Full = same_frame) -> Settled:
        """The reading of this one frame, at rest or not."""
        settled = super().glance(frame, full)
        self._watched_reading = self._last_reading  # Hands may be in that picture, so no stack is watched by it.
        return settled

    def _read_on(self, frame_bgr: np.ndarray) -> TowerReading:
        """A reading in which a fallen stack stays fallen until the space is surely read."""
        reading = self._read_spaces(frame_bgr)
        self._heaps -= {space.space for space in reading.spaces if space.accepted}
        self._last_reading = self._with_heaps(reading)
        return self._last_reading

    def _with_heaps(self, reading: TowerReading) -> TowerReading:
        """The reading, with a surely fallen stack in each space where one fell."""
        return replace(
            reading,
            spaces=tuple(
                SpaceReading(space.space, Status.COLLAPSED, 1.0, True) if space.space in self._heaps else space
                for space in reading.spaces
            ),
        )

    def _watch_stacks(self, reading: TowerReading, frame: Frame) -> None:
        """Watches the standing stacks from this frame on, and no others."""
        scale = frame.bgr.shape[1] / reading.width  # The picture that is read may be larger than the frame.
        for space in reading.spaces:
            if space.status is Status.STANDING and space.blocks:
                outlines = [outline_px(block) * scale for block in space.blocks]
                self._collapse.watch(space.space, frame.bgr, outlines, frame.at_us)
            else:
                self._collapse.forget(space.space)

    def _report_falls(self, last: TowerReading, frame: Frame, full: Full) -> Settled:
        """The last reading with the stacks fallen since, and the picture of the fall."""
        self._heaps |= self.falls.keys()
        self._last_reading = self._watched_reading = self._with_heaps(last)
        self.forget()
        began_us = min(fall.began_us for fall in self.falls.values())
        return self._report_of(FrameReading(full(frame), self._last_reading), began_us)


def outline_px(block: BlockReading) -> np.ndarray:
    """(4, 2) corners of a block in px."""
    return np.asarray(cv2.boxPoints(((block.cx, block.cy), (block.w, block.h), block.angle_deg)))
