"""Whose dice are which: the colour of one die that somebody touched in the picture."""

import numpy as np

from vision.colour import body_bgr
from vision.dice import default_reader
from vision.dice_crops import UPRIGHT_CONTEXT
from vision.scene import RGB

REACH = 0.75  # of a die's side from its middle: a finger is not exact


def colour_at(frame_bgr: np.ndarray, x: float, y: float) -> RGB | None:
    """Red, green, blue of the die at a pixel, pips left out; None when none lies there."""
    found = [
        (np.hypot(sight.candidate.cx - x, sight.candidate.cy - y) / sight.candidate.side, sight.upright)
        for sight in default_reader().sights(frame_bgr)
        if sight.is_die and sight.upright is not None
    ]
    far, upright = min(found, key=lambda pair: pair[0], default=(REACH + 1, None))
    if upright is None or far > REACH:
        return None
    blue, green, red = (round(float(part), 1) for part in body_bgr(upright, 1 / UPRIGHT_CONTEXT))
    return red, green, blue
