"""Cuts of the frame around a place, one box high and turned so that whatever is higher leans upwards.

The cut of a box shows its length on the top and its height on the near side, below the top; only straight below the
camera nothing leans. One network (`vision.load.reader`) reads both, and also how high a square of a truck is covered.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.load.flat import seen_at, shrink
from vision.scene.pose import Pose
from vision.scene.scene import Truck

CUT_PX = 72  # A cut has this side; as trained.
UNIT_PX = 11  # The smallest box in it has this side; as trained.
LEAN_SCALE, NEARER_SCALE = 2.0, 30.0  # A lean and a nearer top come to about one by these; as trained.
SQUARE = 2.0  # It marks the square in question in a mask.


@dataclass(frozen=True, eq=False)
class Cutter:
    """A frame from which places are cut.

    small    the frame, shrunk to about the scale of the cuts
    zoom     (2,) size of `small` over the frame's
    unit_mm  side of the smallest box
    areas    corners (4, 3) of each truck's loading area in mm
    """

    small: np.ndarray
    zoom: np.ndarray
    pose: Pose
    unit_mm: float
    areas: tuple[np.ndarray, ...]

    @property
    def nearer(self) -> float:
        """The share by which a thing one unit higher looks larger."""
        return self.unit_mm / float(self.pose.eye_mm[2] - self.unit_mm)

    def axes_at(self, spots_mm: np.ndarray, turn: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """The table's directions (n, 2, 2) of the x and y of cuts, and (n,) the lean of a thing one unit higher, in
        units.

        spots_mm  (n, 2) middles of the cuts, one box high
        turn      radians by which the cuts are turned further
        """
        eye = self.pose.eye_mm
        leans = (spots_mm - eye[:2]) / (eye[2] - self.unit_mm)
        far = np.linalg.norm(leans, axis=1)
        # Straight below the camera nothing leans, and any direction will do.
        up = np.where(far[:, None] > 1e-6, leans / np.maximum(far, 1e-6)[:, None], [0.0, 1.0])
        up = up @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        return np.stack([np.stack([up[:, 1], -up[:, 0]], axis=1), -up], axis=1), far

    def cut(
        self, spots_mm: np.ndarray, squares: np.ndarray | None = None, turn: float = 0.0, scale: float = 1.0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Pictures (n, 72, 72, 3), masks (n, 72, 72) and leans (n,) of spots (n, 2) one box high.

        Masks are 1 on loading areas, SQUARE on the square in question, 0 elsewhere.

        squares  (n, 4, 3) mm, corners of the square in question in each cut
        turn     radians by which the cuts are turned further
        scale    of the cuts; larger shows things larger
        """
        axes, leans = self.axes_at(spots_mm, turn)
        step = self.unit_mm / (UNIT_PX * scale)
        rim = (np.array([[0, 0], [CUT_PX, 0], [CUT_PX, CUT_PX], [0, CUT_PX]]) - CUT_PX / 2) * step
        corners = spots_mm[:, None] + rim @ axes
        level = np.full((*corners.shape[:2], 1), self.unit_mm)
        pixels = self.pose.project(np.concatenate([corners, level], axis=2).reshape(-1, 3)).reshape(-1, 4, 2)
        pixels = ((pixels + 0.5) * self.zoom - 0.5).astype(np.float32)
        frame = (rim / step + CUT_PX / 2 - 0.5).astype(np.float32)
        pictures = np.empty((len(spots_mm), CUT_PX, CUT_PX, 3), np.uint8)
        masks = np.zeros((len(spots_mm), CUT_PX, CUT_PX), np.float32)
        outlines = [seen_at(self.pose, area, self.unit_mm) for area in self.areas]
        for i, spot in enumerate(spots_mm):
            matrix = cv2.getPerspectiveTransform(frame, pixels[i])
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            cv2.warpPerspective(
                self.small, matrix, (CUT_PX, CUT_PX), pictures[i], flags=flags, borderMode=cv2.BORDER_REPLICATE
            )
            marked = [(outline, 1.0) for outline in outlines]
            if squares is not None:
                marked.append((seen_at(self.pose, squares[i], self.unit_mm), SQUARE))
            for outline, value in marked:
                there = (outline - spot) @ axes[i].T / step + CUT_PX / 2 - 0.5
                cv2.fillConvexPoly(masks[i], np.round(there * 16).astype(np.int32), value, shift=4)
        return pictures, masks, leans

    def in_view(self, outlines_mm: np.ndarray) -> np.ndarray:
        """(n,) whether outlines (n, 4, 3) are wholly in the picture."""
        wide, tall = (np.array(self.small.shape[1::-1]) / self.zoom).tolist()
        inside = self.pose.sees(outlines_mm.reshape(-1, 3), (wide, tall))
        return np.asarray(inside.reshape(-1, 4).all(axis=1))

    def places(self, spots_mm: np.ndarray, moved: np.ndarray) -> np.ndarray:
        """(n, 2) mm of what is shifted from spots (n, 2) by (n, 2) units right and down in their cuts."""
        axes, _ = self.axes_at(spots_mm)
        return spots_mm + np.einsum("ni,nij->nj", moved, axes) * self.unit_mm


def cutter_of(frame_bgr: np.ndarray, pose: Pose, unit_mm: float, trucks: tuple[Truck, ...]) -> Cutter:
    """The cutter for a frame (h, w, 3) with trucks in it; `unit_mm` is the side of the smallest box."""
    height, width = frame_bgr.shape[:2]
    x, y, _ = pose.on_plane(np.array([width / 2, height / 2]), unit_mm)
    start, end = pose.project(np.array([[x, y, unit_mm], [x + unit_mm, y, unit_mm]]))
    small = shrink(frame_bgr, UNIT_PX / max(float(np.linalg.norm(end - start)), 1e-6))
    zoom = np.array([small.shape[1] / width, small.shape[0] / height])
    return Cutter(small, zoom, pose, unit_mm, tuple(np.array(truck.corners_mm, np.float64) for truck in trucks))


def reader_input(pictures: np.ndarray, masks: np.ndarray, leans: np.ndarray, nearer: float) -> np.ndarray:
    """(n, 6, 72, 72) float of what `Cutter.cut` and `Cutter.nearer` give.

    The planes are colours of mean 0 and deviation 1 (3), mask, lean and nearer.
    """
    planes = pictures.astype(np.float32).transpose(0, 3, 1, 2)
    middle = planes.mean(axis=(1, 2, 3), keepdims=True)
    spread = planes.std(axis=(1, 2, 3), keepdims=True) + 4
    constants = np.stack([LEAN_SCALE * leans, np.full(len(leans), NEARER_SCALE * nearer)], axis=1)[:, :, None, None]
    flat = np.broadcast_to(constants, (len(leans), 2, CUT_PX, CUT_PX))
    return np.ascontiguousarray(np.concatenate([(planes - middle) / spread, masks[:, None], flat], axis=1), np.float32)
