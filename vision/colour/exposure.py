"""Makes a dim picture as bright as others are."""

import cv2
import numpy as np

BRIGHT = 95  # percentile of the levels that is a picture's brightness: a lamp in view is less than the rest
DIM, USUAL = 120.0, 140.0  # below that brightness a picture is dim; what it is made then
MOST = 4.0  # by which levels are multiplied: more makes noise a colour
STEP_PX = 6  # between samples


def brightened(frame_bgr: np.ndarray) -> np.ndarray:
    """A dim frame (h, w, 3) uint8 with all levels multiplied, which multiplies light; any other as it is."""
    levels = frame_bgr[::STEP_PX, ::STEP_PX].max(axis=2)
    bright = float(np.percentile(levels, BRIGHT))
    if bright >= DIM:
        return frame_bgr
    table = np.arange(256) * min(MOST, USUAL / max(bright, 1.0))
    return np.asarray(cv2.LUT(frame_bgr, np.clip(table.round(), 0, 255).astype(np.uint8)))
