"""Registers one small picture of the table on another, as a hand that holds the camera moved it.

    strong pixels of the earlier picture → where does the later one show them? → what fits is the table → is it trusted?

Edges of paper, print, grain and shadows all carry a little; few tables have corners enough. So the brightness itself is
compared, at the strongest pixels of every part of the picture. What moved by itself, dice and hands, fits no motion of
the whole picture and is left out step by step.
"""

from dataclasses import dataclass

import cv2
import numpy as np

LEVELS = (4, 2, 1)  # The small picture is made so many times smaller, one after the other.
SOFT_PX = 1.0  # Each picture is blurred by this before its brightness is compared.
CELL_PX = 5  # Each cell gives its strongest pixel; otherwise two dice speak for the table.
MOST_POINTS = 2000  # More points are no surer, and take longer.
LEAST_SLOPE = 2.0  # Fewer grey levels a pixel are noise.
STEPS = 8  # The search takes at most so many steps at one size.
DONE_PX = 0.02  # A step that moves no corner further is the last.
LEAST_SIGMA = 1.5  # Pixels that fit better than so many grey levels say no more.
TUKEY = 4.685  # A pixel has no say beyond so many times the common misfit.
STIFF = 0.1  # The picture is not bent where nothing tells how.
FITS_LEVELS, FITS_PX = 4.0, 0.5  # A pixel fits within so many levels and what so small a shift would change.
TIGHT = (3.0, 0.25)  # These are the same limits where two motions are compared.
MOVED_PX, MOVED_FITS = 0.3, 1.3  # A camera moved at least so far, and so many times more pixels fit that than none.
LEAST_POINTS = 60
LEAST_FIT = 0.5  # So large a share of the compared pixels has to fit.
LEAST_SPREAD = 0.1  # Points that fit lie apart by this share of the picture: one die says nothing of the table.
MOST_DOUBT_PX = 0.15  # The pixels leave at most so much doubt where a corner lies.
MOST_SHIFT = 0.25  # No corner moves further, as a share of the picture's longer side.

Motion = np.ndarray  # It is (3, 3) float64, from a pixel of the earlier picture to the same of the later one.
UNMOVED: Motion = np.eye(3)


@dataclass(frozen=True, eq=False)
class Points:
    """The strongest pixels of a picture at one size.

    xy      (n, 2) float32, in its pixels
    level   (n,) float32 brightness
    slope   (n, 2) float32, grey levels a pixel
    fields  (n, 8) float32: by how many levels each kind of motion changes the pixel, see `kinds_of_motion`
    """

    xy: np.ndarray
    level: np.ndarray
    slope: np.ndarray
    fields: np.ndarray


class Reference:
    """A small picture (h, w) float32 grey on which others are registered."""

    def __init__(self, grey: np.ndarray) -> None:
        self.grey = grey
        self.shape = grey.shape
        self._points: dict[int, Points] = {}

    def points(self, level: int) -> Points:
        """The strongest pixels of the picture made `level` times smaller."""
        if level not in self._points:
            self._points[level] = strongest_pixels(soften(self.grey, level))
        return self._points[level]


@dataclass(frozen=True)
class Light:
    """Brightness of the later picture from that of the earlier one."""

    gain: float
    offset: float


@dataclass(frozen=True, eq=False)
class Registration:
    """How the later picture lies on the earlier one."""

    motion: Motion
    light: Light


