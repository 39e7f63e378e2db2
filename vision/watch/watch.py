"""From frames to readings: waits until the table has come to rest, reads it twice, and reports each rest once."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import cv2
import numpy as np

from companion.clock import monotonic_us
from companion.game.readings import ALWAYS_US, Kind, Settled
from vision.cameras.camera import Frame
from vision.cameras.pictures import as_jpeg, reduced
from vision.readers.agreement import InTime, Place
from vision.readers.kinds import READERS
from vision.watch.registration import Motion
from vision.watch.settle import TableState, Track, changed, follow, is_settled, thumbnail
from vision.watch.steady import Steady, StillFrame, as_seen_before, move_place, sharpness
from vision.watch.unmoved import Unmoved

Read = Callable[[np.ndarray], Any]  # It takes a picture (h, w, 3) uint8 BGR and gives a reading.
Full = Callable[[Frame], Frame]  # It gives the picture to read for a frame; see `Camera.full`.
Show = Callable[[np.ndarray], np.ndarray]  # It gives the part of a picture that may leave this process.
Again = Callable[[np.ndarray, Any], Any]  # It takes another picture of a rest, and what was read there already.
OnRest = Callable[[], object]  # It is called when the last picture read shows a table at rest.

EARLY_FRAMES = 2  # So long a still stretch is already read while waiting; fewer would be every pause of a roll.
EARLIER = 4  # Readings may reappear when a sheet on the dice is moved, or a hand leaves in steps.
CROP_MARGIN = 0.35  # A crop shows so much of a die's size around it.
CROP_PX = 160  # A smaller crop could not be tapped with a finger.


@dataclass(frozen=True, eq=False)
class Report:
    """The last reading that was reported, and the small picture of the table that last showed it."""

    reading: Any
    grey: np.ndarray


def whole_picture(frame_bgr: np.ndarray) -> np.ndarray:
    """The whole picture."""
    return frame_bgr


def remember_nothing() -> None:
    """Does nothing, for readers that remember no rest."""


def same_frame(frame: Frame) -> Frame:
    """The frame itself, for cameras that are watched at full size."""
    return frame


@dataclass(frozen=True, eq=False)
class FrameReading:
    """One frame and its reading; `motion` leads to it from the still stretch's first frame, see `Steady`."""

    picture: Frame
    reading: Any
    motion: Motion | None = None


