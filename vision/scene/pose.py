"""The camera's place: from pixels to millimetres and back, and how printed markers tell it."""

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from companion.errors import BadInput
from companion.words import _

LEAST_MARKERS = 2  # They have eight corners; one small marker leaves the tilt too uncertain.
ENOUGH_MARKERS = 3  # So many must stay when one is left out.
FARTHEST_MM = 100_000.0  # No camera stands farther from the table.
FAR_PX = 100_000.0  # It is beyond any picture, yet within the range that OpenCV draws in.
FIND_PX = 1280  # Markers are searched in a picture with this longer side; larger ones only cost time.
NOT_WORTH = 0.8  # A picture is not reduced for less than that.
QUICK_PX = 13  # A quick look thresholds a pixel in a window of this side; otherwise 3, 13 and 23 come in turn.
REACH_PX = 2.5  # A corner of the reduced picture is refined in the whole one within this distance.
STRAY_PX, STRAY = 3.0, 2.5  # A marker with a larger error, in px and against the median, is left out.


@dataclass(frozen=True, eq=False)
class Pose:
    """A camera's place and lens. World: millimetres, z up, table top z = 0; pixels of the picture as given.

    intrinsics  (3, 3) as in OpenCV
    distortion  (k,) as in OpenCV
    rotation    (3, 3) world to camera
    shift_mm    (3,) camera point = rotation · world point + shift
    """

    intrinsics: np.ndarray
    distortion: np.ndarray
    rotation: np.ndarray
    shift_mm: np.ndarray

    @property
    def eye_mm(self) -> np.ndarray:
        """(3,) the camera's place."""
        return np.asarray(-self.rotation.T @ self.shift_mm)

    @property
    def is_over_table(self) -> bool:
        """Whether a camera can stand there: above the table and not too far."""
        return bool(self.eye_mm[2] > 0 and np.linalg.norm(self.eye_mm) <= FARTHEST_MM)

    def project(self, points_mm: np.ndarray) -> np.ndarray:
        """(n, 3) world points → (n, 2) pixels."""
        turn, _ = cv2.Rodrigues(self.rotation)
        pixels, _ = cv2.projectPoints(
            np.asarray(points_mm, np.float64).reshape(-1, 1, 3), turn, self.shift_mm, self.intrinsics, self.distortion
        )
        return pixels.reshape(-1, 2)

    def sees(self, points_mm: np.ndarray, size_px: tuple[float, float]) -> np.ndarray:
        """(n,) whether world points (n, 3) are in front of the camera and within a picture of that width and height."""
        pixels = self.project(points_mm)
        ahead = (np.asarray(points_mm, np.float64).reshape(-1, 3) @ self.rotation.T + self.shift_mm)[:, 2] > 0
        return np.asarray(ahead & ((pixels >= -0.5) & (pixels <= np.array(size_px) - 0.5)).all(axis=1))

    def on_plane(self, pixel: np.ndarray, z_mm: float) -> np.ndarray:
        """The world point (3,) that a pixel shows at the height z_mm."""
        straight = cv2.undistortPoints(np.array(pixel, np.float64).reshape(1, 1, 2), self.intrinsics, self.distortion)
        ray = self.rotation.T @ np.array([*straight[0, 0], 1.0])
        eye = self.eye_mm
        return eye + ray * ((z_mm - eye[2]) / ray[2])


@dataclass(frozen=True)
class Marker:
    """A printed tag in a known place: its corners (4, 3) in mm, in the detector's order."""

    dictionary: str
    id: int
    corners_mm: tuple[tuple[float, ...], ...]


def pose_from_markers(
    frame_bgr: np.ndarray, markers: tuple[Marker, ...], intrinsics: np.ndarray, distortion: np.ndarray
) -> Pose:
    """The pose by the printed markers in a frame; raises BadInput when too few are in view."""
    if not markers:
        raise BadInput(_("The scene has no camera position (R_world_to_cam, t_mm) and no markers to find it by."))
    return pose_from_corners(detect_markers(frame_bgr, markers[0].dictionary), markers, intrinsics, distortion)