def soften(grey: np.ndarray, level: int) -> np.ndarray:
    """The picture so many times smaller, blurred."""
    if level > 1:
        height, width = grey.shape
        grey = cv2.resize(grey, (max(1, width // level), max(1, height // level)), interpolation=cv2.INTER_AREA)
    return cv2.GaussianBlur(grey, (0, 0), SOFT_PX)


def strongest_pixels(grey: np.ndarray) -> Points:
    """The strongest pixel in each cell of a picture (h, w) float32, if it is strong enough; MOST_POINTS at most."""
    across = cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3, scale=0.125)
    down = cv2.Sobel(grey, cv2.CV_32F, 0, 1, ksize=3, scale=0.125)
    steep = cv2.magnitude(across, down)
    steep[:2], steep[-2:], steep[:, :2], steep[:, -2:] = 0, 0, 0, 0
    rows, columns = grey.shape[0] // CELL_PX, grey.shape[1] // CELL_PX
    whole = steep[: rows * CELL_PX, : columns * CELL_PX].reshape(rows, CELL_PX, columns, CELL_PX)
    cells = whole.swapaxes(1, 2).reshape(rows * columns, CELL_PX * CELL_PX)
    best = cells.argmax(axis=1)
    cell = np.flatnonzero(cells.max(axis=1, initial=0) > LEAST_SLOPE)
    cell = cell[:: max(1, -(-len(cell) // MOST_POINTS))]
    y = cell // max(1, columns) * CELL_PX + best[cell] // CELL_PX
    x = cell % max(1, columns) * CELL_PX + best[cell] % CELL_PX
    xy = np.stack([x, y], axis=1).astype(np.float32)
    slope = np.stack([across[y, x], down[y, x]], axis=1)
    fields = (kinds_of_motion(xy, grey.shape) * slope[:, None, :]).sum(axis=2)
    return Points(xy, grey[y, x], slope, fields)


def half_and_middle(shape: tuple[int, ...]) -> tuple[float, np.ndarray]:
    """Half of a picture's longer side, and its middle (2,), in pixels."""
    height, width = shape
    return max(height, width) / 2, np.array([(width - 1) / 2, (height - 1) / 2])


def kinds_of_motion(xy: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """(n, 8, 2): where each kind of motion, of one pixel at the edge of the picture, moves these pixels (n, 2).

    Across, down, turned, grown; stretched in two ways; tilted in two ways.
    """
    half_px, middle = half_and_middle(shape)
    u, v = ((xy - middle) / half_px).T
    ones, zeros = np.ones_like(u), np.zeros_like(u)
    fields = [(ones, zeros), (zeros, ones), (-v, u), (u, v), (u, -v), (v, u), (u * u, u * v), (u * v, v * v)]
    return np.array(fields, np.float32).transpose(2, 0, 1)


def motion_of(step: np.ndarray, shape: tuple[int, ...]) -> Motion:
    """The motion made of so many pixels of each kind (8,)."""
    half_px, (x, y) = half_and_middle(shape)
    across, down, turn, growth, wide, aslant, over, under = step / half_px
    small = np.array(
        [[1 + growth + wide, aslant - turn, across], [turn + aslant, 1 + growth - wide, down], [-over, -under, 1]]
    )
    to_px = np.array([[half_px, 0, x], [0, half_px, y], [0, 0, 1]])
    return np.asarray(to_px @ small @ np.linalg.inv(to_px))


def move_points(xy: np.ndarray, motion: Motion) -> np.ndarray:
    """Where a motion takes points (n, 2)."""
    mapped = xy @ motion[:, :2].T + motion[:, 2]
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def at_size(motion: Motion, across: float, down: float) -> Motion:
    """The motion in pictures so many times larger."""
    larger = np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2], [0, 0, 1]])
    return np.asarray(larger @ motion @ np.linalg.inv(larger))


def farthest_px(motion: Motion, shape: tuple[int, ...]) -> float:
    """The most that a motion moves a corner of a picture, in pixels."""
    height, width = shape[:2]
    corners = np.array([[0, 0], [width - 1, 0], [0, height - 1], [width - 1, height - 1]], float)
    return float(np.abs(move_points(corners, motion) - corners).max())


def register(
    reference: Reference, grey: np.ndarray, guess: Motion = UNMOVED, levels: tuple[int, ...] = LEVELS
) -> Registration | None:
    """How the reference moved to become `grey` (h, w) float32 of the same size; None if that cannot be trusted."""
    motion, light = guess, Light(1.0, 0.0)
    fit = None
    for level in levels:
        points = reference.points(level)
        if len(points.xy) < (LEAST_POINTS if level == 1 else 8):
            continue
        small = soften(grey, level)
        kinds = 8 if level == 1 else 4
        scale = (small.shape[1] / grey.shape[1], small.shape[0] / grey.shape[0])
        fit = align(points, small, at_size(motion, *scale), light, kinds)
        if fit is not None:
            motion, light = at_size(fit.motion, 1 / scale[0], 1 / scale[1]), fit.light
    if fit is None:
        return None
    return fit if is_trusted(reference.points(1), soften(grey, 1), fit) else None


def align(points: Points, grey: np.ndarray, motion: Motion, light: Light, kinds: int) -> Registration | None:
    """The motion that best explains a picture, from one near it; `kinds` as in `kinds_of_motion`. None if lost."""
    stiff = np.zeros(kinds + 2)
    stiff[4:kinds] = STIFF * len(points.xy)
    gain, offset = light.gain, light.offset
    for _step in range(STEPS):
        level, inside = sample(grey, move_points(points.xy, motion))
        if np.count_nonzero(inside) < max(8, len(inside) // 3):
            return None
        misfit = (level - gain * points.level - offset)[inside]
        weight = weights(misfit)
        fields = np.concatenate(
            [gain * points.fields[inside, :kinds], points.level[inside, None] / 100, np.ones((len(misfit), 1))], axis=1
        ).astype(np.float64)
        by_weight = fields * weight[:, None]
        try:
            step = np.linalg.solve(by_weight.T @ fields + np.diag(stiff + 1e-3), by_weight.T @ misfit)
        except np.linalg.LinAlgError:
            return None
        gain, offset = gain + step[kinds] / 100, offset + step[kinds + 1]
        change = np.zeros(8)
        change[:kinds] = step[:kinds]
        motion = motion @ np.linalg.inv(motion_of(change, grey.shape))
        motion = motion / motion[2, 2]
        if not (0.3 < gain < 3) or farthest_px(motion, grey.shape) > MOST_SHIFT * max(grey.shape):
            return None
        if np.abs(change).sum() < DONE_PX:
            break
    return Registration(motion, Light(float(gain), float(offset)))


def sample(grey: np.ndarray, xy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The brightness of a picture at points (n, 2), and which of them lie in it."""
    height, width = grey.shape
    at = xy.astype(np.float32)
    inside = (at[:, 0] >= 1) & (at[:, 1] >= 1) & (at[:, 0] <= width - 2) & (at[:, 1] <= height - 2)
    level = cv2.remap(grey, at[:, None, 0], at[:, None, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return level[:, 0], inside


def weights(misfit: np.ndarray) -> np.ndarray:
    """How much say each pixel has: none if it fits far worse than most."""
    sigma = max(LEAST_SIGMA, 1.4826 * float(np.median(np.abs(misfit))))
    near = np.clip(1 - np.square(misfit / (TUKEY * sigma)), 0, 1)
    return np.asarray(np.square(near))


def fitting_pixels(points: Points, grey: np.ndarray, fit: Registration, levels: float, shift_px: float) -> np.ndarray:
    """(n,) bool: the pixels that a picture shows within so many levels and so small a shift of where they should be."""
    level, inside = sample(grey, move_points(points.xy, fit.motion))
    misfit = np.abs(level - fit.light.gain * points.level - fit.light.offset)
    return np.asarray(inside & (misfit < levels + shift_px * np.hypot(*points.slope.T)))


def is_moved(reference: Reference, grey: np.ndarray, fit: Registration) -> bool:
    """Whether the camera moved for sure: far more of the table fits that than a camera that stood."""
    points, soft = reference.points(1), soften(grey, 1)
    level, _inside = sample(soft, points.xy)
    standing = Registration(UNMOVED, Light(1.0, float(np.median(level - points.level))))
    if farthest_px(fit.motion, grey.shape) < MOVED_PX:
        return False
    stay, move = (np.count_nonzero(fitting_pixels(points, soft, candidate, *TIGHT)) for candidate in (standing, fit))
    return bool(move > MOVED_FITS * stay)


def is_trusted(points: Points, grey: np.ndarray, fit: Registration) -> bool:
    """Whether enough of the table, in enough places, says the same."""
    level, inside = sample(grey, move_points(points.xy, fit.motion))
    misfit = level - fit.light.gain * points.level - fit.light.offset
    fits = fitting_pixels(points, grey, fit, FITS_LEVELS, FITS_PX)
    if np.count_nonzero(fits) < LEAST_POINTS or np.count_nonzero(fits) < LEAST_FIT * np.count_nonzero(inside):
        return False
    height, width = grey.shape
    if (points.xy[fits].std(axis=0) < LEAST_SPREAD * np.array([width, height])).any():
        return False
    fields = points.fields[fits, :4].astype(np.float64)
    sigma = max(LEAST_SIGMA, float(np.sqrt(np.square(misfit[fits]).mean())))
    doubt = sigma * np.sqrt(np.diag(np.linalg.inv(fields.T @ fields + 1e-6 * np.eye(4))))
    return bool(doubt.max() < MOST_DOUBT_PX)