class Watch:
    """Takes every frame of a camera, in order, and gives a reading when there is a new one.

    read            reads one picture
    kind            what it reads
    live            what lies there in the first frame is not new: it was put there before, and perhaps reported by a
                    process that has died since
    show            the part of a picture that goes with a reading
    on_rest         called for each rest once it was read
    again           reads the second picture of a rest under a camera that stands; `read` does where it is None
    stopwatch_us    measures the work, which is added to the stamps of the frames

    `offset_us` is table time minus the time of the frames' stamps.
    """

    def __init__(
        self,
        read: Read,
        *,
        live: bool,
        kind: Kind = Kind.DICE,
        show: Show = whole_picture,
        on_rest: OnRest = remember_nothing,
        again: Again | None = None,
        stopwatch_us: Callable[[], int] = monotonic_us,
    ) -> None:
        self.offset_us = 0
        self._show = show
        self._on_rest = on_rest
        self._read, self._again = read, again
        self._in_time: InTime = READERS[kind].in_time
        self._live = live
        self._stopwatch_us = stopwatch_us
        self._began_us: int | None = None
        self._ready_us = 0  # The work on the last frame was done then, in the time of the frames.
        self._track: Track | None = None
        self._die_part: float | None = None  # The largest die that was seen last has this share of the picture.
        self._take: int | None = None
        self._first_still: Frame | None = None  # It is the first of the present stretch, until that has settled.
        self._early: FrameReading | None = None
        self._report: Report | None = None
        # These were reported before that, or before the table was empty.
        self._earlier: deque[Any] = deque(maxlen=EARLIER)
        self._unmoved = Unmoved()
        self._steady = Steady()
        self._stretch: list[StillFrame] = []  # While a hand holds the camera, these are its two sharpest frames.
        self._read_px = (0, 0)  # The last picture read has this height and width.

    def feed(self, frame: Frame, full: Full = same_frame) -> Settled | None:
        """A reading when the table has just come to rest with something new, otherwise None."""
        started_us = self._stopwatch_us()
        rest = self._read_rest(frame, full)
        self._ready_us = max(self._ready_us, frame.at_us) + self._stopwatch_us() - started_us
        if rest is None:
            return None
        look, since_us, may_be_old = rest
        return replace(self._report_of(look, since_us), surely_new=not may_be_old)

    def glance(self, frame: Frame, full: Full = same_frame) -> Settled:
        """The reading of this one frame, at rest or not."""
        started_us = self._stopwatch_us()
        look = self._look_at(frame, full)
        self._ready_us = max(self._ready_us, frame.at_us + self._stopwatch_us() - started_us)
        return self._report_of(look, frame.at_us)

    def forget(self) -> None:
        """Reports the next rest, whatever was reported before."""
        self._report = None
        self._earlier.clear()

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing moved in the last frames."""
        return is_settled(self._track)

    @property
    def is_quiet(self) -> bool:
        """Whether the table is at rest under a camera that stands, and what lies there was read."""
        track, steady = self._track, self._steady
        is_held = steady.may_be_held or (track is not None and steady.is_held(track.at_us))
        return self.is_at_rest and self._first_still is None and not is_held

    def _report_of(self, look: FrameReading, since_us: int) -> Settled:
        """A frame's reading with its pictures, to be reported; `since_us` in the time of the frames."""
        shown_bgr = self._show(look.picture.bgr)
        return Settled(
            reading=self._in_time.later(look.reading, self.offset_us),
            rested_us=since_us + self.offset_us,
            read_us=self._ready_us + self.offset_us,
            frame_jpeg=as_jpeg(reduced(shown_bgr)),
            crops_jpeg=tuple(as_jpeg(crop(shown_bgr, place)) for place in self._in_time.places(look.reading)),
        )

    def _read_rest(self, frame: Frame, full: Full) -> tuple[FrameReading, int, bool] | None:
        """The reading of a new rest, since when the table rests, and whether all may have lain there before."""
        if self._began_us is None:
            self._began_us = frame.at_us
            self._look_at(frame, full)  # The first reading of a picture of this size is slow, as it allocates memory.
        if frame.take != self._take:
            self._take, self._track, self._die_part = frame.take, None, None
            self._unmoved.forget()
            self._steady = Steady()
            self.forget()
        track, grey = self._track_frame(frame)
        self._track = track
        if track.frames == 1:
            self._first_still, self._early = frame, None
            self._stretch.clear()
        first_still, early = self._first_still, self._early
        is_held = self._steady.is_held(frame.at_us)
        if first_still is not None and is_held:
            still_frame = StillFrame(frame, self._steady.motion, sharpness(frame.bgr))
            self._stretch = sorted([*self._stretch, still_frame], key=lambda still: -still.sharpness)[:2]
        if not is_settled(track):
            if (
                first_still is not None
                and track.frames == EARLY_FRAMES
                and not is_held
                and not self._shows_report(grey)
            ):
                self._early = self._look_at(first_still, full)
            return None
        self._first_still = self._early = None  # A table mostly rests, and a picture of 12 megapixels takes 36 MB.
        stretch, self._stretch = self._stretch, []
        if first_still is None:
            return None
        if is_held:
            self._carry_home()
            sharpest, *others = stretch
            other = others[0] if others else StillFrame(first_still)
            first = self._look_at(other.frame, full, other.motion)
            look = self._confirm(first, sharpest.frame, full, sharpest.motion)
        elif self._shows_report(grey):
            return None
        else:
            look = self._confirm(early or self._look_at(first_still, full), frame, full)
        self._on_rest()
        was_there = self._live and track.since_us == self._began_us
        look = self._with_since(look, ALWAYS_US if was_there else track.since_us)
        if dice := self._in_time.dice(look.reading):
            self._die_part = max(die.w * die.h for die in dice) / (look.picture.bgr.size / 3)
        if self._in_time.is_empty(look.reading):
            self._forget_last()
            return None
        reading = self._as_first_saw(look)
        if self._report is not None:
            if self._in_time.is_known(self._report.reading, reading):
                self._report = Report(self._in_time.remember(self._report.reading, reading), grey)
                return None
            if is_held and self._is_last_rest(reading):
                self._report = replace(self._report, grey=grey)
                return None
        may_be_old = any(self._in_time.may_be_old(earlier, reading) for earlier in self._earlier)
        self._forget_last()
        self._report = Report(reading, grey)
        return None if was_there else (look, track.since_us, may_be_old)

    def _track_frame(self, frame: Frame) -> tuple[Track, np.ndarray]:
        """The track after one more frame, and the small grey picture as the first one of its stretch saw it."""
        picture = thumbnail(frame.small_bgr)
        if self._in_time.move is None:
            return follow(self._track, picture, frame.at_us, self._die_part), picture.grey
        steadied = self._steady.hold_still(picture, frame.at_us, self._track)
        track = follow(self._track, steadied, frame.at_us, self._die_part)
        if track.frames == 1:
            self._steady.begin(picture)
            return replace(track, still_grey=picture.grey), picture.grey
        if self._steady.may_be_held and not is_settled(self._track):
            # A camera that moves over carpet passes for one that stands.
            track = replace(track, state=TableState.MOVING)
        return self._steady.follow_home(track), steadied.grey

    def _carry_home(self) -> None:
        """Takes what is remembered to where a hand-held camera is in this rest; what cannot be taken along is new."""
        home = self._steady.home
        if home is None:
            self._unmoved.forget()
            return
        self._unmoved.carry(self._steady.in_frame(home, self._read_px))
        if self._report is not None:
            self._report = replace(self._report, reading=self._move_reading(self._report.reading, home))
        self._earlier = deque((self._move_reading(reading, home) for reading in self._earlier), EARLIER)

    def _move_reading(self, reading: Any, motion: Motion | None) -> Any:
        """The reading of a picture as another one has it, to which `motion` leads."""
        if motion is None or self._in_time.move is None:
            return reading
        return self._in_time.move(reading, partial(move_place, self._steady.in_frame(motion, self._read_px)))

    def _with_since(self, look: FrameReading, since_us: int) -> FrameReading:
        """The look, its reading saying since when each thing lies there; `since_us` is ALWAYS_US if it always did."""
        if self._in_time.date is None:
            return look
        first_bgr = look.picture.bgr
        if look.motion is not None:
            first_bgr = as_seen_before(first_bgr, self._steady.in_frame(look.motion, self._read_px))
        places = self._in_time.places(self._as_first_saw(look))
        at_us = self._unmoved.since(first_bgr, places, since_us)
        return replace(look, reading=self._in_time.date(look.reading, at_us))

    def _as_first_saw(self, look: FrameReading) -> Any:
        """The reading in the pixels of the still stretch's first frame."""
        return self._move_reading(look.reading, None if look.motion is None else np.linalg.inv(look.motion))

    def _is_last_rest(self, reading: Any) -> bool:
        """Whether a camera that is held shows the last rest's table once more, and no die where that showed nothing."""
        home = self._steady.home
        if home is None or not self._steady.is_same:
            return False
        back = self._steady.in_frame(np.linalg.inv(home), self._read_px)
        height, width = self._read_px
        lay = [(*move_place(back, place.cx, place.cy), place) for place in self._in_time.places(reading)]
        return all(
            place.w / 2 < x < width - place.w / 2 and place.h / 2 < y < height - place.h / 2 for x, y, place in lay
        )

    def _forget_last(self) -> None:
        """Moves the last report to the earlier ones: it may reappear."""
        if self._report is not None:
            self._earlier.append(self._report.reading)
            self._report = None

    def _shows_report(self, grey: np.ndarray) -> bool:
        """Whether the table shows what was last reported, so only a hand moved between."""
        last = self._report
        return last is not None and last.grey.shape == grey.shape and not changed(last.grey, grey).any()

    def _look_at(self, frame: Frame, full: Full, motion: Motion | None = None) -> FrameReading:
        picture = full(frame)
        self._read_px = picture.bgr.shape[:2]
        return FrameReading(picture, self._read(picture.bgr), motion)

    def _confirm(self, first: FrameReading, frame: Frame, full: Full, motion: Motion | None = None) -> FrameReading:
        """The reading of both pictures of a rest; a photo, which is one picture, is read once."""
        picture = full(frame)
        if picture.bgr is first.picture.bgr:
            return first
        there = self._move_reading(self._as_first_saw(first), motion)
        stands = first.motion is None and motion is None
        again = self._again(picture.bgr, there) if self._again and stands else self._read(picture.bgr)
        return FrameReading(picture, self._in_time.agree(again, there), motion)


def crop(frame_bgr: np.ndarray, box: Place) -> np.ndarray:
    """The picture around one die, at least CROP_PX large."""
    half_px = max(box.w, box.h) * (0.5 + CROP_MARGIN)
    height, width = frame_bgr.shape[:2]
    left, right = max(0, round(box.cx - half_px)), min(width, round(box.cx + half_px))
    top, bottom = max(0, round(box.cy - half_px)), min(height, round(box.cy + half_px))
    part = frame_bgr[min(top, height - 1) : max(bottom, top + 1), min(left, width - 1) : max(right, left + 1)]
    larger = max(1.0, CROP_PX / max(part.shape[:2]))
    return cv2.resize(part, None, fx=larger, fy=larger, interpolation=cv2.INTER_CUBIC)
