"""Compares a picture with an earlier one of the same place: stripes and shake removed, light matched, changes, arms."""

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from vision.cameras.pictures import small_picture
from vision.watch.settle import LEAST_DARK, NOISE_FACTOR, LightChange, blocks, light_between_colours
from vision.watch.stripes import LEAST_LEVEL, WHITE, with_stripes_of

CHANGE_LEVELS = 4.5  # Less reacts to flicker, more misses blocks in front of a wall of the same grey.
ARM_PART = 0.008  # An arm is a piece that reaches the picture's edge and has this share of it.
SHAKE_PX = 12.0  # A shake moves the small picture no further.
SHAKE_SEEN = 0.15  # A phase correlation with a lower response tells no shake.
CLEAR_PART = 0.001  # With fewer changes than this share of the picture no arm is in view.
FADE_US, KEEP_US = 4_000_000, 200_000  # Slow light is followed within the first of these times, in steps of the second.


@dataclass(frozen=True, eq=False)
class View:
    """The picture when stacks stood, (h, w, 3) float32 BGR, following slow light since then."""

    picture: np.ndarray
    kept_us: int

    @cached_property
    def blocks(self) -> tuple[np.ndarray, np.ndarray]:
        """The picture in blocks, and which of them hold white."""
        return blocks(self.picture), holds_white(self.picture)


