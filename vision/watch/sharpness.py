"""Tells whether a camera's focus goes in and out: its picture blurs as a whole and becomes sharp again, over and over.

The picture is compared block by block with the sharpest one of the last seconds. A hand, a die that falls and a shadow
change what a few blocks show; a lamp or the exposure changes how bright they are. A focus that hunts takes the fine
detail from all of them at once and leaves the coarse one where it was.
"""

from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np

from vision.cameras.pictures import reduced_to, small_size

LOOK_US = 60_000  # between two looks: a swing of one second is sharp for a tenth of it; more takes a Pi's time
GRID_PX = 20  # side of a block of the small picture; more mixes a hand with the table beside it
FINE_PX, COARSE_PX = 1.0, 2.5  # widths of blurs: the one takes what is detail, the other leaves what is place
LEAST_COARSE = 4.0  # grey levels by which a block's coarse picture differs in itself: fewer cannot be compared
LEAST_FINE = 1.2  # grey levels of detail in a block; less is noise
SAME_PLACE = 0.9  # correlation of a block's coarse picture with the sharp one's: less shows something else
CLIPPED = (12.0, 243.0)  # darker or brighter blocks lose their detail to the exposure
LEAST_BLOCKS = 6  # that can be compared: with fewer, one die that turns would speak for the table
LEAST_SAME = 0.5  # of the blocks that had detail; with fewer the camera was turned, or a hand covers the table
SOFT, SHARP = 0.6, 0.82  # of the sharpest detail: below the one a picture is soft, above the other sharp
ALL_OF_THEM = 0.75  # of the blocks that can be compared: so many are softer together
SLOWEST_US = 4_500_000  # longest swing that is looked for; then what is seen is how this camera sees
SOFT_LOOKS = 2  # in a row; one may be a knock at the table
SWINGS = 2  # in twice that time; a focus that goes out once looked for a hand, or has just begun


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

    def where(self, chosen: np.ndarray, other: "Detail") -> "Detail":
        """This picture's blocks where `chosen` (rows, columns) is true, the other's elsewhere."""
        return Detail(
            self.at_us,
            np.where(chosen, self.fine, other.fine),
            np.where(chosen, self.contrast, other.contrast),
            np.where(chosen[..., None], self.coarse, other.coarse),
            np.where(chosen, self.level, other.level),
        )


def detail_of(bgr: np.ndarray, at_us: int) -> Detail | None:
    """The detail of a picture (h, w, 3) uint8; None if it is too small to have blocks."""
    grey = cv2.cvtColor(reduced_to(small_size(bgr), bgr), cv2.COLOR_BGR2GRAY).astype(np.float32)
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
        self._best: Detail | None = None  # each block as it was when it was sharpest
        self._sharp_us = np.zeros(0, np.int64)  # when each block was last so sharp
        self._looked_us = 0
        self._look: bool | None = None  # whether the last picture was sharp; None if that cannot be told
        self._looks = 0  # in a row that said so
        self._was_sharp = False  # since the last time that it was soft for more than a look
        self._went_soft: deque[int] = deque()  # stamps at which a sharp picture became soft
        self._soft_us = 0  # when a picture last was soft

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

    def _compare(self, best: Detail, now: Detail) -> bool | None:
        """Whether a picture is sharp, False if it is soft, None if that cannot be told; remembers what is sharper."""
        had = has_detail(best)
        lit = (now.level > CLIPPED[0]) & (now.level < CLIPPED[1])
        same = had & lit & ((now.coarse * best.coarse).sum(axis=2) > SAME_PLACE)
        share = now.sharpness / np.maximum(best.sharpness, 1e-6)
        compared = share[same]
        self._sharp_us[same & (share > SHARP)] = now.at_us
        age_us = now.at_us - self._sharp_us
        newer = (same & (share > 1.0)) | ~had | (age_us > SLOWEST_US) | (age_us < 0)
        self._sharp_us[newer] = now.at_us
        self._best = now.where(newer, best)
        if len(compared) < LEAST_BLOCKS or len(compared) < LEAST_SAME * np.count_nonzero(had):
            return None
        if (compared < SOFT).mean() >= ALL_OF_THEM:
            return False
        return True if (compared > SHARP).mean() >= ALL_OF_THEM else None


def has_detail(detail: Detail) -> np.ndarray:
    """(rows, columns) bool: the blocks by which sharpness can be told."""
    lit = (detail.level > CLIPPED[0]) & (detail.level < CLIPPED[1])
    return np.asarray(lit & (detail.contrast > LEAST_COARSE) & (detail.fine > LEAST_FINE))
