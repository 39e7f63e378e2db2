"""Cuts of the frame around a place, one box high and standing so that whatever is higher leans upwards.

A box's top shows its length and its near side, below the top in every cut, its height, except straight below the
camera, where nothing leans. One network (`vision.load.reader`) reads both, and how high a square of a truck is covered.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.load.flat import eye_of, seen_at, shrunk
from vision.scene.pose import Pose
from vision.scene.scene import Truck

CUT_PX = 72  # side of a cut; as trained
UNIT_PX = 11  # side of the smallest box in it; as trained
LEAN_SCALE, NEARER_SCALE = 2.0, 30.0  # bring both to about one; as trained
SQUARE = 2.0  # marks the square that is asked about


@dataclass(frozen=True, eq=False)
class Cutter:
    """A frame from which places are cut.

    small  the frame, shrunk to about the scale of the cuts
    zoom   (2,) its size over the frame's
    areas  for each truck (4, 3) mm, the corners of its loading area
    """

    small: np.ndarray
    zoom: np.ndarray
    pose: Pose
    unit: float
    areas: tuple[np.ndarray, ...]

    @property
    def nearer(self) -> float:
        """How much larger a thing one unit higher looks, as a share."""
        return self.unit / float(eye_of(self.pose)[2] - self.unit)

    def axes_at(self, spots_mm: np.ndarray, turn: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """For (n, 2) spots one box high: (n, 2, 2) the table's directions of a cut's x and y, and (n,) how far a thing
        one unit higher leans, in units.

        turn  radians by which the cuts are turned besides
        """
        eye = eye_of(self.pose)
        leans = (spots_mm - eye[:2]) / (eye[2] - self.unit)
        far = np.linalg.norm(leans, axis=1)
        # straight below the camera nothing leans, and any direction will do
        up = np.where(far[:, None] > 1e-6, leans / np.maximum(far, 1e-6)[:, None], [0.0, 1.0])
        up = up @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        return np.stack([np.stack([up[:, 1], -up[:, 0]], axis=1), -up], axis=1), far

    def cut(
        self, spots_mm: np.ndarray, squares: np.ndarray | None = None, turn: float = 0.0, scale: float = 1.0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(n, 2) spots one box high → pictures (n, 72, 72, 3), masks (n, 72, 72), leans (n,).

        Masks are 1 on loading areas, SQUARE on the square that is asked about, 0 elsewhere.

        squares  (n, 4, 3): corners of the square that is asked about in each
        scale    of the cuts, larger shows things larger
        """
        axes, leans = self.axes_at(spots_mm, turn)
        step = self.unit / (UNIT_PX * scale)
        rim = (np.array([[0, 0], [CUT_PX, 0], [CUT_PX, CUT_PX], [0, CUT_PX]]) - CUT_PX / 2) * step
        corners = spots_mm[:, None] + rim @ axes
        level = np.full((*corners.shape[:2], 1), self.unit)
        pixels = self.pose.project(np.concatenate([corners, level], axis=2).reshape(-1, 3)).reshape(-1, 4, 2)
        pixels = ((pixels + 0.5) * self.zoom - 0.5).astype(np.float32)
        frame = (rim / step + CUT_PX / 2 - 0.5).astype(np.float32)
        pictures = np.empty((len(spots_mm), CUT_PX, CUT_PX, 3), np.uint8)
        masks = np.zeros((len(spots_mm), CUT_PX, CUT_PX), np.float32)
        outlines = [seen_at(self.pose, area, self.unit) for area in self.areas]
        for i, spot in enumerate(spots_mm):
            matrix = cv2.getPerspectiveTransform(frame, pixels[i])
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            cv2.warpPerspective(
                self.small, matrix, (CUT_PX, CUT_PX), pictures[i], flags=flags, borderMode=cv2.BORDER_REPLICATE
            )
            marked = [(outline, 1.0) for outline in outlines]
            if squares is not None:
                marked.append((seen_at(self.pose, squares[i], self.unit), SQUARE))
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
        """(n, 2) spots and (n, 2) units right and down in their cuts → (n, 2) mm."""
        axes, _ = self.axes_at(spots_mm)
        return spots_mm + np.einsum("ni,nij->nj", moved, axes) * self.unit


def cutter_of(frame_bgr: np.ndarray, pose: Pose, unit: float, trucks: tuple[Truck, ...]) -> Cutter:
    """For a frame (h, w, 3) and the trucks in it."""
    height, width = frame_bgr.shape[:2]
    x, y, _ = pose.on_plane(np.array([width / 2, height / 2]), unit)
    one, other = pose.project(np.array([[x, y, unit], [x + unit, y, unit]]))
    small = shrunk(frame_bgr, UNIT_PX / max(float(np.linalg.norm(other - one)), 1e-6))
    zoom = np.array([small.shape[1] / width, small.shape[0] / height])
    return Cutter(small, zoom, pose, unit, tuple(np.array(truck.corners_mm, np.float64) for truck in trucks))


def reader_input(pictures: np.ndarray, masks: np.ndarray, leans: np.ndarray, nearer: float) -> np.ndarray:
    """What `Cutter.cut` gives, and `Cutter.nearer` → (n, 6, 72, 72) float: colours of mean 0 and deviation 1, mask,
    lean, nearer."""
    planes = pictures.astype(np.float32).transpose(0, 3, 1, 2)
    middle = planes.mean(axis=(1, 2, 3), keepdims=True)
    spread = planes.std(axis=(1, 2, 3), keepdims=True) + 4
    known = np.stack([LEAN_SCALE * leans, np.full(len(leans), NEARER_SCALE * nearer)], axis=1)[:, :, None, None]
    flat = np.broadcast_to(known, (len(leans), 2, CUT_PX, CUT_PX))
    return np.ascontiguousarray(np.concatenate([(planes - middle) / spread, masks[:, None], flat], axis=1), np.float32)
