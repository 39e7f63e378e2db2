"""What a picture shows beside an earlier one of the same place: shake taken off, light matched, what changed, arms."""

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from vision.watch.settle import LEAST_DARK, LightChange, blocks, light_between_colours, reduced_to, small_size

CHANGE_LEVELS = 4.5  # grey levels; less hears flicker, more misses blocks before a wall of their own grey
NOISE_FACTOR = 5.0  # times the noise that the two pictures show themselves
ARM_PART = 0.008  # of the picture, in one piece that reaches its edge
SHAKE_PX = 12.0  # of the small picture; what moves the whole picture further is no shake
SHAKE_SEEN = 0.15  # response of the phase correlation below which nothing is said about a shake
WHITE = 250.0  # how bright so bright a pixel was is not known
CLEAR_PART = 0.001  # of the picture: where no more differs from when the stack stood, no arm is in view
FADE_US, KEEP_US = 4_000_000, 200_000  # slow light is followed within this time, in steps of that


@dataclass(frozen=True, eq=False)
class View:
    """What the camera saw when stacks stood: (h, w, 3) float32, blue, green, red; it follows slow light since."""

    picture: np.ndarray
    kept_us: int

    @cached_property
    def blocks(self) -> tuple[np.ndarray, np.ndarray]:
        """The picture in blocks, and which of them hold white."""
        return blocks(self.picture), holds_white(self.picture)


@dataclass(frozen=True, eq=False)
class Compared:
    """One more picture, beside the view that is remembered.

    before   that view
    picture  (h, w, 3) float32, the shake taken off
    change   (h, w) bool: where it differs from the view by more than light and noise
    light    of each colour, from the view to the picture
    arms     (h, w) int32: the number of each piece that changed, reaches the edge of the picture and is large enough
             for an arm; 0 elsewhere
    """

    before: np.ndarray
    picture: np.ndarray
    change: np.ndarray
    light: list[LightChange]
    arms: np.ndarray
    at_us: int

    @property
    def is_clear(self) -> bool:
        """Next to nothing differs from the view anywhere: what reached in has left."""
        return float(self.change.mean()) < CLEAR_PART


def small_picture(frame_bgr: np.ndarray) -> np.ndarray:
    """The picture as stacks are watched in it: (h, w, 3) float32, blue, green, red, 0..255; see `settle.small_size`."""
    return reduced_to(small_size(frame_bgr), frame_bgr).astype(np.float32)


def look_at(view: View, picture: np.ndarray, at_us: int) -> Compared:
    """What a picture of the same size shows beside the view."""
    still = without_shake(view.picture, picture)
    light = light_from(view, still)
    apart = differences(view.picture, still, light)
    if still is not picture and count_apart(apart) >= CLEAR_PART * picture.size:
        unmoved = differences(view.picture, picture, light)
        if count_apart(unmoved) < count_apart(apart):  # a stack that falls looks like a shake, too
            still, apart = picture, unmoved
    change = changed(apart)
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


def light_from(view: View, bgr: np.ndarray) -> list[LightChange]:
    """The light of each colour from the view to a picture, told from blocks that hold no white at all where there are
    enough: how bright white was is not known, nor then the mean of a block of which it is but a part."""
    (before, was_white), after = view.blocks, blocks(bgr)
    white = was_white | holds_white(bgr)
    if 1 - white.mean() > LEAST_DARK:
        before, after = (np.where(white, np.float32(255), blocked) for blocked in (before, after))
    return light_between_colours(before, after)


def holds_white(picture: np.ndarray) -> np.ndarray:
    """Which blocks of a picture, as `blocks` makes them, hold a white pixel: per colour, bool."""
    return blocks(cv2.compare(picture, (WHITE,) * 4, cv2.CMP_GE)) > 0  # type: ignore[call-overload]  # its types know no colour


def differences(before_bgr: np.ndarray, bgr: np.ndarray, light: list[LightChange]) -> list[np.ndarray]:
    """(h, w) float32 each: how far two pictures are apart in each colour, in grey levels, the light taken off."""
    apart = []
    for before, after, line in zip(cv2.split(before_bgr), cv2.split(bgr), light, strict=True):
        brighter = after - in_light(before, *np.array(line, np.float32))
        brighter[(before >= WHITE) & (brighter > 0)] = 0
        apart.append(np.abs(cv2.blur(brighter, (3, 3))))
    return apart


def count_apart(apart: list[np.ndarray]) -> int:
    """In how many pixels and colours two pictures differ, whatever their noise; see `differences`."""
    return sum(int(np.count_nonzero(difference > CHANGE_LEVELS)) for difference in apart)


def changed(apart: list[np.ndarray]) -> np.ndarray:
    """(h, w) bool: where two pictures differ in a colour by more than noise; see `differences`."""
    change = np.zeros(apart[0].shape, bool)
    for difference in apart:
        noise_levels = 1.4826 * float(np.median(difference[::3, ::3]))
        change |= difference > max(CHANGE_LEVELS, NOISE_FACTOR * noise_levels)
    return change


def in_light(levels: np.ndarray, gain: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """What was seen as it looks in another light; what is too bright stays white."""
    return np.minimum(levels * gain + offset, np.float32(255))


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
    """(h, w) int32: numbers of what changed in one piece that reaches the edge of the picture, large enough for an arm;
    0 elsewhere."""
    height, width = change.shape
    solid = cv2.morphologyEx(change.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    joined = cv2.dilate(solid, np.ones((5, 5), np.uint8))
    _, pieces, boxes, _ = cv2.connectedComponentsWithStats(joined)
    left, top, wide, tall, area = boxes.T
    at_edge = (left <= 2) | (top <= 2) | (left + wide >= width - 2) | (top + tall >= height - 2)
    is_arm = at_edge & (area > ARM_PART * change.size)
    is_arm[0] = False  # the rest of the picture
    if not is_arm.any():
        return np.zeros(change.shape, np.int32)
    return np.where(is_arm, np.arange(len(is_arm), dtype=np.int32), 0)[pieces]
