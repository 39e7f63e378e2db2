"""Tells whether a camera's focus goes in and out: its picture blurs as a whole and becomes sharp again, over and over.

The picture is compared block by block with the sharpest one of the last seconds. A hand, a die that falls and a shadow
change what a few blocks show; a lamp or the exposure changes how bright they are. A focus that hunts takes the fine
detail from all of them at once and leaves the coarse one where it was.
"""

from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np

from vision.cameras.pictures import small_picture

LOOK_US = 60_000  # A swing of one second is sharp for a tenth of it; looking more often takes a Pi's time.
GRID_PX = 20  # Larger blocks of the small picture mix a hand with the table beside it.
FINE_PX, COARSE_PX = 1.0, 2.5  # The narrow blur takes what is detail, the wide one leaves what is place.
LEAST_COARSE = 4.0  # A block whose coarse picture differs by fewer grey levels cannot be compared.
LEAST_FINE = 1.2  # Less detail in a block is noise.
SAME_PLACE = 0.9  # A block whose coarse picture correlates less with the sharp one's shows something else.
CLIPPED = (12.0, 243.0)  # Darker or brighter blocks lose their detail to the exposure.
LEAST_BLOCKS = 6  # If fewer could be compared, one die that turns would speak for the table.
# With a smaller share of the blocks that had detail, the camera was turned or a hand covers the table.
LEAST_SAME = 0.5
SOFT, SHARP = 0.6, 0.82  # Below the first share of the sharpest detail a picture is soft, above the second it is sharp.
ALL_OF_THEM = 0.75  # So large a share of the blocks that can be compared is softer together.
SLOWEST_US = 4_500_000  # No longer swing is looked for; what is seen then is how this camera sees.
SOFT_LOOKS = 2  # One soft look may be a knock at the table.
SWINGS = 2  # A focus that goes out once in twice that time looked for a hand, or has just begun.


@dataclass(frozen=True, eq=False)
class Detail:
    """One picture in blocks (rows, columns): how much fine detail each has, what is coarse in it, and how bright it is.

    coarse  (rows, columns, GRID_PX²) float32, each block without its mean and of length 1; 0 where nothing differs
    """

    at_us: int
    fine: np.ndarray
    contrast: np.ndarray
    coarse: np.ndarray
    level: np.ndarray

    @property
    def sharpness(self) -> np.ndarray:
        """(rows, columns): detail over contrast, which no lamp changes."""
        return np.asarray(self.fine / np.maximum(self.contrast, 1e-6))

    def where(self, mask: np.ndarray, other: "Detail") -> "Detail":
        """This picture's blocks where `chosen` (rows, columns) is true, the other's elsewhere."""
        return Detail(
            self.at_us,
            np.where(mask, self.fine, other.fine),
            np.where(mask, self.contrast, other.contrast),
            np.where(mask[..., None], self.coarse, other.coarse),
            np.where(mask, self.level, other.level),
        )


def detail_of(bgr: np.ndarray, at_us: int) -> Detail | None:
    """The detail of a picture (h, w, 3) uint8; None if it is too small to have blocks."""
    grey = cv2.cvtColor(small_picture(bgr), cv2.COLOR_BGR2GRAY).astype(np.float32)
    rows, columns = grey.shape[0] // GRID_PX, grey.shape[1] // GRID_PX
    if not rows or not columns:
        return None
    grey = grey[: rows * GRID_PX, : columns * GRID_PX]
    coarse = cv2.GaussianBlur(grey, (0, 0), COARSE_PX)
    by_block = in_blocks(coarse, rows, columns)
    level = by_block.mean(axis=2)
    by_block = by_block - level[..., None]
    contrast = np.sqrt(np.square(by_block).mean(axis=2))
    length = np.maximum(np.sqrt(np.square(by_block).sum(axis=2)), 1e-6)
    fine = in_blocks(np.abs(grey - cv2.GaussianBlur(grey, (0, 0), FINE_PX)), rows, columns).mean(axis=2)
    return Detail(at_us, fine, contrast, by_block / length[..., None], level)


