"""Takes the stripes of a flickering lamp out of the comparison of two pictures.

A sensor exposes row after row, so a lamp that flickers with the mains makes each row brighter or darker as a whole, and
the stripes wander from picture to picture. Nothing on a table does that to most rows at once: what moves there changes
a part of some of them.
"""

import numpy as np

STRIPE_NOISE = 5.0  # times what noise leaves in a row's median; less takes noise in dim light for stripes
LEAST_STRIPES = 0.004  # of the brightness; fainter ones move nothing
MOST_GAIN = 0.6  # of a row, up or down: beyond that it is no lamp
LEAST_LEVEL = 8.0  # of a pixel whose gain is believed


def without_stripes(before_grey: np.ndarray, after_grey: np.ndarray) -> np.ndarray:
    """`before_grey`, (h, w) float32 in the light of `after_grey`, with the stripes of that picture instead of its own."""
    for axis in (1, 0):  # rows; columns for a camera that is mounted turned
        gains, is_striped = line_gains(before_grey, after_grey, axis)
        if is_striped:
            before_grey = before_grey * np.expand_dims(gains, axis)
    return before_grey


def line_gains(before_grey: np.ndarray, after_grey: np.ndarray, axis: int) -> tuple[np.ndarray, bool]:
    """How much brighter each row (axis 1) or column (axis 0) became, float32, and whether that is a lamp's work."""
    ratio = (after_grey + LEAST_LEVEL) / (before_grey + LEAST_LEVEL)
    gains = np.median(ratio, axis=axis).astype(np.float32)
    noise = 1.4826 * float(np.median(np.abs(ratio - np.expand_dims(gains, axis))))
    left = 1.2533 * noise / np.sqrt(ratio.shape[axis])  # standard deviation of a median of so many
    strength = stripes_in(gains)
    is_striped = strength > max(STRIPE_NOISE * left, LEAST_STRIPES) and strength < MOST_GAIN
    return np.clip(gains, 1 - MOST_GAIN, 1 + MOST_GAIN), bool(is_striped)


def stripes_in(gains: np.ndarray) -> float:
    """The usual deviation of a row from all rows: few rows that something moves through do not count."""
    return float(np.median(np.abs(gains - np.median(gains))))
