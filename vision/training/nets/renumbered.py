"""Makes photographed dice with numerals of photographed dice with pips, so that not the drawing tells them apart."""

import cv2
import numpy as np

from vision.training.drawn.strangers import figure
from vision.training.labelled import Rng

MIDDLE = 0.5  # share of the crop's side that the die takes
LEAST_UNLIKE = 22  # levels by which a pip differs from the body around it
MOST_COVERED = 0.5  # more than that is no pip, but a pattern


def renumbered(rng: Rng, crop: np.ndarray) -> np.ndarray | None:
    """The crop (n, n, 3) uint8 of a die with a numeral in place of its pips, in their colour; None if none stand out.

    The die lies in the middle and takes half of the crop's side, as `vision.dice.crops.KNOWN_CONTEXT` has it.
    """
    size = crop.shape[0]
    low, high = round(size * (0.5 - 0.46 * MIDDLE)), round(size * (0.5 + 0.46 * MIDDLE))
    inner = crop[low:high, low:high].astype(np.int16)
    body = np.median(inner.reshape(-1, 3), axis=0)
    unlike = np.abs(inner - body).max(axis=2)
    pips = (unlike > max(LEAST_UNLIKE, 1.2 * np.median(unlike))).astype(np.uint8)
    if not 0.03 < pips.mean() < MOST_COVERED:
        return None
    ink = np.median(inner[pips > 0], axis=0)
    mask = np.zeros(crop.shape[:2], np.uint8)
    mask[low:high, low:high] = cv2.dilate(pips, np.ones((3, 3), np.uint8))
    blank = cv2.inpaint(crop, mask, 3, cv2.INPAINT_TELEA)
    text = str(rng.integers(1, 21)) if rng.random() < 0.9 else str(rng.choice(list("ABCEHKRSXZ?!&")))
    shown = figure(rng, text, size, MIDDLE * rng.uniform(0.35, 0.6))
    shift = rng.normal(0, 0.03, 2) * size
    moved = cv2.warpAffine(shown, np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), (size, size))[..., None]
    return np.clip(blank * (1 - moved) + ink * moved, 0, 255).astype(np.uint8)
