"""Counts the pips of an upright face by where they lie: a cue that shares nothing but the place with the networks.

A face has nine places for pips, and nine patterns of them, as 2, 3 and 6 lie in two ways; on dice from East Asia a 2
may also lie along an edge, closer. A pip differs from its surroundings, and all pips of a face alike. So the value is
the pattern whose places differ most while the other places do not.
"""

from collections.abc import Iterable
from itertools import product

import cv2
import numpy as np

from vision.dice.crops import UPRIGHT_CONTEXT

PIP_CROP_PX = 56  # Pips are counted in a crop with this side.
FACE_PX = 26  # The face has this side then, and pips are two to five pixels wide.
PIP_BLUR, AROUND_BLUR = 0.09, 0.25  # In half sides, the one blurs to a pip, the other to its surroundings.
EDGE = (0.8, 0.95)  # Contrast fades out from the first to the second, in half sides, as edges and tables are no pips.
MIDDLE = 0.7  # Body and pips are told apart within so many half sides.
SHIFTS = (-0.2, -0.1, 0.0, 0.1, 0.2)  # The face may lie aside by so many half sides.
SPREADS = (0.42, 0.52, 0.62)  # The outer pips lie so many half sides from the middle, along each axis.
CLOSE_SPREADS = (0.28, 0.34, 0.4)  # The close two lies so.
USUAL_SPREAD = 0.55  # Pips of other values would be there then.
EXTRA_WEIGHT = 0.5  # Contrast where a pattern has no pip counts against it with this weight.
LEAST_MARGIN = 0.15  # The best pattern of another value must be so much worse; otherwise the count is None.
LEAST_SHARE = 0.7  # The pattern must explain this share of the contrast at the nine places.
LEAST_CONTRAST = 4.0  # Pips differ from their surroundings, blurred, by at least this, of 255.
BATCH = 100  # OpenCV filters no more channels than 128, so no more faces are counted at once.

Pattern = tuple[int, tuple[int, ...]]  # A pattern is a value, and which of nine places, row by row, have a pip.
PATTERNS: tuple[Pattern, ...] = (
    (1, (4,)), (2, (0, 8)), (2, (2, 6)), (3, (0, 4, 8)), (3, (2, 4, 6)), (4, (0, 2, 6, 8)), (5, (0, 2, 4, 6, 8)),
    (6, (0, 2, 3, 5, 6, 8)), (6, (0, 1, 2, 6, 7, 8)),
)  # fmt: skip
CLOSE_PATTERNS: tuple[Pattern, ...] = ((2, (3, 5)), (2, (1, 7)))
VALUES = np.array([value for value, _places in PATTERNS + CLOSE_PATTERNS])


def pattern_weights(patterns: tuple[Pattern, ...], size: int) -> np.ndarray:
    """(size, patterns): weights that sum the contrast at a pattern's places, over the root of their number."""
    weights = np.zeros((size, len(patterns)), np.float32)
    for column, (_value, places) in enumerate(patterns):
        weights[list(places), column] = len(places) ** -0.5
    return weights


def pip_places(spreads: Iterable[tuple[float, float]]) -> np.ndarray:
    """(n, 9) flat indices of the pixels where pips may lie, for each shift and each spread (across, along)."""
    grid = np.array([(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1)], float)
    indices = []
    for x, y, spread in product(SHIFTS, SHIFTS, spreads):
        pixel = np.round((grid * spread + [x, y] + 1) * FACE_PX / 2 - 0.5).astype(int)
        indices.append(pixel[:, 1] * FACE_PX + pixel[:, 0])
    return np.array(indices)


def close_places() -> np.ndarray:
    """(n, 18) flat indices: nine places for the close two, then the nine usual ones, which must be empty."""
    close = pip_places([(spread, spread) for spread in CLOSE_SPREADS])
    return np.hstack([close, pip_places([(USUAL_SPREAD, USUAL_SPREAD)] * len(CLOSE_SPREADS))])