@dataclass(frozen=True, eq=False)
class Comparison:
    """One more picture, compared with the remembered view.

    before   that view
    picture  (h, w, 3) float32, without shake
    change   (h, w) bool: where it differs from the view by more than light and noise
    light    change of each colour from the view to the picture
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
        """Whether hardly anything differs from the view: what reached in has left."""
        return float(self.change.mean()) < CLEAR_PART


def small_levels(picture: np.ndarray) -> np.ndarray:
    """The small picture as float32, in BGR (h, w, 3) or in grey (h, w)."""
    return small_picture(picture).astype(np.float32)


def look_at(view: View, picture: np.ndarray, at_us: int) -> Comparison:
    """The comparison of a picture of the same size with the view."""
    still, light, apart = without_shake_and_light(view, picture)
    if count_apart(apart) >= CLEAR_PART * picture.size:
        even = in_the_views_stripes(view.picture, picture)
        if even is not None:
            evened = without_shake_and_light(view, even)
            if count_apart(evened[2]) < count_apart(apart):
                still, light, apart = evened
    change = changed(apart)
    return Comparison(view.picture, still, change, light, arms(change), at_us)


def without_shake_and_light(view: View, picture: np.ndarray) -> tuple[np.ndarray, list[LightChange], list[np.ndarray]]:
    """The picture without shake, how the light changed from the view to it, and what differs; see `differences`."""
    still = without_shake(view.picture, picture)
    light = light_from(view, still)
    apart = differences(view.picture, still, light)
    if still is not picture and count_apart(apart) >= CLEAR_PART * picture.size:
        unmoved = differences(view.picture, picture, light)
        if count_apart(unmoved) < count_apart(apart):  # a falling stack may look like a shake
            still, apart = picture, unmoved
    return still, light, apart


def in_the_views_stripes(before_bgr: np.ndarray, bgr: np.ndarray) -> np.ndarray | None:
    """The picture with a flickering lamp's stripes as they lay in the view; None if no stripes tell them apart.

    A colour that is too dark to show stripes of its own has those of the grey picture.
    """
    before_grey, grey = (cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in (before_bgr, bgr))
    even_grey = with_stripes_of(grey, before_grey)
    if even_grey is None:
        return None
    gain = (even_grey + LEAST_LEVEL) / (grey + LEAST_LEVEL)
    even = []
    for after, before in zip(cv2.split(bgr), cv2.split(before_bgr), strict=True):
        own = with_stripes_of(after, before)
        level_in_stripes = np.clip((after + LEAST_LEVEL) * gain - LEAST_LEVEL, 0, 255) if own is None else own
        even.append(np.asarray(level_in_stripes, np.float32))
    return cv2.merge(even)


def follow_light(view: View, look: Comparison) -> View:
    """The view, adjusted a little towards a new picture where nothing changed."""
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
    """The light change of each colour from the view to a picture.

    Blocks that hold white are left out if enough others remain, as clipped pixels make their mean unknown.
    """
    (before, was_white), after = view.blocks, blocks(bgr)
    white = was_white | holds_white(bgr)
    if 1 - white.mean() > LEAST_DARK:
        before, after = (np.where(white, np.float32(255), blocked) for blocked in (before, after))
    return light_between_colours(before, after)


def holds_white(picture: np.ndarray) -> np.ndarray:
    """Which blocks of a picture hold a white pixel, bool for each colour; see `blocks`."""
    return blocks(cv2.compare(picture, (WHITE,) * 4, cv2.CMP_GE)) > 0  # type: ignore[call-overload]  # its types know no colour


def differences(before_bgr: np.ndarray, bgr: np.ndarray, light: list[LightChange]) -> list[np.ndarray]:
    """(h, w) float32 for each colour: the difference of two pictures in grey levels, light removed."""
    apart = []
    for before, after, line in zip(cv2.split(before_bgr), cv2.split(bgr), light, strict=True):
        brighter = after - in_light(before, *np.array(line, np.float32))
        brighter[(before >= WHITE) & (brighter > 0)] = 0
        apart.append(np.abs(cv2.blur(brighter, (3, 3))))
    return apart


def count_apart(apart: list[np.ndarray]) -> int:
    """The number of pixels and colours in which two pictures differ, noise included; see `differences`."""
    return sum(int(np.count_nonzero(difference > CHANGE_LEVELS)) for difference in apart)


def changed(apart: list[np.ndarray]) -> np.ndarray:
    """(h, w) bool: where two pictures differ in a colour by more than noise; see `differences`."""
    change = np.zeros(apart[0].shape, bool)
    for difference in apart:
        noise_levels = 1.4826 * float(np.median(difference[::3, ::3]))
        change |= difference > max(CHANGE_LEVELS, NOISE_FACTOR * noise_levels)
    return change


def in_light(levels: np.ndarray, gain: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """Levels as they look in another light; what is too bright stays white."""
    return np.minimum(levels * gain + offset, np.float32(255))


def without_shake(before_bgr: np.ndarray, bgr: np.ndarray) -> np.ndarray:
    """The picture, moved back by what a shake moved all of it."""
    before_grey, grey = (cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in (before_bgr, bgr))
    (x, y), response = cv2.phaseCorrelate(before_grey, grey, window_of(grey.shape))
    if response < SHAKE_SEEN or max(abs(x), abs(y)) > SHAKE_PX or max(abs(x), abs(y)) < 0.1:
        return bgr
    back = np.array([[1, 0, -x], [0, 1, -y]], np.float32)
    return cv2.warpAffine(bgr, back, grey.shape[::-1], borderMode=cv2.BORDER_REPLICATE)


def window_of(shape: tuple[int, ...]) -> np.ndarray:
    """A window that fades the borders, where things that move in would look like a shake."""
    return np.asarray(cv2.createHanningWindow((shape[1], shape[0]), cv2.CV_32F))


def arms(change: np.ndarray) -> np.ndarray:
    """(h, w) int32: a number for each connected change that reaches the edge and is large enough for an arm, else 0."""
    height, width = change.shape
    solid = cv2.morphologyEx(change.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    joined = cv2.dilate(solid, np.ones((5, 5), np.uint8))
    _, pieces, boxes, _ = cv2.connectedComponentsWithStats(joined)
    left_px, top_px, wide_px, tall_px, area_px = boxes.T
    at_edge = (left_px <= 2) | (top_px <= 2) | (left_px + wide_px >= width - 2) | (top_px + tall_px >= height - 2)
    is_arm = at_edge & (area_px > ARM_PART * change.size)
    is_arm[0] = False  # The rest of the picture has this number.
    if not is_arm.any():
        return np.zeros(change.shape, np.int32)
    return np.where(is_arm, np.arange(len(is_arm), dtype=np.int32), 0)[pieces]
