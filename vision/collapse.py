"""The moment a stack falls, told from small pictures and their stamps, nothing else.

    small picture → shake taken off → light matched → what changed → the stack's own pixels? is an arm there?

A stack that stands keeps its pixels. They change when it falls, and when a hand passes before it; a hand belongs to an
arm that reached in over the edge of the picture before, a stack and its shadow do not. Without an arm three pictures
are enough; where one is or just was in view, what is beside the stack has to be seen in its place, or the stack has to
stay gone for longer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.settle import Light, blocks, light_between_colours, small_size

CHANGE_LEVELS = 4.5  # grey levels; less hears flicker, more misses blocks before a wall of their own grey
NOISE_FACTOR = 5.0  # times the noise that the two pictures show themselves
LOST_PART = 0.4  # of the upper half of the stack has changed
BACK_PART = 0.25  # so little changed: it stands after all
TOUCHED_PART = 0.1  # so much changed: something is before it, or it begins to move
SURE_US = 95_000  # changed for so long with no arm about: three pictures at 30 a second
DOUBT_US = 450_000  # as long when an arm was about
ARM_SINCE_US = 600_000  # an arm that was seen so recently may still be there, in the colour of the wall
ARM_PART = 0.008  # of the picture, in one piece that reaches its edge
REACH_PX = 10  # of the small picture: an arm so close to the stack may be what hides it
SHAKE_PX = 12.0  # of the small picture; what moves the whole picture further is no shake
SHAKE_SEEN = 0.15  # response of the phase correlation below which nothing is said about a shake
WHITE = 250.0  # how bright so bright a pixel was is not known
TELLING_LEVELS = 9.0  # so much does a pixel of the stack differ from what is beside it, to tell whether it is there
TELLING_PART = 0.2  # of the upper half; where fewer tell, all are looked at
GONE_LEVELS, GONE_PART = 12.0, 0.4  # so like what is beside the stack is this part of where it was
EDGE_PX, BESIDE_PX = 3, 8  # from the stack to what counts as beside it, and how much of that
FADE_US, KEEP_US = 4_000_000, 200_000  # slow light is followed within this time, in steps of that


@dataclass(frozen=True)
class Fall:
    """A stack fell: when it was last seen standing, and when that was sure."""

    began_us: int
    seen_us: int


@dataclass(frozen=True, eq=False)
class View:
    """What the camera saw when stacks stood: (h, w, 3) float32, blue, green, red; it follows slow light since."""

    picture: np.ndarray
    kept_us: int


@dataclass(frozen=True, eq=False)
class Compared:
    """One more picture, beside the view that is remembered.

    before   that view
    picture  (h, w, 3) float32, the shake taken off
    change   (h, w) bool: where it differs from the view by more than light and noise
    light    of each colour, from the view to the picture
    arm      (h, w) bool: what changed in one piece that reaches the edge of the picture, large enough for an arm
    """

    before: np.ndarray
    picture: np.ndarray
    change: np.ndarray
    light: list[Light]
    arm: np.ndarray
    at_us: int


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
    arm_us    when an arm was seen last, and since when; None before the first one. One that hides a stack was seen
              before it touches it, the shadow of a stack that falls is not
    away      in so many pictures in a row what is beside the upper half was seen in its place
    """

    beside: tuple[Beside, Beside]
    upper: np.ndarray
    lost_us: int | None = None
    touched_us: int | None = None
    arm_us: tuple[int, int] | None = None
    away: int = 0


def small_picture(frame_bgr: np.ndarray) -> np.ndarray:
    """The picture as stacks are watched in it: (h, w, 3) float32, blue, green, red, 0..255; see `settle.small_size`."""
    return cv2.resize(frame_bgr, small_size(frame_bgr), interpolation=cv2.INTER_AREA).astype(np.float32)


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


def look_at(view: View, picture: np.ndarray, at_us: int) -> Compared:
    """What a picture of the same size shows beside the view."""
    still = without_shake(view.picture, picture)
    light = light_between_colours(blocks(view.picture), blocks(still))
    change = changed(view.picture, still, light)
    return Compared(view.picture, still, change, light, arms(change), at_us)


