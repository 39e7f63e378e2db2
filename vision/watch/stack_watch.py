"""From frames of stacking spaces to readings: as every table is watched, and a stack that falls is told at once.

A rest begins only when the last block lies still, and a fall is news before that. So between two rests each frame is
looked through for stacks that were read as standing; nothing is read anew for it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import cv2
import numpy as np

from companion.clock import monotonic_us
from companion.game.readings import BlockReading, Kind, Settled, SpaceReading, Status, TowerReading
from vision.cameras.camera import Frame
from vision.watch.collapse import CollapseWatch, Fall
from vision.watch.watch import FrameReading, Full, Show, Watch, as_it_is, whole


class StackWatch:
    """As `Watch`, which it uses, for the stacks that a camera at table height sees.

    read    reads all spaces of one picture

    `falls` are those that the newest frame made sure of, by space.
    """

    def __init__(
        self,
        read: Callable[[np.ndarray], TowerReading],
        *,
        live: bool,
        show: Show = whole,
        stopwatch_us: Callable[[], int] = monotonic_us,
    ) -> None:
        self._read = read
        self._watch = Watch(self._read_on, live=live, kind=Kind.TOWER, show=show, stopwatch_us=stopwatch_us)
        self._collapse = CollapseWatch()
        self.falls: Mapping[int, Fall] = {}
        self._last: TowerReading | None = None  # of all that was read
        self._followed: TowerReading | None = None  # the newest whose stacks are watched
        self._fallen: set[int] = set()  # spaces in which nothing was surely made out since

    @property
    def offset_us(self) -> int:
        """Table time less the time of the frames' stamps."""
        return self._watch.offset_us

    @offset_us.setter
    def offset_us(self, offset_us: int) -> None:
        self._watch.offset_us = offset_us

    @property
    def is_at_rest(self) -> bool:
        """Nothing moved in the last frames."""
        return self._watch.is_at_rest

    def feed(self, frame: Frame, full: Full = as_it_is) -> Settled | None:
        """A stack that fell just now, else a reading when the spaces have come to rest as they were not before."""
        self.falls = self._collapse.feed(frame.bgr, frame.at_us)
        settled = self._watch.feed(frame, full)
        if self._last is not None and self._last is not self._followed and self._watch.is_at_rest:
            self._followed = self._last
            self._follow(self._last, frame)
        return settled if self._last is None or not self.falls else self._told(self._last, self.falls, frame, full)

    def glance(self, frame: Frame, full: Full = as_it_is) -> Settled:
        """What this one frame says, at rest or not."""
        settled = self._watch.glance(frame, full)
        self._followed = self._last  # hands may be in that picture: no stack is watched by it
        return settled

    def _read_on(self, frame_bgr: np.ndarray) -> TowerReading:
        """A reading in which a stack that fell is no other than fallen until that is sure."""
        reading = self._read(frame_bgr)
        self._fallen -= {space.space for space in reading.spaces if space.accepted}
        self._last = replace(
            reading, spaces=tuple(fell(space) if space.space in self._fallen else space for space in reading.spaces)
        )
        return self._last

    def _follow(self, reading: TowerReading, frame: Frame) -> None:
        """The stacks that stand are watched from this frame on, no other."""
        scale = frame.bgr.shape[1] / reading.width  # what is read may be larger than what is watched
        for space in reading.spaces:
            if space.status is Status.STANDING and space.blocks:
                outlines = [outline_px(block) * scale for block in space.blocks]
                self._collapse.stands(space.space, frame.bgr, outlines, frame.at_us)
            else:
                self._collapse.forget(space.space)

    def _told(self, last: TowerReading, fallen: Mapping[int, Fall], frame: Frame, full: Full) -> Settled:
        """The last reading, with the stacks that fell since, and the picture of the fall."""
        self._fallen |= fallen.keys()
        spaces = tuple(fell(space) if space.space in fallen else space for space in last.spaces)
        self._last = self._followed = replace(last, spaces=spaces)
        self._watch.forget()
        began_us = min(fall.began_us for fall in fallen.values())
        return self._watch.settled(FrameReading(full(frame), self._last), began_us)


def fell(space: SpaceReading) -> SpaceReading:
    """A space whose stack was seen falling."""
    return SpaceReading(space.space, Status.COLLAPSED, 1.0, True)


def outline_px(block: BlockReading) -> np.ndarray:
    """(4, 2) corners of a block."""
    return np.asarray(cv2.boxPoints(((block.cx, block.cy), (block.w, block.h), block.angle_deg)))