def pose_from_corners(
    corners_px: Mapping[int, np.ndarray], markers: tuple[Marker, ...], intrinsics: np.ndarray, distortion: np.ndarray
) -> Pose:
    """The pose by corners (4, 2) in px by marker id; raises BadInput when they are too few.

    A marker that is not where the scene says, as it is another one or a corner is folded, is left out if enough others
    agree.
    """
    in_view = [marker for marker in markers if marker.id in corners_px]
    while True:
        if len(in_view) < LEAST_MARKERS:
            raise BadInput(
                _(
                    "I see only {n} of {all} markers. Uncover at least {least}.",
                    n=len(in_view),
                    all=len(markers),
                    least=LEAST_MARKERS,
                )
            )
        world = np.array([corner for marker in in_view for corner in marker.corners_mm], np.float64)
        pixels = np.concatenate([corners_px[marker.id] for marker in in_view]).astype(np.float64)
        pose = solve_pose(world, pixels, intrinsics, distortion)
        if pose is None:
            raise BadInput(_("The markers don't match the scene. Calibrate the table again."))
        off_px = np.linalg.norm(pose.project(world) - pixels, axis=1).reshape(-1, 4).max(axis=1)
        stray = int(off_px.argmax())
        if len(in_view) <= ENOUGH_MARKERS or off_px[stray] < STRAY_PX or off_px[stray] < STRAY * np.median(off_px):
            return pose
        del in_view[stray]


def solve_pose(
    points_mm: np.ndarray, points_px: np.ndarray, intrinsics: np.ndarray, distortion: np.ndarray
) -> Pose | None:
    """The pose over the table that best shows world points (n, 3) at pixels (n, 2), or None."""
    is_solved, turn, shift = cv2.solvePnP(points_mm, points_px, intrinsics, distortion)
    pose = Pose(intrinsics, distortion, cv2.Rodrigues(turn)[0], shift.ravel()) if is_solved else None
    return pose if pose is not None and pose.is_over_table else None


def knows_dictionary(name: str) -> bool:
    """Whether OpenCV has markers of that name; without a detector this is not checked."""
    return name.startswith("DICT_") and (not hasattr(cv2, "aruco") or hasattr(cv2.aruco, name))


def detect_markers(frame_bgr: np.ndarray, dictionary: str, *, quick: bool = False) -> dict[int, np.ndarray]:
    """Corners (4, 2) in px by marker id; a quick look takes a third of the time and may miss one."""
    if not hasattr(cv2, "aruco"):
        raise BadInput("This OpenCV has no marker detector: give the camera's place in the scene (R_world_to_cam).")
    if not knows_dictionary(dictionary):
        raise BadInput(f"The scene's markers are of an unknown dictionary, {dictionary}.")
    tags = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary))
    height, width = frame_bgr.shape[:2]
    scale = min(1.0, FIND_PX / max(height, width))
    size = max(1, round(scale * width)), max(1, round(scale * height))
    small = frame_bgr if scale > NOT_WORTH else cv2.resize(frame_bgr, size, interpolation=cv2.INTER_AREA)
    if hasattr(cv2.aruco, "ArucoDetector"):
        parameters = cv2.aruco.DetectorParameters()
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        if quick:
            parameters.adaptiveThreshWinSizeMin = parameters.adaptiveThreshWinSizeMax = QUICK_PX
        corners, ids, _ = cv2.aruco.ArucoDetector(tags, parameters).detectMarkers(small)
    else:
        corners, ids, _ = cv2.aruco.detectMarkers(small, tags)  # type: ignore[attr-defined]  # before OpenCV 4.7
    if ids is None:
        return {}
    corners_px = {int(i): c.reshape(4, 2) for i, c in zip(ids.ravel(), corners, strict=True)}
    return corners_px if small is frame_bgr else refine_corners(frame_bgr, corners_px, small.shape[1] / width)


def refine_corners(frame_bgr: np.ndarray, corners_px: Mapping[int, np.ndarray], scale: float) -> dict[int, np.ndarray]:
    """Corners that were found on a reduced picture, as exact as the whole one allows."""
    grey = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
    reach = max(2, round(REACH_PX / scale))
    enough = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 30, 0.01)
    return {
        number: cv2.cornerSubPix(
            grey, ((corners + 0.5) / scale - 0.5).astype(np.float32), (reach, reach), (-1, -1), enough
        )
        for number, corners in corners_px.items()
    }


def turn_z(yaw: float) -> np.ndarray:
    """Rotation (3, 3) about the upright axis by `yaw` radians, counter-clockwise seen from above."""
    return np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
