"""Takes the stripes of a flickering lamp out of the comparison of two pictures.

A sensor exposes row after row, so a lamp that flickers with the mains makes each row brighter or darker as a whole, and
the stripes wander from picture to picture. Whatever moves on a table changes a part of a row, or not all of it alike.
"""

from collections import deque

import cv2
import numpy as np

LEAST_LEVEL = 4.0  # It is added to both pictures, so that the noise of dark pixels makes no gain.
EACH = 3  # Smaller steps along a row are surer in dim light, and take longer.
MOST_OF_ROW = 0.8  # A lamp changes this share of a row alike; a die, a hand or a shadow may be on the rest.
ALIKE, ALIKE_NOISE = 0.04, 4.0  # Pixels may be so far apart as a share of the brightness, or so many times the noise.
MOST_NOISE = 0.05  # With more noise a hand cannot be told from the noise of a row.
# A striped row gains so many times what noise leaves of it, and at least this share.
STRIPE_NOISE, LEAST_STRIPE = 5.0, 0.004
LEAST_ROWS = 0.02  # Fewer rows move nothing anyway.
WHITE = 250.0  # A brighter pixel may be clipped, so that nobody knows how bright it would be.
STRONG = 0.28  # Readers see through stripes with a smaller logarithm of the gain.
LOOK_US, LOOK_PX = 180_000, (160, 120)  # Looks at the strength are so far apart, in a picture of this size.
NEWEST = np.float32(0.25)  # A larger part of the newest picture in the mean blurs the stripes less.
FLICKER_US, LEAST_LOOKS = 2_000_000, 4  # The table is told after so long and so many looks.


def with_stripes_of(before: np.ndarray, after: np.ndarray) -> np.ndarray | None:
    """`before` with the stripes of `after` in place of its own; None if no lamp's stripes tell them apart.

    Both (h, w) float32, 0 to 255, of one colour or in grey.
    """
    striped = None
    for axis in (1, 0):  # A camera that is mounted turned has its stripes along the columns.
        gains = line_gains(before, after, axis)
        if gains is not None:
            brightened = (before + LEAST_LEVEL) * np.expand_dims(gains, axis) - LEAST_LEVEL
            clipped = (before >= WHITE) & (after >= np.minimum(brightened, WHITE))
            before = striped = np.where(clipped, after, np.minimum(brightened, np.float32(255)))
    return striped


def line_gains(before: np.ndarray, after: np.ndarray, axis: int) -> np.ndarray | None:
    """How much brighter each row (axis 1) or column (axis 0) became, float32; None without stripes along it.

    A row that is not striped has the gain of the whole picture.
    """
    sample = (slice(None), slice(None, None, EACH)) if axis == 1 else (slice(None, None, EACH), slice(None))
    ratio = (after[sample] + LEAST_LEVEL) / (before[sample] + LEAST_LEVEL)
    gains = np.median(ratio, axis=axis)
    apart = np.abs(ratio - np.expand_dims(gains, axis))
    noise = 1.4826 * float(np.median(apart))
    if noise > MOST_NOISE:
        return None
    alike = (apart < max(ALIKE, ALIKE_NOISE * noise)).mean(axis=axis) > MOST_OF_ROW
    usual = np.median(gains)
    left_noise = 1.2533 * noise / np.sqrt(ratio.shape[axis])  # It is the standard deviation of a median of so many.
    striped = alike & (np.abs(gains - usual) > max(STRIPE_NOISE * left_noise, LEAST_STRIPE))
    return np.where(striped, gains, usual) if striped.mean() > LEAST_ROWS else None


class Flicker:
    """Tells whether a lamp's stripes have been too strong to be read through for some time."""

    def __init__(self) -> None:
        self._mean: np.ndarray | None = None  # Stripes blur in this mean of the last small grey pictures.
        self._looked_us = 0
        # Each look has its stamp, and whether stripes were strong then.
        self._strong: deque[tuple[int, bool]] = deque()

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
    strongest = 0.0
    for axis in (1, 0):
        gains = line_gains(before, after, axis)
        if gains is not None:
            apart = np.abs(np.log(np.maximum(gains, LEAST_STRIPE)) - np.log(np.median(gains)))
            strongest = max(strongest, float(np.percentile(apart, 90)))
    return strongest
