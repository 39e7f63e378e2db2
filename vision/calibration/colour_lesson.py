"""The colour of a die or piece that a person touched in the picture, to learn whose dice and pieces are which."""

import numpy as np

from vision.colour.bodies import bodies_bgr
from vision.dice.crops import UPRIGHT_CONTEXT
from vision.dice.reader import default_reader
from vision.scene.pose import Pose
from vision.scene.scene import RGB

REACH = 0.75  # A finger is not exact, so it may be so far from a die's middle, in sides.
# A piece's core has this radius, and the table around a piece 16 to 30 mm wide lies between these.
CORE_MM, AROUND_MM = 3.0, (17.0, 21.0)
LEAST_PX = 2.0  # A core with a smaller radius shows only noise.
APART = 16.0  # A piece differs so much, in one channel, from the table around it.


def colour_at(frame_bgr: np.ndarray, x: float, y: float) -> RGB | None:
    """Red, green and blue of the die at a pixel, without its pips, or None if there is none."""
    distances = [
        (np.hypot(sight.candidate.cx - x, sight.candidate.cy - y) / sight.candidate.side, sight.upright)
        for sight in default_reader().sights(frame_bgr)
        if sight.is_die and sight.upright is not None
    ]
    far, upright = min(distances, key=lambda pair: pair[0], default=(REACH + 1, None))
    if upright is None or far > REACH:
        return None
    blue, green, red = (round(float(part), 1) for part in bodies_bgr([upright], 1 / UPRIGHT_CONTEXT)[0])
    return red, green, blue


def piece_colour_at(frame_bgr: np.ndarray, pose: Pose, x: float, y: float) -> RGB | None:
    """Red, green and blue of a round piece around a pixel, or None if nothing there differs from the table."""
    middle, beside = pose.on_plane(np.array([x, y]), 0.0), pose.on_plane(np.array([x + 1, y]), 0.0)
    px_a_mm = 1 / float(np.linalg.norm(beside - middle))
    core, (near, far) = CORE_MM * px_a_mm, (edge * px_a_mm for edge in AROUND_MM)
    if core < LEAST_PX:
        return None
    height, width = frame_bgr.shape[:2]
    apart = np.hypot(np.arange(width)[None] - x, np.arange(height)[:, None] - y)
    around = (apart > near) & (apart < far)
    if not around.any():
        return None
    piece, table = np.median(frame_bgr[apart <= core], axis=0), np.median(frame_bgr[around], axis=0)
    if np.abs(piece - table).max() < APART:
        return None
    blue, green, red = (round(float(part), 1) for part in piece)
    return red, green, blue
