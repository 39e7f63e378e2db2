"""The maps that a build would give if it were plain to see: a measure for what a picture says of it."""

import numpy as np

from vision.tower.crop import TALL_PX, WIDE_PX, Front
from vision.tower.evidence import HALF_EDGE_PX, SURE
from vision.tower.fit import Build, fronts_px
from vision.tower.maps import STATUSES, Maps


def plain_maps(front: Front, build: Build) -> Maps:
    """The maps of a space in which a build stands, with all log odds at their limits."""
    planes = np.full((3, TALL_PX, WIDE_PX), -SURE, np.float32)
    fronts, level, side = planes
    if build.pieces:
        high, low, half, y = (edge[0] for edge in fronts_px(front, build, np.array([build.depth_mm])))
        middle = front.columns(np.array([piece.x_mm for piece in build.pieces]), y)
        ends = np.rint(np.stack([high, low, middle - half, middle + half], axis=1)).astype(int)
        limits = np.array([TALL_PX, TALL_PX, WIDE_PX, WIDE_PX])
        for top, foot, left, right in np.clip(ends, 0, limits)[np.argsort(-y)]:  # Nearer fronts hide further ones.
            inside = slice(top, foot), slice(left, right)
            fronts[inside], level[inside], side[inside] = SURE, -SURE, -SURE
            for row in (top, foot):
                level[max(row - HALF_EDGE_PX, 0) : row + HALF_EDGE_PX, left:right] = SURE
            for column in (left, right):
                side[top:foot, max(column - HALF_EDGE_PX, 0) : column + HALF_EDGE_PX] = SURE
    return Maps(fronts, fronts, level, side, np.eye(len(STATUSES))[0])
