"""Tells the moment when a stack falls, from small pictures (see `comparison`) and their stamps alone.

    small picture → shake removed → light matched → what changed → the stack's own pixels? is an arm there?

A standing stack keeps its pixels. They change when it falls and when a hand passes in front of it. A hand belongs to an
arm that reached in over the edge of the picture before; a stack and its shadow do not. Three pictures are enough if
there is no arm, or it is still or draws back. If an arm came closer just now, the background of the stack must be seen
in its place, or the stack must stay gone for longer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.watch.comparison import CHANGE_LEVELS, Comparison, View, follow_light, in_light, look_at, small_levels

LOST_PART = 0.4  # A stack is lost when this share of its upper half has changed.
BACK_PART = 0.25  # Below this share it stands after all.
TOUCHED_PART = 0.1  # Above this share something is in front of it, or it begins to move.
SURE_US = 95_000  # Without an arm, a change that lasts this long is a fall: three pictures at 30 a second.
FALL_US = 300_000  # Most of a falling stack changes within this time of its first change; mostly it takes 100 ms.
DOUBT_US = 450_000  # With an arm near, a change has to last this long.
ARM_SINCE_US = 600_000  # An arm seen so recently may still be there, in the colour of the wall.
GAIN_US = 200_000  # An arm that grew so recently may hide a stack.
# An arm grows by this share of the picture; less reacts to a trembling hand, more misses a slow one.
GAIN_PART = 0.0005
REACH_PX = 10  # An arm so close to the stack, in pixels of the small picture, may hide it.
TELLING_LEVELS = 9.0  # A stack's pixel tells whether the stack is there if it differs so much from the background.
TELLING_PART = 0.2  # With fewer such pixels than this share of the upper half, all are used.
# A pixel within so many levels shows the background; a stack is gone when this share of it does.
GONE_LEVELS, GONE_PART = 12.0, 0.4
EDGE_PX, BESIDE_PX = 3, 8  # The background begins so far beside the stack, and is so wide.


@dataclass(frozen=True)
class Fall:
    """A stack fell: `began_us` when it was last seen standing, `seen_us` when that was sure."""

    began_us: int
    seen_us: int


@dataclass(frozen=True, eq=False)
class Arm:
    """An arm or anything else that reaches in over the edge of the picture.

    mask       (h, w) bool: where it was last, at `at_us`
    since_us   when it was first seen
    before     (h, w) bool: where it was a little earlier, at `before_us`
    gained_us  when it last grew: an arm that lies still or draws back hides nothing more
    """

    mask: np.ndarray
    at_us: int
    since_us: int
    before: np.ndarray
    before_us: int
    gained_us: int

    def was_there_before(self, first_us: int, at_us: int) -> bool:
        """Whether it was there before something changed at `first_us`, and may still be, in the wall's colour."""
        return self.since_us < first_us and at_us - self.at_us < ARM_SINCE_US

    def grew_since(self, first_us: int) -> bool:
        """Whether it grew when something changed at `first_us`, or since."""
        return self.gained_us > min(first_us, self.at_us) - GAIN_US


@dataclass(frozen=True, eq=False)
class Beside:
    """The background on one side of a stack.

    picture  (h, w, 3) float32: the view, with that side continued behind the stack
    band     (h, w) bool: the pixels beside the stack from which it is continued
    """

    picture: np.ndarray
    band: np.ndarray


@dataclass(frozen=True, eq=False)
class StackTrack:
    """The memory of a standing stack from picture to picture.

    beside    background left and right of the stack
    upper     (h, w) bool: pixels of its upper half; only those that differ from the background, if they are enough
    lost_us   since when its upper half is changed, or None; `touched_us` since when it is changed a little
    arm       the last arm, None before it came and after it left. An arm that hides a stack was seen before touching
              it; the shadow of a falling stack was not
    hidden_us when an arm was last seen in front of it
    away      number of pictures in a row with background in place of its upper half
    """

    beside: tuple[Beside, Beside]
    upper: np.ndarray
    lost_us: int | None = None
    touched_us: int | None = None
    arm: Arm | None = None
    hidden_us: int | None = None
    away: int = 0

    def began_us(self, at_us: int) -> int:
        """When it began to change; a change that began long before most of it changed was a touch."""
        lost_us = at_us if self.lost_us is None else self.lost_us
        return lost_us if self.touched_us is None or lost_us - self.touched_us > FALL_US else self.touched_us