def in_blocks(picture: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """A picture (h, w) as (rows, columns, pixels of a block)."""
    split = picture.reshape(rows, GRID_PX, columns, GRID_PX).swapaxes(1, 2)
    return split.reshape(rows, columns, GRID_PX * GRID_PX)


class Sharpness:
    """Looks at every picture of a camera a few times a second, and says when its focus goes in and out."""

    def __init__(self) -> None:
        self._best: Detail | None = None  # Each block is as it was when it was sharpest.
        self._sharp_us = np.zeros(0, np.int64)  # Each block was last so sharp at this time.
        self._looked_us = 0
        self._look: bool | None = None  # It says whether the last picture was sharp; None if that cannot be told.
        self._looks = 0  # So many looks in a row said so.
        self._was_sharp = False  # It was sharp since it last was soft for more than a look.
        self._went_soft: deque[int] = deque()  # A sharp picture became soft at these stamps.
        self._soft_us = 0  # A picture last was soft at this time.

    @property
    def is_hunting(self) -> bool:
        """Whether the focus went out and in again, and out once more, and goes on like that."""
        return len(self._went_soft) >= SWINGS and self._looked_us - self._soft_us < SLOWEST_US

    @property
    def is_sharp(self) -> bool:
        """Whether the last picture was about as sharp as the best of the last seconds."""
        return self._look is True

    @property
    def is_soft(self) -> bool:
        """Whether the last picture was clearly softer than the best of the last seconds."""
        return self._look is False

    @property
    def can_be_read(self) -> bool:
        """Whether the newest picture is as sharp as this camera's are, or while that hunts surely is."""
        return self.is_sharp if self.is_hunting else not self.is_soft

    def feed(self, bgr: np.ndarray, at_us: int) -> None:
        """Takes one more picture (h, w, 3) uint8, exposed at `at_us`."""
        if self._best is not None and 0 <= at_us - self._looked_us < LOOK_US:
            return
        self._looked_us = at_us
        detail = detail_of(bgr, at_us)
        if detail is None or self._best is None or self._best.fine.shape != detail.fine.shape:
            self._begin(detail)
            return
        is_sharp = self._compare(self._best, detail)
        self._looks = self._looks + 1 if is_sharp is self._look else 1
        self._look = is_sharp
        if is_sharp is True:
            self._was_sharp = True
        elif is_sharp is False and self._looks >= SOFT_LOOKS:
            self._soft_us = at_us
            if self._was_sharp:
                self._went_soft.append(at_us)
            self._was_sharp = False
        while self._went_soft and not 0 <= at_us - self._went_soft[0] <= 2 * SLOWEST_US:
            self._went_soft.popleft()

    def _begin(self, detail: Detail | None) -> None:
        self._best = detail
        self._sharp_us = np.zeros(0, np.int64) if detail is None else np.full(detail.fine.shape, detail.at_us)
        self._look, self._looks, self._was_sharp = None, 0, False
        self._went_soft.clear()

    def _compare(self, best: Detail, detail: Detail) -> bool | None:
        """Whether a picture is sharp, False if it is soft, None if that cannot be told; remembers what is sharper."""
        detailed = has_detail(best)
        unclipped = (detail.level > CLIPPED[0]) & (detail.level < CLIPPED[1])
        same = detailed & unclipped & ((detail.coarse * best.coarse).sum(axis=2) > SAME_PLACE)
        share = detail.sharpness / np.maximum(best.sharpness, 1e-6)
        compared = share[same]
        self._sharp_us[same & (share > SHARP)] = detail.at_us
        age_us = detail.at_us - self._sharp_us
        newer = (same & (share > 1.0)) | ~detailed | (age_us > SLOWEST_US) | (age_us < 0)
        self._sharp_us[newer] = detail.at_us
        self._best = detail.where(newer, best)
        if len(compared) < LEAST_BLOCKS or len(compared) < LEAST_SAME * np.count_nonzero(detailed):
            return None
        if (compared < SOFT).mean() >= ALL_OF_THEM:
            return False
        return True if (compared > SHARP).mean() >= ALL_OF_THEM else None


def has_detail(detail: Detail) -> np.ndarray:
    """(rows, columns) bool: the blocks by which sharpness can be told."""
    unclipped = (detail.level > CLIPPED[0]) & (detail.level < CLIPPED[1])
    return np.asarray(unclipped & (detail.contrast > LEAST_COARSE) & (detail.fine > LEAST_FINE))
