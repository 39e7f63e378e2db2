"""The moment a stack falls, told from small grey pictures and their stamps, nothing else.

    small grey picture → shake taken off → light matched → what changed → the stack's own pixels? is an arm there?

A stack that stands keeps its pixels. They change when it falls, and when a hand passes before it; a hand belongs to an
arm that reached in over the edge of the picture before, a stack and its shadow do not. Without an arm three pictures
are enough; where one is or just was in view, the upper half of the stack has to be seen going away, or to stay gone
for longer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.settle import SMALL_WIDTH_PX, match_light, small_grey

CHANGE_LEVELS = 4.5  # grey levels; less hears flicker, more misses blocks before a wall of their own grey
NOISE_FACTOR = 5.0  # times the noise that the two pictures show themselves
LOST_PART = 0.4  # of the upper half of the stack has changed
BACK_PART = 0.25  # so little changed: it stands after all
SURE_US = 95_000  # changed for so long with no arm about: three pictures at 30 a second
DOUBT_US = 450_000  # as long when an arm was about
ARM_SINCE_US = 600_000  # an arm that was seen so recently may still be there, in the colour of the wall
ARM_LEAD_US = 90_000  # an arm is seen so long before it can hide a stack; a shadow that goes is seen with it
ARM_PART = 0.008  # of the picture, in one piece that reaches its edge
SHAKE_PX = 12.0  # of the small picture; what moves the whole picture further is no shake
SHAKE_SEEN = 0.15  # response of the phase correlation below which nothing is said about a shake
MOVED_PX = 5.0  # of the small picture: the upper half is seen elsewhere
SAME_LOOK, OTHER_LOOK = 0.75, 0.5  # correlation that means the same piece, and another one
SEARCH_PX = 24
FADE_US = 4_000_000  # slow light is followed within this time


@dataclass(frozen=True)
class Fall:
    """A stack fell: when it was last seen standing, and when that was sure."""

    began_us: int
    seen_us: int


@dataclass(frozen=True, eq=False)
class Standing:
    """What is remembered of a standing stack from one picture to the next.

    grey      (h, w) float32: the picture with the stack
    stack     (h, w) bool: its pixels; `upper` the upper half of them
    lost_us   since when its upper half has been changed, None while it is there
    arm_us    when an arm was seen last, and since when; None before the first one
    moved     so many pictures in a row the upper half was seen elsewhere
    """

    grey: np.ndarray
    stack: np.ndarray
    upper: np.ndarray
    at_us: int
    lost_us: int | None = None
    arm_us: tuple[int, int] | None = None
    moved: int = 0


def stands_from(grey: np.ndarray, stack: np.ndarray, at_us: int) -> Standing:
    """Begins with a picture in which the stack stands; `stack` marks its pixels, at least one of them."""
    rows = np.flatnonzero(stack.any(axis=1))
    upper = stack.copy()
    upper[(rows[0] + rows[-1]) // 2 + 1 :] = False
    return Standing(grey, stack, upper, at_us)


def follow_stack(track: Standing, grey: np.ndarray, at_us: int) -> tuple[Standing, Fall | None]:
    """The track after one more picture, and the fall once it is sure."""
    if grey.shape != track.grey.shape:
        return track, None
    still = without_shake(track.grey, grey)
    change = changed(track.grey, still)
    lost = float(change[track.upper].mean())
    arm_us, arm_here = track.arm_us, has_arm(change)
    if arm_here:
        known = arm_us is not None and at_us - arm_us[0] < ARM_SINCE_US
        arm_us = (at_us, arm_us[1] if arm_us is not None and known else at_us)
    if lost < BACK_PART:
        return replace(kept(track, still, change, at_us), lost_us=None, arm_us=arm_us, moved=0), None
    lost_us = track.lost_us if track.lost_us is not None else (at_us if lost >= LOST_PART else None)
    came_first = arm_us is not None and (at_us if lost_us is None else lost_us) - arm_us[1] >= ARM_LEAD_US
    recent = arm_us is not None and came_first and at_us - arm_us[0] < ARM_SINCE_US
    moved = track.moved + 1 if recent and is_elsewhere(track, still) else 0
    track = replace(track, at_us=at_us, lost_us=lost_us, arm_us=arm_us, moved=moved)
    if lost_us is None or lost < LOST_PART:
        return track, None
    wanted_us = DOUBT_US if recent else SURE_US
    if moved >= 3 or (not (arm_here and recent) and at_us - lost_us >= wanted_us):
        return track, Fall(lost_us, at_us)
    return track, None


def changed(before_grey: np.ndarray, grey: np.ndarray) -> np.ndarray:
    """(h, w) bool: where two pictures differ by more than light and noise."""
    difference = np.abs(cv2.blur(grey - match_light(before_grey, grey), (3, 3)))
    noise_levels = 1.4826 * float(np.median(difference[::3, ::3]))
    return np.asarray(difference > max(CHANGE_LEVELS, NOISE_FACTOR * noise_levels))


def without_shake(before_grey: np.ndarray, grey: np.ndarray) -> np.ndarray:
    """The picture, moved back by what a shake of camera or table moved all of it."""
    # copies: OpenCV fades the borders of what it is given where it need not pad it
    (x, y), response = cv2.phaseCorrelate(before_grey.copy(), grey.copy(), window_of(grey.shape))
    if response < SHAKE_SEEN or max(abs(x), abs(y)) > SHAKE_PX or max(abs(x), abs(y)) < 0.1:
        return grey
    back = np.array([[1, 0, -x], [0, 1, -y]], np.float32)
    return cv2.warpAffine(grey, back, grey.shape[::-1], borderMode=cv2.BORDER_REPLICATE)


def window_of(shape: tuple[int, ...]) -> np.ndarray:
    """Fades the borders, where what moves in would look like a shake."""
    return np.asarray(cv2.createHanningWindow((shape[1], shape[0]), cv2.CV_32F))


def has_arm(change: np.ndarray) -> bool:
    """Something that changed reaches the edge of the picture, large enough for an arm."""
    height, width = change.shape
    joined = cv2.dilate(change.astype(np.uint8), np.ones((5, 5), np.uint8))
    _, _, boxes, _ = cv2.connectedComponentsWithStats(joined)
    for left, top, wide, tall, area in boxes[1:]:
        at_edge = left <= 2 or top <= 2 or left + wide >= width - 2 or top + tall >= height - 2
        if at_edge and area > ARM_PART * change.size:
            return True
    return False


def is_elsewhere(track: Standing, grey: np.ndarray) -> bool:
    """Whether the upper half of the stack is found, but not in its place."""
    rows, columns = np.nonzero(track.upper)
    top, bottom, left, right = rows.min(), rows.max() + 1, columns.min(), columns.max() + 1
    height, width = grey.shape
    up, aside = min(SEARCH_PX, top), min(SEARCH_PX, left)
    window = grey[top - up : min(height, bottom + SEARCH_PX), left - aside : min(width, right + SEARCH_PX)]
    piece = track.grey[top:bottom, left:right]
    if min(piece.shape) < 4 or window.shape[0] < piece.shape[0] or window.shape[1] < piece.shape[1]:
        return False
    likeness = cv2.matchTemplate(window, piece, cv2.TM_CCOEFF_NORMED)
    _, best, _, (x, y) = cv2.minMaxLoc(likeness)
    here = float(likeness[up, aside])
    return bool(best > SAME_LOOK and here < OTHER_LOOK and np.hypot(x - aside, y - up) > MOVED_PX)


def kept(track: Standing, grey: np.ndarray, change: np.ndarray, at_us: int) -> Standing:
    """The remembered picture, drawn a little towards the new one where nothing changed."""
    weight = np.float32(min(1.0, (at_us - track.at_us) / FADE_US))
    fresh = np.where(change, track.grey, track.grey + weight * (grey - track.grey))
    return replace(track, grey=fresh, at_us=at_us)


class CollapseWatch:
    """Watches stacks from frame to frame: feed it, and it says which stack fell and when."""

    def __init__(self) -> None:
        self._tracks: dict[int, Standing] = {}

    def stands(self, space: int, frame_bgr: np.ndarray, outlines_px: Sequence[np.ndarray], at_us: int) -> None:
        """A stack was read in a frame: its outlines are (n, 2) pixels of that frame each. Watching begins anew."""
        grey = small_grey(frame_bgr)
        scale = SMALL_WIDTH_PX / frame_bgr.shape[1]
        stack = np.zeros(grey.shape, np.uint8)
        for outline in outlines_px:
            hull = cv2.convexHull(np.asarray(outline, np.float32) * scale)
            cv2.fillConvexPoly(stack, np.round(hull).astype(np.int32), 1)
        if stack.any():
            self.stands_small(space, grey, stack > 0, at_us)

    def stands_small(self, space: int, grey: np.ndarray, stack: np.ndarray, at_us: int) -> None:
        """As `stands`, from a small grey picture and the pixels of the stack in it."""
        self._tracks[space] = stands_from(grey, stack, at_us)

    def forget(self, space: int) -> None:
        """Nobody cares about this stack any more."""
        self._tracks.pop(space, None)

    def feed(self, frame_bgr: np.ndarray, at_us: int) -> dict[int, Fall]:
        """The stacks that fell, by space; each is told once."""
        return self.feed_small(small_grey(frame_bgr), at_us) if self._tracks else {}

    def feed_small(self, grey: np.ndarray, at_us: int) -> dict[int, Fall]:
        """As `feed`, from a picture that `vision.settle.small_grey` made."""
        falls = {}
        for space, track in list(self._tracks.items()):
            self._tracks[space], fall = follow_stack(track, grey, at_us)
            if fall is not None:
                falls[space] = fall
                self.forget(space)
        return falls
