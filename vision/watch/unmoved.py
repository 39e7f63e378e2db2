"""Tells since when each thing on the table has looked as it does now, from the pictures of two rests.

What lay there before a throw is no part of it: print, a counter, a die that was set aside. A die that was nudged or
turned in its place has changed. In doubt a thing counts as changed, and is read like any other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.readers.agreement import Place, is_near
from vision.watch.comparison import small_levels
from vision.watch.registration import Motion, Reference, at_size, move_points, register
from vision.watch.settle import CHANGE_LEVELS, COVER_LEVELS, NOISE_FACTOR, blocks, fit_line, light_between

LONGEST_PX = 1600  # A smaller picture may lose the pip that tells a 2 from a 3.
CHANGED_PART = 0.01  # A pip is 3 to 4 % of a face; less reacts to noise.
LEAST_CHANGED_PX = 3  # A tiny thing changes by at least so many pixels.
MIDDLE = 0.8  # This share of a thing's box holds all pips; what touches it lies in the corners.
BLUR_PX = 3
FINE_LEVELS = (2, 1)  # The pictures of two rests by hand are registered at these levels.
LOOSE_PX = 0.7  # A pip is ten times as wide; more hides how a die was turned.


@dataclass(frozen=True, eq=False)
class Rest:
    """A table at rest.

    grey        (h, w) uint8: its picture, which shows `scale` of the frame
    since_us    the time since when each of the places looks like that
    """

    grey: np.ndarray
    scale: float
    at_us: int
    places: tuple[Place, ...]
    since_us: tuple[int, ...]

    def since(self, place: Place) -> int:
        """Since when the place looks like that; what was not noticed there lay there at this rest."""
        times_us = (at_us for near, at_us in zip(self.places, self.since_us, strict=True) if is_near(near, place))
        return min(times_us, default=self.at_us)

    def seen_from(self, grey: np.ndarray, motion: Motion) -> "Rest | None":
        """This rest where the camera of a later picture (h, w) uint8 saw it; None if that cannot be told exactly.

        motion   from this picture to that one as the small pictures tell it, in pixels of the frame
        """
        if grey.shape != self.grey.shape:
            return None
        rough = at_size(motion, self.scale, self.scale)
        fit = register(Reference(self.grey.astype(np.float32)), grey.astype(np.float32), rough, FINE_LEVELS)
        if fit is None:
            return None
        moved_grey = cv2.warpPerspective(self.grey, fit.motion, grey.shape[::-1], flags=cv2.INTER_CUBIC)
        to_frame = at_size(fit.motion, 1 / self.scale, 1 / self.scale)
        places = tuple(
            replace(place, cx=cx, cy=cy)
            for place in self.places
            for cx, cy in move_points(np.array([[place.cx, place.cy]]), to_frame).tolist()
        )
        return replace(self, grey=moved_grey, places=places)


class Unmoved:
    """Follows what lies on one table from rest to rest."""

    def __init__(self) -> None:
        self._last: Rest | None = None
        self._carried: Motion | None = None

    def forget(self) -> None:
        """Begins again, for another table or another place of the camera."""
        self._last = self._carried = None

    def carry(self, motion: Motion) -> None:
        """A hand has moved the camera since: `motion` (3, 3) leads from the last rest's picture to the next one's, in
        pixels of the frame.
        """
        self._carried = motion

    def since(self, frame_bgr: np.ndarray, places: Sequence[Place], at_us: int) -> tuple[int, ...]:
        """For each place of a picture (h, w, 3) uint8 taken at rest: the time of the first rest at which it looked the
        same, and has since. `at_us` is the time of this rest.
        """
        scale = min(1.0, LONGEST_PX / max(frame_bgr.shape[:2]))
        grey = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
        if scale < 1:
            grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        before, carried = self._last, self._carried
        self._carried = None
        if before is not None and carried is not None:
            before = before.seen_from(grey, carried)
        if before is None or before.grey.shape != grey.shape:
            since_us = (at_us,) * len(places)
        else:
            pair = Pair(before.grey, grey, scale, LOOSE_PX if carried is not None else 0.0)
            since_us = tuple(before.since(place) if pair.is_alike_at(place) else at_us for place in places)
        self._last = Rest(grey, scale, at_us, tuple(places), since_us)
        return since_us


class Pair:
    """Two pictures (h, w) uint8 grey of one table, which show `scale` of the frame."""

    def __init__(self, before_grey: np.ndarray, after_grey: np.ndarray, scale: float, loose_px: float = 0.0) -> None:
        self._loose_px = loose_px  # A picture that was moved onto the other may lie so far aside.
        self._before, self._after, self._scale = before_grey, after_grey, scale
        # Light is told in the small pictures, in spite of noise.
        self._light = light_between(blocks(small_levels(before_grey)), blocks(small_levels(after_grey)))
        fine = np.subtract(after_grey[::2, ::2], before_grey[::2, ::2], dtype=np.int16).astype(np.float32)
        fine -= cv2.blur(fine, (BLUR_PX, BLUR_PX))
        noise_levels = 1.4826 * float(np.median(np.abs(fine))) / BLUR_PX
        self._most_levels = max(CHANGE_LEVELS, NOISE_FACTOR * noise_levels)

    def is_alike_at(self, place: Place) -> bool:
        """Whether a place of the frame looks the same in both but for its light."""
        height, width = self._after.shape
        across, down = MIDDLE * place.w / 2, MIDDLE * place.h / 2
        left, right = (round(np.clip(self._scale * (place.cx + way), 0, width)) for way in (-across, across))
        top, bottom = (round(np.clip(self._scale * (place.cy + way), 0, height)) for way in (-down, down))
        if left == right or top == bottom:
            return False
        before, after = (
            cv2.blur(picture[top:bottom, left:right].astype(np.float32), (BLUR_PX, BLUR_PX))
            for picture in (self._before, self._after)
        )
        gain, offset = fit_line(before, after, self._light)
        expected = self._light[0] * float(before.mean()) + self._light[1]
        if abs(gain * float(before.mean()) + offset - expected) > COVER_LEVELS:
            return False  # Something of another brightness lies there, which may have no pips.
        apart = np.abs(after - np.minimum(gain * before + offset, 255))
        if self._loose_px:
            steep = np.hypot(*(cv2.Sobel(before, cv2.CV_32F, 1 - way, way, scale=0.125) for way in range(2)))
            apart -= self._loose_px * cv2.dilate(steep, np.ones((3, 3), np.uint8))
        changed = np.count_nonzero(apart > self._most_levels)
        return bool(changed < max(LEAST_CHANGED_PX, CHANGED_PART * apart.size))
