"""The frame laid flat for the network that finds boxes: the table as it looks one box high, at one scale."""

from dataclasses import dataclass

import cv2
import numpy as np

from companion.errors import BadInput
from companion.words import _
from vision.scene.pose import Pose
from vision.scene.scene import Truck

UNIT_PX = 10  # The smallest box has this side in the flat picture; as trained.
SIDE_MULTIPLE = 32  # The flat picture's sides are multiples of it.
MOST_PX = 768  # The flat picture's sides are no longer, which is more table than any game needs.
LEAST_EDGES = 0.5  # With less slope of the steepest 1 %, over the contrast, the lens is covered or far out of focus.
KEEP = 1.3  # Fewer pixels of the shrunk frame for each pixel taken from it blur, more make aliases.


@dataclass(frozen=True, eq=False)
class Flat:
    """The frame laid flat one box high.

    picture   (h, w, 3) uint8 BGR
    to_mm     (2, 3): from flat pixels to the table's x and y
    lean      (h, w, 2): how far one more unit of height shifts a thing, in units
    """

    picture: np.ndarray
    to_mm: np.ndarray
    lean: np.ndarray

    def of_mm(self, points_mm: np.ndarray) -> np.ndarray:
        """(n, 2) mm one box high → (n, 2) flat pixels."""
        back = cv2.invertAffineTransform(self.to_mm)
        return points_mm @ back[:, :2].T + back[:, 2]


def seen_at(pose: Pose, points_mm: np.ndarray, z_mm: float) -> np.ndarray:
    """(n, 2) mm where places (n, 3) appear on the level plane at the height z_mm."""
    eye = pose.eye_mm
    away = np.asarray(points_mm, np.float64) - eye
    return (eye + away * ((z_mm - eye[2]) / away[:, 2:]))[:, :2]


def shrink(frame_bgr: np.ndarray, share: float) -> np.ndarray:
    """The frame with `wanted` new pixels for each of its own and some to spare; never larger, nor smaller than 8 px."""
    zoom = max(min(1.0, KEEP * share), 8 / min(frame_bgr.shape[:2]))
    if zoom >= 1:
        return frame_bgr
    return cv2.resize(frame_bgr, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA)


def lay_flat(frame_bgr: np.ndarray, pose: Pose, unit_mm: float) -> Flat:
    """The part of the frame that shows the table, laid flat; BadInput when the camera does not look down on it."""
    height, width = frame_bgr.shape[:2]
    rim = np.array([(x, y) for x in (0, width / 2, width - 1) for y in (0, height / 2, height - 1)], np.float64)
    ground = np.array([pose.on_plane(corner, unit_mm) for corner in rim])
    ahead = (ground - pose.eye_mm) @ pose.rotation[2]
    if not np.isfinite(ground).all() or (ahead <= 0).any():
        raise BadInput(_("The scene's camera doesn't look down on the table. Calibrate it again."))
    right = pose.rotation[0, :2] / max(float(np.linalg.norm(pose.rotation[0, :2])), 1e-9)
    axes = np.stack([right, [right[1], -right[0]]])  # Flat x runs along the picture, flat y towards the viewer.
    along_axes = ground[:, :2] @ axes.T
    low, high = along_axes.min(axis=0), along_axes.max(axis=0)
    size = np.ceil((high - low) / unit_mm * UNIT_PX / SIDE_MULTIPLE).astype(int) * SIDE_MULTIPLE
    size = np.clip(size, 4 * SIDE_MULTIPLE, MOST_PX)
    start = (low + high) / 2 - size / 2 * unit_mm / UNIT_PX
    to_mm = np.hstack([axes.T * unit_mm / UNIT_PX, (axes.T @ start)[:, None]])
    return flat_of(frame_bgr, pose, unit_mm, to_mm, (int(size[0]), int(size[1])))


def flat_of(frame_bgr: np.ndarray, pose: Pose, unit_mm: float, to_mm: np.ndarray, size_px: tuple[int, int]) -> Flat:
    """The flat picture of a given part of the table.

    to_mm     (2, 3) from flat pixels to the table's x and y
    size_px   width and height
    """
    step = 8  # Places are worked out on a grid so coarse, which is smooth enough.
    columns, rows = np.arange(0, size_px[0] + step, step), np.arange(0, size_px[1] + step, step)
    grid = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2).astype(np.float64)
    spots = grid @ to_mm[:, :2].T + to_mm[:, 2]
    pixels = pose.project(np.hstack([spots, np.full((len(spots), 1), unit_mm)]))
    eye = pose.eye_mm
    leans = (spots - eye[:2]) / (eye[2] - unit_mm)  # They are millimetres on the table for each millimetre of height.
    leans = leans @ np.linalg.inv(to_mm[:, :2]).T * unit_mm / UNIT_PX
    shape = (len(rows), len(columns))
    fine = np.meshgrid(np.arange(size_px[0], dtype=np.float32) / step, np.arange(size_px[1], dtype=np.float32) / step)
    map_x, map_y, lean_x, lean_y = (
        cv2.remap(values.reshape(shape).astype(np.float32), fine[0], fine[1], cv2.INTER_LINEAR)
        for values in (pixels[:, 0], pixels[:, 1], leans[:, 0], leans[:, 1])
    )
    middle = pixels.reshape(*shape, 2)[shape[0] // 2, shape[1] // 2 : shape[1] // 2 + 2]
    coarse = float(np.linalg.norm(middle[1] - middle[0])) / step  # Each flat pixel takes so many of the frame's.
    small = shrink(frame_bgr, 1 / max(coarse, 1e-6))
    real = small.shape[1] / frame_bgr.shape[1], small.shape[0] / frame_bgr.shape[0]
    picture = cv2.remap(
        small, (map_x + 0.5) * real[0] - 0.5, (map_y + 0.5) * real[1] - 0.5, cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    return Flat(picture, to_mm, np.stack([lean_x, lean_y], axis=-1))


def is_plain(flat: Flat) -> bool:
    """Whether a picture shows hardly any edge, so that nothing can be concluded from what is not seen."""
    grey = cv2.cvtColor(flat.picture, cv2.COLOR_BGR2GRAY)
    slopes = cv2.magnitude(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)) / 8
    return float(np.percentile(slopes[::2, ::2], 99)) < LEAST_EDGES * (float(grey.std()) + 4)


def finder_input(flat: Flat, trucks: tuple[Truck, ...], pose: Pose, unit_mm: float) -> np.ndarray:
    """(1, 6, h, w) float: colours of mean 0 and deviation 1, lean, and where boxes may stand on trucks."""
    colours = flat.picture.astype(np.float32).transpose(2, 0, 1)
    colours = (colours - colours.mean()) / (colours.std() + 4)
    mask = np.zeros(flat.picture.shape[:2], np.uint8)
    for truck in trucks:
        outline = flat.of_mm(seen_at(pose, np.array(truck.corners_mm), unit_mm))
        cv2.fillConvexPoly(mask, np.round(outline * 16).astype(np.int32), 1, shift=4)
    planes = [colours, flat.lean.transpose(2, 0, 1), mask[None]]
    return np.ascontiguousarray(np.concatenate(planes)[None], np.float32)
