"""Evidence for the fronts of blocks in a space: sums of its maps over any upright rectangle, by four look-ups each.

Area sums give what is inside a front, their differences what lies along its border. Both are linear in the four
corners, so there is one table of sums for each corner, which holds all that this corner adds to a front's evidence.
"""

import cv2
import numpy as np

from vision.tower.crop import WIDE_PX
from vision.tower.maps import Maps

SURE = 4.0  # Log odds are limited to this, as one wrong spot must not decide.
EDGE_WEIGHT = 0.6  # An edge between two blocks is in both of them.
HALF_EDGE_PX = 1  # An edge is so wide on either side.


class Evidence:
    """Sums of the maps over upright rectangles, by fractional rows and columns of the crop.

    seen    sums, above and left of a corner, of the positive part of the front map
    front   sums of the front map
    seam    sums of the edge above and below a corner, left of it, weighed
    """

    def __init__(self, maps: Maps, reach_px: float = np.inf, edge_weight: float = EDGE_WEIGHT) -> None:
        off = np.abs(np.arange(WIDE_PX) + 0.5 - WIDE_PX / 2) > reach_px
        self.seen = area_sums(np.where(off, 0, np.maximum(maps.front, 0)))
        self.front, level, side = (
            area_sums(np.where(off, -SURE, plane)) for plane in (maps.front, maps.level, maps.side)
        )
        wide, self.seam, aside = 2 * HALF_EDGE_PX, np.zeros_like(level), np.zeros_like(side)
        self.seam[HALF_EDGE_PX:-HALF_EDGE_PX] = edge_weight * (level[wide:] - level[:-wide])
        aside[:, HALF_EDGE_PX:-HALF_EDGE_PX] = edge_weight * (side[:, wide:] - side[:, :-wide])
        low, high = self.front + self.seam, self.front - self.seam
        self._low_left, self._low_right = low - aside, low + aside
        self._high_left, self._high_right = high - aside, high + aside

    def of(self, high: np.ndarray, low: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Evidence for rectangular fronts, given by rows and columns that broadcast."""
        lower = corner_sums(self._low_right, low, right) - corner_sums(self._low_left, low, left)
        return lower - corner_sums(self._high_right, high, right) + corner_sums(self._high_left, high, left)

    def along(self, high: np.ndarray, low: np.ndarray, half: np.ndarray) -> np.ndarray:
        """(kinds, n, 160) evidence for fronts around each column, -inf where they do not fit into the crop.

        high, low   (kinds, n) rows
        half        (kinds,) half widths
        """
        right = rows_of(self._low_right, low) - rows_of(self._high_right, high)
        left = rows_of(self._low_left, low) - rows_of(self._high_left, high)
        gains = np.full((*low.shape, WIDE_PX), -np.inf)
        for kind, out in enumerate(half):
            first, count = int(np.ceil(out + 1)), len(np.arange(np.ceil(out + 1), WIDE_PX - out - 1))
            gain = columns_of(right[kind], first + out, count) - columns_of(left[kind], first - out, count)
            gains[kind, :, first : first + count] = gain
        return gains


def area_sums(plane: np.ndarray) -> np.ndarray:
    """(387, 163) sums of a map above and left of each corner, starting an edge's width outside it."""
    out = HALF_EDGE_PX
    padded = cv2.copyMakeBorder(np.clip(plane, -SURE, SURE), out, out, out, out, cv2.BORDER_CONSTANT, value=0)
    return cv2.integral(padded, sdepth=cv2.CV_64F)


def rows_of(sums: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(…, 163) sums above fractional rows of any shape, limited to the first and last row."""
    first, part = split_places(rows, sums.shape[0])
    above = sums.take(first, axis=0)
    rest = sums.take(first + 1, axis=0)
    rest -= above
    rest *= part[..., None]
    rest += above
    return rest


def columns_of(rows: np.ndarray, first: float, count: int) -> np.ndarray:
    """(n, count) sums left of `count` columns, starting at the fractional column `first`, of rows (n, 163)."""
    at = int(first) + HALF_EDGE_PX
    part = first - int(first)
    return np.asarray(rows[:, at : at + count] * (1 - part) + rows[:, at + 1 : at + 1 + count] * part)


def box_sums(sums: np.ndarray, high: np.ndarray, low: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """(n,) sums within n boxes."""
    return (
        corner_sums(sums, low, right)
        - corner_sums(sums, high, right)
        - corner_sums(sums, low, left)
        + corner_sums(sums, high, left)
    )


def corner_sums(sums: np.ndarray, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Sums above and left of corners; computed hundreds of times a picture, so with numpy's fastest functions."""
    (r, down), (c, aside) = split_places(row, sums.shape[0]), split_places(column, sums.shape[1])
    flat, wide = sums.ravel(), sums.shape[1]
    at = r * wide + c
    here, under = flat.take(at), flat.take(at + wide)
    upper = here + aside * (flat.take(at + 1) - here)
    lower = under + aside * (flat.take(at + wide + 1) - under)
    return np.asarray(upper + down * (lower - upper))


def split_places(places: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The index of the sum before each row or column of the crop, and the fraction behind it."""
    inside = np.maximum(np.minimum(places + HALF_EDGE_PX, count - 1.001), 0)
    first = inside.astype(int)
    return first, inside - first
