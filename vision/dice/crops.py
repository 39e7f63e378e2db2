"""Crops of dice: where one lies in the frame, cut at the size that a network sees, and back again.

A crop's matrix (2, 3) leads from the frame to a crop of CROP_PX, whatever size it is cut at.
"""

from math import atan2, degrees, floor, hypot, log2

import cv2
import numpy as np

CROP_PX = 40  # A crop has this side; as trained.
CLOSE_PX = 64  # A crop of a die that is in doubt has this side; as trained.
CONTEXT = 1.35  # A crop is so many sides of the die's box wide; as trained.
KNOWN_PX = 64  # A crop that shows whether a thing is a die has this side; as trained.
KNOWN_CONTEXT = 2.0  # It is so many sides of the die's box wide, so that a domino is seen whole; as trained.
UPRIGHT_CONTEXT = 1.55  # A crop turned upright is so many sides of the top face wide; as trained.


class Pyramid:
    """A frame and its halvings, each made when first needed; reduced pictures are taken from these, without aliases."""

    def __init__(self, frame_bgr: np.ndarray) -> None:
        self.levels = [frame_bgr]

    @property
    def frame_bgr(self) -> np.ndarray:
        return self.levels[0]

    def scaled(self, scale: float) -> np.ndarray:
        """The frame at `scale`, at most 1.

        It is halved as often as possible first: that takes a tenth of the time of averaging it at once.
        """
        times = max(0, min(floor(-log2(scale)), min(self.frame_bgr.shape[:2]).bit_length() - 1))
        halved, left = self.halved(times), scale * 2**times
        if left == 1:
            return halved
        size = [max(1, round(side * left)) for side in halved.shape[1::-1]]
        return cv2.resize(halved, size, interpolation=cv2.INTER_LINEAR)

    def halved(self, times: int) -> np.ndarray:
        while len(self.levels) <= times:
            height, width = self.levels[-1].shape[:2]
            even = self.levels[-1][: height & ~1, : width & ~1]  # Pixels halve exactly so.
            self.levels.append(cv2.resize(even, (width // 2, height // 2), interpolation=cv2.INTER_AREA))
        return self.levels[times]


def crop_matrix(cx: float, cy: float, side: float, turn_deg: float) -> np.ndarray:
    """(2, 3) matrix from the frame to a crop around (cx, cy), turned so that `turn_deg` becomes upright."""
    matrix = cv2.getRotationMatrix2D((cx, cy), turn_deg, CROP_PX / max(side, 4.0))
    matrix[0, 2] += CROP_PX / 2 - cx
    matrix[1, 2] += CROP_PX / 2 - cy
    return matrix


def cut(pyramid: Pyramid, matrix: np.ndarray, size_px: int) -> np.ndarray:
    """The crop (size, size, 3); `matrix` is made for CROP_PX."""
    zoom = size_px / CROP_PX
    scale = hypot(matrix[0, 0], matrix[0, 1]) * zoom
    height, width = pyramid.frame_bgr.shape[:2]
    times = max(0, min(floor(-log2(scale)), min(height, width).bit_length() - 5))
    local = matrix * zoom
    if times:
        local[:, 2] += local[:, :2].sum(axis=1) * (2**times - 1) / 2  # It is the centre of a pixel of the halved frame.
        local[:, :2] *= 2**times
    return cv2.warpAffine(pyramid.halved(times), local, (size_px, size_px), borderMode=cv2.BORDER_REPLICATE)


def mirror_crop(matrix: np.ndarray) -> np.ndarray:
    """The matrix (2, 3) of the same crop with left and right swapped."""
    return np.array([[-1.0, 0, CROP_PX - 1], [0, 1.0, 0]]) @ np.vstack([matrix, [0, 0, 1]])


def normalise(crops: np.ndarray) -> np.ndarray:
    """(n, side, side, 3) uint8 → (n, 3, side, side) float of mean 0 and deviation 1, without light and exposure."""
    planes = crops.astype(np.float32).transpose(0, 3, 1, 2)
    middle = planes.mean(axis=(1, 2, 3), keepdims=True)
    spread = planes.std(axis=(1, 2, 3), keepdims=True) + 4
    return np.ascontiguousarray((planes - middle) / spread)


def face_in_frame(pose: np.ndarray, matrix: np.ndarray) -> tuple[float, float, float, float]:
    """Centre x and y, side in px and turn in degrees of the top face in the frame.

    pose    the network's answer for the crop: x, y, side, and cosine and sine of four times the turn
    matrix  (2, 3) from the frame to the crop
    """
    x, y, side, cos4, sin4 = pose.tolist()
    (along, across, shift_x), (_, _, shift_y) = matrix.tolist()
    zoom = hypot(along, across)
    at_x = (min(0.4, max(-0.4, x)) + 0.5) * CROP_PX - shift_x
    at_y = (min(0.4, max(-0.4, y)) + 0.5) * CROP_PX - shift_y
    turn = degrees(atan2(sin4, cos4)) / 4 + degrees(atan2(across, along))
    side_px = min(0.9, max(0.3, side)) * CROP_PX / zoom
    cx, cy = (along * at_x - across * at_y) / zoom**2, (across * at_x + along * at_y) / zoom**2
    return cx, cy, side_px, (turn + 45) % 90 - 45
