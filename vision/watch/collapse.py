"""The moment a stack falls, told from small pictures (see `comparison`) and their stamps, nothing else.

    small picture → shake taken off → light matched → what changed → the stack's own pixels? is an arm there?

A stack that stands keeps its pixels. They change when it falls, and when a hand passes before it; a hand belongs to an
arm that reached in over the edge of the picture before, a stack and its shadow do not. Three pictures are enough where
no arm is, or one that lies still or draws back; where one came closer just now, what is beside the stack has to be seen
in its place, or the stack has to stay gone for longer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.watch.comparison import CHANGE_LEVELS, Compared, View, follow_light, in_light, look_at, small_picture

LOST_PART = 0.4  # of the upper half of the stack has changed
BACK_PART = 0.25  # so little changed: it stands after all
TOUCHED_PART = 0.1  # so much changed: something is before it, or it begins to move
SURE_US = 95_000  # changed for so long with no arm about: three pictures at 30 a second
FALL_US = 300_000  # from the first change of a stack that falls until most of it has changed; most take 100 ms
DOUBT_US = 450_000  # as long when an arm was about
ARM_SINCE_US = 600_000  # an arm that was seen so recently may still be there, in the colour of the wall
GAIN_US = 200_000  # an arm that covered more of the picture so recently may be what hides a stack
GAIN_PART = 0.0005  # of the picture; less hears a hand that trembles, more misses one that creeps
REACH_PX = 10  # of the small picture: an arm so close to the stack may be what hides it
TELLING_LEVELS = 9.0  # so much does a pixel of the stack differ from what is beside it, to tell whether it is there
TELLING_PART = 0.2  # of the upper half; where fewer tell, all are looked at
GONE_LEVELS, GONE_PART = 12.0, 0.4  # so like what is beside the stack is this part of where it was
EDGE_PX, BESIDE_PX = 3, 8  # from the stack to what counts as beside it, and how much of that


@dataclass(frozen=True)
class Fall:
    """A stack fell: when it was last seen standing, and when that was sure."""

    began_us: int
    seen_us: int


@dataclass(frozen=True, eq=False)
class Arm:
    """What reaches in over the edge of the picture.

    seen       (h, w) bool: where it was seen last, at `at_us`
    since_us   when it was seen first
    before     (h, w) bool: where it was a little earlier, at `before_us`
    gained_us  when it was last seen to cover what it did not cover a little earlier: one that lies still or draws back
               hides nothing more
    """

    seen: np.ndarray
    at_us: int
    since_us: int
    before: np.ndarray
    before_us: int
    gained_us: int

    def came_before(self, first_us: int, at_us: int) -> bool:
        """It was there before something changed at `first_us`, and may still be, in the colour of the wall."""
        return self.since_us < first_us and at_us - self.at_us < ARM_SINCE_US

    def came_over(self, first_us: int) -> bool:
        """It covered more of the picture when something changed at `first_us`, or since."""
        return self.gained_us > min(first_us, self.at_us) - GAIN_US


@dataclass(frozen=True, eq=False)
class Beside:
    """One side of a stack.

    picture  (h, w, 3) float32: the view, where that side goes on behind the stack
    band     (h, w) bool: the pixels beside the stack that this was taken from, in each of its rows
    """

    picture: np.ndarray
    band: np.ndarray


@dataclass(frozen=True, eq=False)
class Standing:
    """What is remembered of a standing stack from one picture to the next.

    beside    what is left and right of the stack
    upper     (h, w) bool: pixels of its upper half; those that differ from what is beside it, where there are enough
    lost_us   since when its upper half has been changed, None while it is there; `touched_us` since when a little
    arm       the last one, None before the first and after it left. One that hides a stack was seen before it touches
              it, the shadow of a stack that falls is not
    hidden_us when an arm was last seen at it
    away      in so many pictures in a row what is beside the upper half was seen in its place
    """

    beside: tuple[Beside, Beside]
    upper: np.ndarray
    lost_us: int | None = None
    touched_us: int | None = None
    arm: Arm | None = None
    hidden_us: int | None = None
    away: int = 0

    def began_us(self, at_us: int) -> int:
        """When it began to change, if not long before most of it had: one that is touched for longer stands."""
        lost_us = at_us if self.lost_us is None else self.lost_us
        return lost_us if self.touched_us is None or lost_us - self.touched_us > FALL_US else self.touched_us


def stands_from(picture: np.ndarray, stack: np.ndarray) -> Standing:
    """Begins with a picture in which the stack stands; `stack` marks its pixels, at least one of them."""
    rows = np.flatnonzero(stack.any(axis=1))
    upper = stack.copy()
    upper[(rows[0] + rows[-1]) // 2 + 1 :] = False
    beside = beside_stack(picture, stack)
    apart = np.min([np.abs(picture - side.picture).max(axis=2) for side in beside], axis=0)
    telling = upper & (apart > TELLING_LEVELS)
    if telling.sum() >= TELLING_PART * upper.sum():
        upper = telling
    return Standing(beside, upper)


def beside_stack(picture: np.ndarray, stack: np.ndarray) -> tuple[Beside, Beside]:
    """What is left and what is right of the stack, in each row: one of them may go on behind it."""
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


def follow_stack(track: Standing, look: Compared) -> tuple[Standing, Fall | None]:
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
    known = arm if arm is not None and arm.came_before(first_us, at_us) else None
    away = track.away + 1 if known is not None and is_gone(track, look) else 0
    is_there = known is not None and known.at_us == at_us and reaches(known.seen, track.upper)
    hidden_us = at_us if is_there else track.hidden_us
    track = replace(track, arm=arm, hidden_us=hidden_us, away=away)
    if lost_us is None or lost < LOST_PART:
        return track, None
    is_free = hidden_us is None or at_us - hidden_us >= SURE_US
    wanted_us = DOUBT_US if known is not None and known.came_over(first_us) else SURE_US
    if away >= 3 or (is_free and at_us - lost_us >= wanted_us):
        return track, Fall(lost_us, at_us)
    return track, None


def follow_arm(arm: Arm | None, look: Compared, is_falling: bool) -> Arm | None:
    """The arm after one more picture. What comes to the edge of the picture once a stack may be falling may be its own
    blocks: only what is where an arm was seen last is one then."""
    if look.is_clear:
        return None
    at_us, numbers = look.at_us, look.arms
    is_arm = np.ones(numbers.max() + 1, bool)
    if is_falling:
        is_arm[:] = False
        if arm is not None and at_us - arm.at_us < ARM_SINCE_US:
            is_arm[numbers[arm.seen]] = True
    is_arm[0] = False
    if not is_arm.any():
        return arm
    seen = is_arm[numbers]
    if arm is None or at_us - arm.at_us >= ARM_SINCE_US:
        return Arm(seen, at_us, at_us, seen, at_us, at_us)
    around = cv2.dilate(arm.before.astype(np.uint8), np.ones((5, 5), np.uint8))
    gained_us = at_us if np.count_nonzero(seen & (around == 0)) > GAIN_PART * seen.size else arm.gained_us
    arm = replace(arm, seen=seen, at_us=at_us, gained_us=gained_us)
    return arm if at_us - arm.before_us < SURE_US else replace(arm, before=seen, before_us=at_us)


def is_gone(track: Standing, look: Compared) -> bool:
    """Whether what is beside the stack is seen where its upper half was; a side that something is before shows nothing
    of what is behind: a dark sleeve before a dark wall is no wall."""
    gain, offset = np.array(look.light, np.float32).T
    rows, now = np.nonzero(track.upper)[0], look.picture[track.upper]
    like_a_side = np.zeros(len(rows), bool)
    for side in track.beside:
        apart = np.abs(now - in_light(side.picture[track.upper], gain, offset)).max(axis=1)
        is_free = 2 * (side.band & look.change).sum(axis=1) < side.band.sum(axis=1)
        like_a_side |= (apart < GONE_LEVELS) & is_free[rows]
    differs = np.abs(now - in_light(look.before[track.upper], gain, offset)).max(axis=1) > CHANGE_LEVELS
    return float((differs & like_a_side).mean()) >= GONE_PART


def reaches(arm: np.ndarray, upper: np.ndarray) -> bool:
    """Whether an arm is at the upper half of the stack, or close to it."""
    rows, columns = np.flatnonzero(upper.any(axis=1)), np.flatnonzero(upper.any(axis=0))
    top, left = max(0, rows[0] - REACH_PX), max(0, columns[0] - REACH_PX)
    return bool(arm[top : rows[-1] + REACH_PX + 1, left : columns[-1] + REACH_PX + 1].any())


class CollapseWatch:
    """Watches stacks from frame to frame: feed it, and it says which stack fell and when."""

    def __init__(self) -> None:
        self._views: dict[int, View] = {}  # by the stamp of their first picture: stacks read in one share it
        self._tracks: dict[int, tuple[int, Standing]] = {}  # by space, with the stamp of its view

    def stands(self, space: int, frame_bgr: np.ndarray, outlines_px: Sequence[np.ndarray], at_us: int) -> None:
        """A stack was read in a frame: its outlines are (n, 2) pixels of that frame each. Watching begins anew."""
        picture = small_picture(frame_bgr)
        scale = picture.shape[1] / frame_bgr.shape[1]
        stack = np.zeros(picture.shape[:2], np.uint8)
        for outline in outlines_px:
            hull = cv2.convexHull(np.asarray(outline, np.float32) * scale)
            cv2.fillConvexPoly(stack, np.round(hull).astype(np.int32), 1)
        if stack.any():
            self.stands_small(space, picture, stack > 0, at_us)

    def stands_small(self, space: int, picture: np.ndarray, stack: np.ndarray, at_us: int) -> None:
        """As `stands`, from a small picture and the pixels of the stack in it."""
        self._views[at_us] = View(picture, at_us)
        self._tracks[space] = at_us, stands_from(picture, stack)

    def forget(self, space: int) -> None:
        """Nobody cares about this stack any more."""
        self._tracks.pop(space, None)

    def feed(self, frame_bgr: np.ndarray, at_us: int) -> dict[int, Fall]:
        """The stacks that fell, by space; each is told once."""
        return self.feed_small(small_picture(frame_bgr), at_us) if self._tracks else {}

    def feed_small(self, picture: np.ndarray, at_us: int) -> dict[int, Fall]:
        """As `feed`, from a picture that `small_picture` made."""
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