def middle_distance() -> np.ndarray:
    """(FACE_PX, FACE_PX) distance of each pixel from the middle in half sides; equal on squares with round corners."""
    steps = (np.arange(FACE_PX) + 0.5) * 2 / FACE_PX - 1
    return (steps[:, None] ** 4 + steps[None] ** 4) ** 0.25


GRIDS = (  # Each has places where pips may lie, and the patterns looked for there.
    (pip_places(product(SPREADS, SPREADS)), pattern_weights(PATTERNS, 9)),
    (close_places(), pattern_weights(CLOSE_PATTERNS, 18)),
)
FADE = np.clip((EDGE[1] - middle_distance()) / (EDGE[1] - EDGE[0]), 0, 1).astype(np.float32)
INSIDE = np.flatnonzero(middle_distance() < MIDDLE)


def count_pips(upright_bgr: list[np.ndarray]) -> list[int | None]:
    """The pips of each upright face (h, w, 3), or None where no pattern stands out.

    A face spans 1/UPRIGHT_CONTEXT of its crop.
    """
    counts: list[int | None] = []
    for start in range(0, len(upright_bgr), BATCH):
        different = pip_contrast(upright_bgr[start : start + BATCH])
        fits = [best_fits(different[:, places], weights) for places, weights in GRIDS]
        scores, totals = (np.concatenate(parts, axis=1) for parts in zip(*fits, strict=True))
        by_value = np.stack([scores[:, value == VALUES].max(axis=1) for value in range(1, 7)], axis=1)
        next_best, best = np.partition(by_value, -2, axis=1)[:, -2:].T
        value = by_value.argmax(axis=1) + 1
        there = np.take_along_axis(totals, scores.argmax(axis=1)[:, None], axis=1)[:, 0]
        share = (best / np.maximum(there, 1e-6) + EXTRA_WEIGHT) / (1 + EXTRA_WEIGHT)
        clear = (next_best < (1 - LEAST_MARGIN) * best) & (share > LEAST_SHARE) & (best > LEAST_CONTRAST**2 * value)
        counts += [int(count) if is_clear else None for count, is_clear in zip(value, clear, strict=True)]
    return counts


def best_fits(at: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, patterns) scores of each pattern where it fits best, and (n, patterns) all contrast there, squared.

    at       (n, m, places) contrast at m sets of places
    weights  (places, patterns), see `pattern_weights`
    """
    total = (at**2).sum(axis=2)
    scores = (1 + EXTRA_WEIGHT) * (at @ weights) ** 2 - EXTRA_WEIGHT * total[..., None]
    best = scores.argmax(axis=1)
    return np.take_along_axis(scores, best[:, None], axis=1)[:, 0], np.take_along_axis(total, best, axis=1)


def pip_contrast(crops: list[np.ndarray]) -> np.ndarray:
    """(n, FACE_PX²) how much each pixel of each face differs from its surroundings, in the colour that differs most."""
    faces = np.stack(
        [cv2.resize(face_of_crop(crop), (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA) for crop in crops]
    )
    planes = faces.reshape(len(crops), -1, 3).transpose(0, 2, 1).astype(np.float32, order="C")  # (n, 3, pixels)
    half = len(INSIDE) // 2
    planes -= np.partition(planes[:, :, INSIDE], half, axis=2)[:, :, half, None]  # This is the body.
    planes *= FADE.ravel()
    inside = planes[:, :, INSIDE]
    inside -= inside.mean(axis=2, keepdims=True)
    colours = np.linalg.eigh(inside @ inside.transpose(0, 2, 1))[1][:, :, -1]
    channels = np.einsum("nc,ncp->pn", colours, planes).reshape(FACE_PX, FACE_PX, -1)
    pip, around = (cv2.GaussianBlur(channels, (0, 0), blur * FACE_PX / 2) for blur in (PIP_BLUR, AROUND_BLUR))
    return (pip - around).reshape(-1, len(crops)).T


def face_of_crop(crop: np.ndarray) -> np.ndarray:
    """The face in the middle of a crop."""
    size = crop.shape[0]
    low = round(size / 2 - size / UPRIGHT_CONTEXT / 2)
    return crop[low : size - low, low : size - low]
