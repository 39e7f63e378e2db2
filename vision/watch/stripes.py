"""Takes the stripes of a flickering lamp out of the comparison of two pictures.

A sensor exposes row after row, so a lamp that flickers with the mains makes each row brighter or darker as a whole, and
the stripes wander from picture to picture. Whatever moves on a table changes a part of a row, or not all of it alike.
"""

from collections import deque

import cv2
import numpy as np

LEAST_LEVEL = 4.0  # added to both pictures, so that the noise of dark pixels makes no gain
EACH = 3  # one of so many pixels of a row is looked at: less is surer in dim light, and takes longer
MOST_OF_ROW = 0.8  # of its pixels that a lamp changes alike: a die, a hand or a shadow may be on the others
ALIKE, ALIKE_NOISE = 0.04, 4.0  # how far apart they may be, as a share of the brightness; or so many times the noise
MOST_NOISE = 0.05  # share of the brightness; more, and a hand cannot be told from the noise of a row
STRIPE_NOISE, LEAST_STRIPE = 5.0, 0.004  # least gain of a striped row: times what noise leaves of it; as a share
LEAST_ROWS = 0.02  # of all rows; fewer move nothing anyway
WHITE = 250.0  # a brighter pixel may be clipped, so that nobody knows how bright it would be
STRONG = 0.28  # logarithm of a gain; less speaks of lamps whose stripes are read through
LOOK_US, LOOK_PX = 180_000, (160, 120)  # between two looks at the strength, and the picture for it
NEWEST = np.float32(0.25)  # part of a picture in the mean: more blurs the stripes less
FLICKER_US, LEAST_LOOKS = 2_000_000, 4  # of strong stripes before the table is told


def in_stripes_of(before: np.ndarray, after: np.ndarray) -> np.ndarray | None:
    """`before` with the stripes of `after` in place of its own; None if no lamp's stripes tell them apart.

    Both (h, w) float32, 0 to 255, of one colour or in grey.
    """
    striped = None
    for axis in (1, 0):  # rows; columns for a camera that is mounted turned
        gains = line_gains(before, after, axis)
        if gains is not None:
            lit = (before + LEAST_LEVEL) * np.expand_dims(gains, axis) - LEAST_LEVEL
            clipped = (before >= WHITE) & (after >= np.minimum(lit, WHITE))
            before = striped = np.where(clipped, after, np.minimum(lit, np.float32(255)))
    return striped


def line_gains(before: np.ndarray, after: np.ndarray, axis: int) -> np.ndarray | None:
    """How much brighter each row (axis 1) or column (axis 0) became, float32; None without stripes along it.

    A row that is not striped has the gain of the whole picture.
    """
    some = (slice(None), slice(None, None, EACH)) if axis == 1 else (slice(None, None, EACH), slice(None))
    ratio = (after[some] + LEAST_LEVEL) / (before[some] + LEAST_LEVEL)
    gains = np.median(ratio, axis=axis)
    apart = np.abs(ratio - np.expand_dims(gains, axis))
    noise = 1.4826 * float(np.median(apart))
    if noise > MOST_NOISE:
        return None
    alike = (apart < max(ALIKE, ALIKE_NOISE * noise)).mean(axis=axis) > MOST_OF_ROW
    usual = np.median(gains)
    left = 1.2533 * noise / np.sqrt(ratio.shape[axis])  # standard deviation of a median of so many
    striped = alike & (np.abs(gains - usual) > max(STRIPE_NOISE * left, LEAST_STRIPE))
    return np.where(striped, gains, usual) if striped.mean() > LEAST_ROWS else None


class Flicker:
    """Tells whether a lamp's stripes have been too strong to be read through for some time."""

    def __init__(self) -> None:
        self._mean: np.ndarray | None = None  # of the last small grey pictures, in which stripes blur
        self._looked_us = 0
        self._strong: deque[tuple[int, bool]] = deque()  # stamps of looks, and whether stripes were strong then

    @property
    def is_strong(self) -> bool:
        """Whether most looks of the last FLICKER_US found strong stripes."""
        if len(self._strong) < LEAST_LOOKS or self._strong[-1][0] - self._strong[0][0] < FLICKER_US // 2:
            return False
        return 2 * sum(strong for _at_us, strong in self._strong) > len(self._strong)

    def feed(self, bgr: np.ndarray, at_us: int) -> None:
        """Looks at one more picture (h, w, 3) uint8, a few times a second: more would take a Pi's time."""
        if self._mean is not None and 0 <= at_us - self._looked_us < LOOK_US:
            return
        self._looked_us = at_us
        grey = cv2.cvtColor(cv2.resize(bgr, LOOK_PX, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
        small = grey.astype(np.float32)
        if self._mean is None:
            self._mean = small
        self._strong.append((at_us, strength(self._mean, small) > STRONG))
        self._mean = self._mean + NEWEST * (small - self._mean)
        while not 0 <= at_us - self._strong[0][0] <= FLICKER_US:
            self._strong.popleft()


def strength(before: np.ndarray, after: np.ndarray) -> float:
    """How much a tenth of the rows or columns, or more, became brighter or darker; 0 without stripes.

    As the logarithm of the gain: twice and half as bright are as strong.
    """
    found = 0.0
    for axis in (1, 0):
        gains = line_gains(before, after, axis)
        if gains is not None:
            apart = np.abs(np.log(np.maximum(gains, LEAST_STRIPE)) - np.log(np.median(gains)))
            found = max(found, float(np.percentile(apart, 90)))
    return found
