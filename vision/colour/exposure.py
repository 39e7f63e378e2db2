"""Makes a dim picture as bright as others are."""

import cv2
import numpy as np

BRIGHT = 95  # A picture's brightness is this percentile of its levels, as a lamp in view takes less than the rest.
DIM, USUAL = 120.0, 140.0  # A picture is dim below the first brightness, and is given the second.
MOST = 4.0  # Levels are multiplied by no more, as more makes noise a colour.
STEP_PX = 6  # Samples are so far apart.


def brightened(frame_bgr: np.ndarray) -> np.ndarray:
    """A dim frame (h, w, 3) uint8 with all levels multiplied, which multiplies light; any other as it is."""
    levels = frame_bgr[::STEP_PX, ::STEP_PX].max(axis=2)
    bright = float(np.percentile(levels, BRIGHT))
    if bright >= DIM:
        return frame_bgr
    table = np.arange(256) * min(MOST, USUAL / max(bright, 1.0))
    return np.asarray(cv2.LUT(frame_bgr, np.clip(table.round(), 0, 255).astype(np.uint8)))
