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


class StackWatch:
    """As `Watch`, which it uses, for the stacks that a camera at table height sees.

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
        self._read = read
        self._watch = Watch(self._read_on, live=live, kind=Kind.TOWER, show=show, stopwatch_us=stopwatch_us)
        self._collapse = CollapseWatch()
        self.falls: Mapping[int, Fall] = {}
        self._last: TowerReading | None = None  # the last of all readings
        self._followed: TowerReading | None = None  # the reading whose stacks are watched
        self._fallen: set[int] = set()  # fallen, and not surely read since

    @property
    def offset_us(self) -> int:
        """Table time minus the time of the frames' stamps."""
        return self._watch.offset_us

    @offset_us.setter
    def offset_us(self, offset_us: int) -> None:
        self._watch.offset_us = offset_us

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing moved in the last frames."""
        return self._watch.is_at_rest

    def feed(self, frame: Frame, full: Full = same_frame) -> Settled | None:
        """A reading when a stack has just fallen, or when the spaces have come to rest with something new."""
        self.falls = self._collapse.feed(frame.bgr, frame.at_us)
        settled = self._watch.feed(frame, full)
        if self._last is not None and self._last is not self._followed and self._watch.is_at_rest:
            self._followed = self._last
            self._follow(self._last, frame)
        return (
            settled if self._last is None or not self.falls else self._report_falls(self._last, self.falls, frame, full)
        )

    def glance(self, frame: Frame, full: Full = same_frame) -> Settled:
        """The reading of this one frame, at rest or not."""
        settled = self._watch.glance(frame, full)
        self._followed = self._last  # hands may be in that picture, so it is not used to watch stacks
        return settled

    def _read_on(self, frame_bgr: np.ndarray) -> TowerReading:
        """A reading in which a fallen stack stays fallen until the space is surely read."""
        reading = self._read(frame_bgr)
        self._fallen -= {space.space for space in reading.spaces if space.accepted}
        self._last = replace(
            reading,
            spaces=tuple(fallen_space(space) if space.space in self._fallen else space for space in reading.spaces),
        )
        return self._last

    def _follow(self, reading: TowerReading, frame: Frame) -> None:
        """Watches the standing stacks from this frame on, and no others."""
        scale = frame.bgr.shape[1] / reading.width  # the picture that is read may be larger than the frame
        for space in reading.spaces:
            if space.status is Status.STANDING and space.blocks:
                outlines = [outline_px(block) * scale for block in space.blocks]
                self._collapse.stands(space.space, frame.bgr, outlines, frame.at_us)
            else:
                self._collapse.forget(space.space)

    def _report_falls(self, last: TowerReading, fallen: Mapping[int, Fall], frame: Frame, full: Full) -> Settled:
        """The last reading with the stacks fallen since, and the picture of the fall."""
        self._fallen |= fallen.keys()
        spaces = tuple(fallen_space(space) if space.space in fallen else space for space in last.spaces)
        self._last = self._followed = replace(last, spaces=spaces)
        self._watch.forget()
        began_us = min(fall.began_us for fall in fallen.values())
        return self._watch.settled(FrameReading(full(frame), self._last), began_us)


def fallen_space(space: SpaceReading) -> SpaceReading:
    """A space whose stack was seen falling."""
    return SpaceReading(space.space, Status.COLLAPSED, 1.0, True)


def outline_px(block: BlockReading) -> np.ndarray:
    """(4, 2) corners of a block in px."""
    return np.asarray(cv2.boxPoints(((block.cx, block.cy), (block.w, block.h), block.angle_deg)))
