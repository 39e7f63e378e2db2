"""A camera's mapping from directions to pixels before anybody measures it: by the maker's data, or by the mat."""

import math
from dataclasses import dataclass

import cv2
import numpy as np

from companion.words import N_
from vision.scene.scene import SceneCamera

WIDE_16_9 = 16 / math.hypot(16, 9)  # The width of such a picture is this share of its diagonal.
LEAST_VIEWS = 4
TILTS_APART_DEG = 20.0  # If no two views are so far apart, focal length and distance look alike.
NEW_VIEW_DEG = 7.0  # A view nearer to another one adds nothing.
MOST_VIEWS = 12
FOCAL_SURE = 0.01  # The focal length is sure with no larger standard deviation, as a share of it.


@dataclass(frozen=True)
class Lens:
    """A kind of camera.

    focal       focal length as a share of the picture's width
    """

    name: str
    title: str
    focal: float


def focal_of_angle(wide_deg: float) -> float:
    """The focal length, as a share of the width, of a lens that sees so many degrees from left to right."""
    return 0.5 / math.tan(math.radians(wide_deg) / 2)


# The angles are those of hardware/cameras.toml, which names their sources; a test compares them.
LENSES = {
    lens.name: lens
    for lens in (
        Lens("module-3", N_("Camera Module 3"), focal_of_angle(66)),
        Lens("module-3-wide", N_("Camera Module 3 Wide"), focal_of_angle(102)),
        Lens("hq-6mm", N_("HQ Camera, 6 mm lens"), 6.0 / 6.287),
        Lens("webcam", N_("USB camera"), 0.5 / (math.tan(math.radians(78) / 2) * WIDE_16_9)),
    )
}


def usual_camera(lens: Lens, width: int, height: int) -> SceneCamera:
    """A camera with this lens and no distortion."""
    focal_px = lens.focal * width
    return SceneCamera(width, height, (focal_px, focal_px), ((width - 1) / 2, (height - 1) / 2))


@dataclass(frozen=True, eq=False)
class View:
    """One look at the mat: points (n, 3) mm, their pixels (n, 2), and the direction of the mat's upright axis."""

    points_mm: np.ndarray
    points_px: np.ndarray
    upright: np.ndarray


class Views:
    """Views of the mat from many sides, as people lift its edges towards the camera; they tell the lens."""

    def __init__(self) -> None:
        self._views: list[View] = []

    def __len__(self) -> int:
        return len(self._views)

    def add(self, view: View) -> bool:
        """Adds a view unless it is like an earlier one; returns whether it was added."""
        if len(self._views) == MOST_VIEWS or any(apart_deg(view, earlier) < NEW_VIEW_DEG for earlier in self._views):
            return False
        self._views.append(view)
        return True

    def camera(self, width: int, height: int, lens: Lens) -> SceneCamera | None:
        """The camera as measured, or None while the maker's data are more exact."""
        if len(self._views) < LEAST_VIEWS:
            return None
        if max(apart_deg(self._views[0], view) for view in self._views) < TILTS_APART_DEG:
            return None
        guess = usual_camera(lens, width, height).intrinsics(width)
        flags = (
            cv2.CALIB_USE_INTRINSIC_GUESS
            | cv2.CALIB_FIX_ASPECT_RATIO
            | cv2.CALIB_FIX_PRINCIPAL_POINT  # A few views of one sheet cannot tell it from a tilt.
            | cv2.CALIB_ZERO_TANGENT_DIST
            | cv2.CALIB_FIX_K2
            | cv2.CALIB_FIX_K3
        )
        _, matrix, distortion, _, _, unsure, _, _ = cv2.calibrateCameraExtended(
            [view.points_mm.astype(np.float32) for view in self._views],
            [view.points_px.astype(np.float32) for view in self._views],
            (width, height),
            guess,
            np.zeros(5),
            flags=flags,
        )
        focal_px = float(matrix[0, 0])
        if float(unsure[0, 0]) > FOCAL_SURE * focal_px:
            return None
        return SceneCamera(
            width,
            height,
            (focal_px, float(matrix[1, 1])),
            (float(matrix[0, 2]), float(matrix[1, 2])),
            tuple(float(part) for part in distortion.ravel()[:5]),
        )


def apart_deg(view: View, other: View) -> float:
    """The angle between the mat's axes in two views."""
    return float(np.degrees(np.arccos(np.clip(view.upright @ other.upright, -1, 1))))