def follow_light(view: View, look: Compared) -> View:
    """The view, in its own light, drawn a little towards a new picture where nothing changed."""
    if look.at_us - view.kept_us < KEEP_US:
        return view
    weight = np.float32(min(1.0, (look.at_us - view.kept_us) / FADE_US))
    followed = []
    for before, after, (gain, offset) in zip(cv2.split(view.picture), cv2.split(look.picture), look.light, strict=True):
        step = weight * ((after - np.float32(offset)) / np.float32(gain) - before)
        step[look.change | (after >= WHITE)] = 0
        followed.append(before + step)
    return View(cv2.merge(followed), look.at_us)


def follow_stack(track: Standing, look: Compared) -> tuple[Standing, Fall | None]:
    """The track after one more picture, and the fall once it is sure."""
    lost = float(look.change[track.upper].mean())
    at_us, arm_us = look.at_us, track.arm_us
    if look.arm.any():
        known = arm_us is not None and at_us - arm_us[0] < ARM_SINCE_US
        arm_us = (at_us, arm_us[1] if arm_us is not None and known else at_us)
    touched_us = None if lost < TOUCHED_PART else at_us if track.touched_us is None else track.touched_us
    if lost < BACK_PART:
        return replace(track, lost_us=None, touched_us=touched_us, arm_us=arm_us, away=0), None
    lost_us = track.lost_us if track.lost_us is not None else (at_us if lost >= LOST_PART else None)
    first_us = at_us if touched_us is None else touched_us
    recent = arm_us is not None and arm_us[1] < first_us and at_us - arm_us[0] < ARM_SINCE_US
    away = track.away + 1 if recent and is_gone(track, look) else 0
    track = replace(track, lost_us=lost_us, touched_us=touched_us, arm_us=arm_us, away=away)
    if lost_us is None or lost < LOST_PART:
        return track, None
    wanted_us = DOUBT_US if recent else SURE_US
    if away >= 3 or (not (recent and reaches(look.arm, track.upper)) and at_us - lost_us >= wanted_us):
        return track, Fall(lost_us, at_us)
    return track, None


def changed(before_bgr: np.ndarray, bgr: np.ndarray, light: list[Light]) -> np.ndarray:
    """(h, w) bool: where two pictures differ in a colour by more than light and noise."""
    change = np.zeros(bgr.shape[:2], bool)
    for before, after, line in zip(cv2.split(before_bgr), cv2.split(bgr), light, strict=True):
        brighter = after - in_light(before, *np.array(line, np.float32))
        brighter[(before >= WHITE) & (brighter > 0)] = 0
        difference = np.abs(cv2.blur(brighter, (3, 3)))
        noise_levels = 1.4826 * float(np.median(difference[::3, ::3]))
        change |= difference > max(CHANGE_LEVELS, NOISE_FACTOR * noise_levels)
    return change


def in_light(levels: np.ndarray, gain: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """What was seen as it looks in another light; what is too bright stays white."""
    return np.minimum(levels * gain + offset, np.float32(255))


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


def without_shake(before_bgr: np.ndarray, bgr: np.ndarray) -> np.ndarray:
    """The picture, moved back by what a shake of camera or table moved all of it."""
    before_grey, grey = (cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in (before_bgr, bgr))
    (x, y), response = cv2.phaseCorrelate(before_grey, grey, window_of(grey.shape))
    if response < SHAKE_SEEN or max(abs(x), abs(y)) > SHAKE_PX or max(abs(x), abs(y)) < 0.1:
        return bgr
    back = np.array([[1, 0, -x], [0, 1, -y]], np.float32)
    return cv2.warpAffine(bgr, back, grey.shape[::-1], borderMode=cv2.BORDER_REPLICATE)


def window_of(shape: tuple[int, ...]) -> np.ndarray:
    """Fades the borders, where what moves in would look like a shake."""
    return np.asarray(cv2.createHanningWindow((shape[1], shape[0]), cv2.CV_32F))


def arms(change: np.ndarray) -> np.ndarray:
    """(h, w) bool: what changed in one piece that reaches the edge of the picture, large enough for an arm."""
    height, width = change.shape
    solid = cv2.morphologyEx(change.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    joined = cv2.dilate(solid, np.ones((5, 5), np.uint8))
    _, pieces, boxes, _ = cv2.connectedComponentsWithStats(joined)
    left, top, wide, tall, area = boxes.T
    at_edge = (left <= 2) | (top <= 2) | (left + wide >= width - 2) | (top + tall >= height - 2)
    is_arm = at_edge & (area > ARM_PART * change.size)
    is_arm[0] = False  # the rest of the picture
    return np.asarray(is_arm[pieces])


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