def start_track(picture: np.ndarray, stack: np.ndarray) -> StackTrack:
    """Begins with a picture of the standing stack; `stack` (h, w) bool marks its pixels, at least one."""
    rows = np.flatnonzero(stack.any(axis=1))
    upper = stack.copy()
    upper[(rows[0] + rows[-1]) // 2 + 1 :] = False
    beside = beside_stack(picture, stack)
    apart = np.min([np.abs(picture - side.picture).max(axis=2) for side in beside], axis=0)
    telling = upper & (apart > TELLING_LEVELS)
    if telling.sum() >= TELLING_PART * upper.sum():
        upper = telling
    return StackTrack(beside, upper)


def beside_stack(picture: np.ndarray, stack: np.ndarray) -> tuple[Beside, Beside]:
    """The background left and right of the stack, row by row: either may continue behind it."""
    left, right = (Beside(picture.copy(), np.zeros_like(stack)) for _side in range(2))
    for row in np.flatnonzero(stack.any(axis=1)):
        columns = np.flatnonzero(stack[row])
        first, last = columns[0] - EDGE_PX, columns[-1] + EDGE_PX + 1
        for side, at in (
            (left, slice(max(0, first - BESIDE_PX), max(0, first))),
            (right, slice(last, last + BESIDE_PX)),
        ):
            if len(picture[row, at]):
                side.picture[row, max(0, first) : last] = np.median(picture[row, at], axis=0)
                side.band[row, at] = True
    return left, right


def follow_stack(track: StackTrack, look: Comparison) -> tuple[StackTrack, Fall | None]:
    """The track after one more picture, and the fall once it is sure."""
    lost = float(look.change[track.upper].mean())
    at_us = look.at_us
    touched_us = None if lost < TOUCHED_PART else at_us if track.touched_us is None else track.touched_us
    is_falling = track.lost_us is not None or track.began_us(at_us) < at_us
    arm = follow_arm(track.arm, look, is_falling)
    if lost < BACK_PART:
        return replace(track, lost_us=None, touched_us=touched_us, arm=arm, away=0), None
    lost_us = track.lost_us if track.lost_us is not None else (at_us if lost >= LOST_PART else None)
    track = replace(track, lost_us=lost_us, touched_us=touched_us)
    first_us = track.began_us(at_us)
    arm_here = arm if arm is not None and arm.was_there_before(first_us, at_us) else None
    away = track.away + 1 if arm_here is not None and is_gone(track, look) else 0
    is_there = arm_here is not None and arm_here.at_us == at_us and reaches(arm_here.mask, track.upper)
    hidden_us = at_us if is_there else track.hidden_us
    track = replace(track, arm=arm, hidden_us=hidden_us, away=away)
    if lost_us is None or lost < LOST_PART:
        return track, None
    is_free = hidden_us is None or at_us - hidden_us >= SURE_US
    wanted_us = DOUBT_US if arm_here is not None and arm_here.grew_since(first_us) else SURE_US
    if away >= 3 or (is_free and at_us - lost_us >= wanted_us):
        return track, Fall(lost_us, at_us)
    return track, None


def follow_arm(arm: Arm | None, look: Comparison, is_falling: bool) -> Arm | None:
    """The arm after one more picture.

    Once a stack may be falling, its own blocks may reach the edge of the picture: then only what is where an arm was
    last seen is an arm.
    """
    if look.is_clear:
        return None
    at_us, numbers = look.at_us, look.arms
    is_arm = np.ones(numbers.max() + 1, bool)
    if is_falling:
        is_arm[:] = False
        if arm is not None and at_us - arm.at_us < ARM_SINCE_US:
            is_arm[numbers[arm.mask]] = True
    is_arm[0] = False
    if not is_arm.any():
        return arm
    mask = is_arm[numbers]
    if arm is None or at_us - arm.at_us >= ARM_SINCE_US:
        return Arm(mask, at_us, at_us, mask, at_us, at_us)
    around = cv2.dilate(arm.before.astype(np.uint8), np.ones((5, 5), np.uint8))
    gained_us = at_us if np.count_nonzero(mask & (around == 0)) > GAIN_PART * mask.size else arm.gained_us
    arm = replace(arm, mask=mask, at_us=at_us, gained_us=gained_us)
    return arm if at_us - arm.before_us < SURE_US else replace(arm, before=mask, before_us=at_us)


def is_gone(track: StackTrack, look: Comparison) -> bool:
    """Whether the background is seen where the upper half was.

    A side that something covers shows nothing of the background: a dark sleeve in front of a dark wall is no wall.
    """
    gain, offset = np.array(look.light, np.float32).T
    rows, pixels = np.nonzero(track.upper)[0], look.picture[track.upper]
    like_a_side = np.zeros(len(rows), bool)
    for side in track.beside:
        apart = np.abs(pixels - in_light(side.picture[track.upper], gain, offset)).max(axis=1)
        is_free = 2 * (side.band & look.change).sum(axis=1) < side.band.sum(axis=1)
        like_a_side |= (apart < GONE_LEVELS) & is_free[rows]
    differs = np.abs(pixels - in_light(look.before[track.upper], gain, offset)).max(axis=1) > CHANGE_LEVELS
    return float((differs & like_a_side).mean()) >= GONE_PART


def reaches(arm: np.ndarray, upper: np.ndarray) -> bool:
    """Whether an arm is at the upper half of the stack or close to it."""
    rows, columns = np.flatnonzero(upper.any(axis=1)), np.flatnonzero(upper.any(axis=0))
    top, left = max(0, rows[0] - REACH_PX), max(0, columns[0] - REACH_PX)
    return bool(arm[top : rows[-1] + REACH_PX + 1, left : columns[-1] + REACH_PX + 1].any())


class CollapseWatch:
    """Watches stacks from frame to frame and tells which stack fell and when."""

    def __init__(self) -> None:
        # The stamp of a view's first picture is its key, as stacks read in one picture share it.
        self._views: dict[int, View] = {}
        self._tracks: dict[int, tuple[int, StackTrack]] = {}  # Each space has the stamp of its view beside its track.

    def watch(self, space: int, frame_bgr: np.ndarray, outlines_px: Sequence[np.ndarray], at_us: int) -> None:
        """Begins to watch a stack that was read in a frame; outlines are (n, 2) px of that frame."""
        picture = small_levels(frame_bgr)
        scale = picture.shape[1] / frame_bgr.shape[1]
        stack = np.zeros(picture.shape[:2], np.uint8)
        for outline in outlines_px:
            hull = cv2.convexHull(np.asarray(outline, np.float32) * scale)
            cv2.fillConvexPoly(stack, np.round(hull).astype(np.int32), 1)
        if stack.any():
            self.watch_small(space, picture, stack > 0, at_us)

    def watch_small(self, space: int, picture: np.ndarray, stack: np.ndarray, at_us: int) -> None:
        """As `watch`, from a small picture and the stack's pixels (h, w) bool in it."""
        self._views[at_us] = View(picture, at_us)
        self._tracks[space] = at_us, start_track(picture, stack)

    def forget(self, space: int) -> None:
        """Watches this stack no more."""
        self._tracks.pop(space, None)

    def feed(self, frame_bgr: np.ndarray, at_us: int) -> dict[int, Fall]:
        """The stacks that fell, by space, each once."""
        return self.feed_small(small_levels(frame_bgr), at_us) if self._tracks else {}

    def feed_small(self, picture: np.ndarray, at_us: int) -> dict[int, Fall]:
        """As `feed`, from a picture that `small_levels` made."""
        followed = {began_us for began_us, _ in self._tracks.values()}
        self._views = {began_us: view for began_us, view in self._views.items() if began_us in followed}
        falls = {}
        for began_us, view in list(self._views.items()):
            if view.picture.shape != picture.shape:
                continue
            look = look_at(view, picture, at_us)
            self._views[began_us] = follow_light(view, look)
            for space, (since_us, track) in list(self._tracks.items()):
                if since_us == began_us:
                    track, fall = follow_stack(track, look)
                    self._tracks[space] = since_us, track
                    if fall is not None:
                        falls[space] = fall
                        self.forget(space)
        return falls
