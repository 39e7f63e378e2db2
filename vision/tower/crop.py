"""A stacking space seen straight from the front: the picture on the upright plane through the middle of the space.

The plane's x and z are millimetres of the world. A face parallel to it keeps its shape there and is only larger or
smaller by its distance from the camera, so fronts of blocks become upright rectangles whatever the camera's angle.
Blocks of every size look alike in a crop, as its scale depends on the middle edge of a block.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np

from vision.scene.pose import Pose

WIDE_PX, TALL_PX = 160, 384
MIDDLE_PX = 30.0  # A block's middle edge is so long in a crop.
BELOW_PX = 24  # So many rows lie below the table's top, as the fronts of blocks stand in front of the plane.
FINER = 2  # A crop is cut so many times finer than the maps, as seams are narrow.
COARSE = 16  # Places are projected exactly at every so many pixels of a crop.
MIDDLES_PX = np.arange(WIDE_PX) + 0.5, np.arange(TALL_PX) + 0.5


@dataclass(frozen=True, eq=False)
class Front:
    """A space seen from the front.

    centre_mm   (x, y) of the space
    eye_mm      (3,) the camera's place
    mm_per_px   of the crop
    """

    centre_mm: tuple[float, float]
    eye_mm: np.ndarray
    mm_per_px: float
    pose: Pose

    @property
    def away_mm(self) -> float:
        """The distance of the plane from the camera."""
        return float(self.centre_mm[1] - self.eye_mm[1])

    def scale(self, y_mm: Any) -> Any:
        """The size of a thing y_mm behind the plane over its size on the plane; negative y_mm is in front."""
        return self.away_mm / (self.away_mm + y_mm)

    def columns(self, x_mm: np.ndarray, y_mm: Any) -> np.ndarray:
        """Crop columns of x, from the space's middle, in the plane y_mm behind it."""
        eye = self.eye_mm[0] - self.centre_mm[0]
        return (eye + (x_mm - eye) * self.scale(y_mm)) / self.mm_per_px + WIDE_PX / 2

    def rows(self, z_mm: np.ndarray, y_mm: Any) -> np.ndarray:
        """Crop rows of heights above the table, in the plane y_mm behind the space's middle."""
        return TALL_PX - BELOW_PX - (self.eye_mm[2] + (z_mm - self.eye_mm[2]) * self.scale(y_mm)) / self.mm_per_px

    def x_mm(self, columns: np.ndarray, y_mm: Any) -> np.ndarray:
        """The inverse of `columns`."""
        eye = self.eye_mm[0] - self.centre_mm[0]
        return ((columns - WIDE_PX / 2) * self.mm_per_px - eye) / self.scale(y_mm) + eye

    def points_mm(self, columns: np.ndarray = MIDDLES_PX[0], rows: np.ndarray = MIDDLES_PX[1]) -> np.ndarray:
        """(rows, columns, 3) world points under columns and rows of the crop, by default the middles of its pixels."""
        x = (columns - WIDE_PX / 2) * self.mm_per_px + self.centre_mm[0]
        z = (TALL_PX - BELOW_PX - rows) * self.mm_per_px
        return np.stack(np.broadcast_arrays(x, self.centre_mm[1], z[:, None]), axis=2)

    def sees(self, half_mm: float, high_mm: float, size_px: tuple[int, int]) -> bool:
        """Whether a picture of that width and height shows the space to `half_mm` on both sides and up to `high_mm`."""
        x, y = self.centre_mm
        corners = np.array([[x + side, y, z] for side in (-half_mm, half_mm) for z in (0.0, high_mm)])
        return bool(self.pose.sees(corners, size_px).all())

    def cut(self, frame_bgr: np.ndarray) -> np.ndarray:
        """The crop (768, 320, 3) uint8, with FINER pixels each way to one of the maps; black outside the picture."""
        columns, rows = ((np.arange(0, size * FINER, COARSE) + 0.5) / FINER for size in (WIDE_PX, TALL_PX))
        coarse = self.points_mm(columns, rows)  # Distortion changes slowly.
        places = self.pose.project(coarse.reshape(-1, 3)).reshape(*coarse.shape[:2], 2).astype(np.float32)
        return cv2.remap(  # type: ignore[call-overload]  # its types demand a second map
            frame_bgr, interpolate(places), None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT
        )


def interpolate(places: np.ndarray) -> np.ndarray:
    """The coarse map (r, c, 2) at every pixel of a crop, extrapolated beyond its last row and column."""
    grown = np.concatenate([places, 2 * places[-1:] - places[-2:-1]])
    grown = np.concatenate([grown, 2 * grown[:, -1:] - grown[:, -2:-1]], axis=1)
    return cv2.remap(grown, fine_grid(), None, cv2.INTER_LINEAR)  # type: ignore[call-overload]  # as above


@cache
def fine_grid() -> np.ndarray:
    """(768, 320, 2) the place of each pixel of a crop on the coarse map."""
    columns, rows = (np.arange(size * FINER, dtype=np.float32) / COARSE for size in (WIDE_PX, TALL_PX))
    return np.stack(np.meshgrid(columns, rows), axis=2)


def front_of(pose: Pose, centre_mm: tuple[float, float], middle_mm: float) -> Front:
    """A space as a camera sees it; `middle_mm` is the middle edge of a block."""
    return Front(centre_mm, pose.eye_mm, middle_mm / MIDDLE_PX, pose)
