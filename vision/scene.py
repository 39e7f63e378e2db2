"""What a reader is told about the table, from SCENE.json: never what lies on it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import cv2
import numpy as np

from companion.errors import BadInput

RGB = tuple[float, float, float]
LEAST_MARKERS = 2  # eight corners; one small marker leaves the tilt too uncertain


@dataclass(frozen=True, eq=False)
class Pose:
    """A camera that knows where it stands. World: millimetres, z up, table top z = 0; pixels of the picture as given.

    intrinsics  (3, 3) as in OpenCV
    distortion  (k,) as in OpenCV
    rotation    (3, 3) world to camera
    shift_mm    (3,) camera point = rotation · world point + shift
    """

    intrinsics: np.ndarray
    distortion: np.ndarray
    rotation: np.ndarray
    shift_mm: np.ndarray

    def project(self, points_mm: np.ndarray) -> np.ndarray:
        """(n, 3) world points → (n, 2) pixels."""
        turned, _ = cv2.Rodrigues(self.rotation)
        pixels, _ = cv2.projectPoints(
            np.asarray(points_mm, np.float64).reshape(-1, 1, 3), turned, self.shift_mm, self.intrinsics, self.distortion
        )
        return pixels.reshape(-1, 2)

    def on_plane(self, pixel: np.ndarray, z_mm: float) -> np.ndarray:
        """The world point (3,) that a pixel shows if it lies at height z_mm."""
        seen = cv2.undistortPoints(np.array(pixel, np.float64).reshape(1, 1, 2), self.intrinsics, self.distortion)
        ray = self.rotation.T @ np.array([*seen[0, 0], 1.0])
        eye = -self.rotation.T @ self.shift_mm
        return eye + ray * ((z_mm - eye[2]) / ray[2])


@dataclass(frozen=True)
class Camera:
    """How a camera maps directions to pixels, and its pose where calibration found one."""

    width: int
    height: int
    focal: tuple[float, float]
    centre: tuple[float, float]
    distortion: tuple[float, ...] = ()
    rotation: tuple[float, ...] | None = None  # nine numbers, row by row
    shift_mm: tuple[float, ...] | None = None

    def intrinsics(self, width: int) -> np.ndarray:
        """For a picture of `width` pixels: the same view, smaller or larger."""
        zoom = width / self.width
        (fx, fy), (cx, cy) = self.focal, self.centre
        return np.array([[fx * zoom, 0, cx * zoom], [0, fy * zoom, cy * zoom], [0, 0, 1]])


@dataclass(frozen=True)
class Marker:
    """A printed tag of known place: its corners (4, 3) in mm, in the order the detector names them."""

    dictionary: str
    id: int
    corners_mm: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Scene:
    """The fields the dice readers use; a scene file may hold many more.

    colour_rgb  name of a body colour to its red, green, blue 0..255; empty when the table's colours are not known
    """

    colour_rgb: Mapping[str, RGB] = field(default_factory=lambda: MappingProxyType({}))
    camera: Camera | None = None
    markers: tuple[Marker, ...] = ()
    die_size_mm: float | None = None

    def pose(self, frame_bgr: np.ndarray) -> Pose:
        """Where the camera stands: as calibrated, else from the markers in the frame; BadInput says what is missing."""
        if self.camera is None:
            raise BadInput("The scene has no camera: calibrate the table, the page writes it.")
        height, width = frame_bgr.shape[:2]
        if abs(height * self.camera.width - width * self.camera.height) > 0.02 * width * self.camera.height:
            raise BadInput(
                f"The scene describes pictures of {self.camera.width} × {self.camera.height} pixels, this one has "
                f"{width} × {height}: take it with the calibrated camera."
            )
        intrinsics, distortion = self.camera.intrinsics(width), np.array(self.camera.distortion or (0.0,) * 5)
        if self.camera.rotation is not None and self.camera.shift_mm is not None:
            return Pose(
                intrinsics, distortion, np.array(self.camera.rotation).reshape(3, 3), np.array(self.camera.shift_mm)
            )
        return pose_from_markers(frame_bgr, self.markers, intrinsics, distortion)


def pose_from_markers(
    frame_bgr: np.ndarray, markers: tuple[Marker, ...], intrinsics: np.ndarray, distortion: np.ndarray
) -> Pose:
    """The camera's place from the printed markers it sees; raises BadInput when it sees too few."""
    if not markers:
        raise BadInput("The scene has neither the camera's place (R_world_to_cam, t_mm) nor markers to find it by.")
    seen = detected_markers(frame_bgr, markers[0].dictionary)
    known = [marker for marker in markers if marker.id in seen]
    if len(known) < LEAST_MARKERS:
        raise BadInput(f"Only {len(known)} of {len(markers)} markers are in view: uncover at least {LEAST_MARKERS}.")
    world = np.array([corner for marker in known for corner in marker.corners_mm], np.float64)
    pixels = np.concatenate([seen[marker.id] for marker in known]).astype(np.float64)
    found, turned, shift = cv2.solvePnP(world, pixels, intrinsics, distortion)
    if not found:
        raise BadInput("The markers do not fit the scene: calibrate the table again.")
    return Pose(intrinsics, distortion, cv2.Rodrigues(turned)[0], shift.ravel())


def detected_markers(frame_bgr: np.ndarray, dictionary: str) -> dict[int, np.ndarray]:
    """Corners (4, 2) in pixels by marker id."""
    if not hasattr(cv2, "aruco"):
        raise BadInput("This OpenCV has no marker detector: give the camera's place in the scene (R_world_to_cam).")
    number = getattr(cv2.aruco, dictionary, None)
    if number is None:
        raise BadInput(f"The scene's markers are of an unknown dictionary, {dictionary}.")
    tags = cv2.aruco.getPredefinedDictionary(number)
    if hasattr(cv2.aruco, "ArucoDetector"):
        parameters = cv2.aruco.DetectorParameters()
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        corners, ids, _ = cv2.aruco.ArucoDetector(tags, parameters).detectMarkers(frame_bgr)
    else:
        corners, ids, _ = cv2.aruco.detectMarkers(frame_bgr, tags)
    return {} if ids is None else {int(i): c.reshape(4, 2) for i, c in zip(ids.ravel(), corners, strict=True)}


def load_scene(path: Path) -> Scene:
    """The scene written at `path`; raises BadInput with a sentence about the file."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"The scene {path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:  # no UTF-8, no JSON, a number of thousands of digits
        raise BadInput(f"The scene {path} is no JSON: write it again with the calibration page.") from error
    try:
        return scene_of(fields)
    except BadInput as error:
        raise BadInput(f"The scene {path} does not fit: {error}") from error


def scene_of(fields: object) -> Scene:
    """A scene from decoded JSON; unknown keys are ignored."""
    if not isinstance(fields, dict):
        raise BadInput("it must be an object with fields such as colour_rgb.")
    colours = fields.get("colour_rgb") or {}
    if not isinstance(colours, dict):
        raise BadInput('colour_rgb must name colours, like {"red": [185, 20, 34]}.')
    size = fields.get("die_size_mm")
    return Scene(
        colour_rgb=MappingProxyType({name: rgb_of(name, value) for name, value in colours.items()}),
        camera=None if fields.get("camera") is None else camera_of(fields["camera"]),
        markers=markers_of(fields.get("markers") or []),
        die_size_mm=None if size is None else numbers("die_size_mm", [size], 1)[0],
    )


def camera_of(value: object) -> Camera:
    if not isinstance(value, dict):
        raise BadInput("camera must be an object with width, height, fx, fy, cx and cy.")
    width, height, fx, fy, cx, cy = numbers(
        "camera", [value.get(key) for key in ("width", "height", "fx", "fy", "cx", "cy")], 6
    )
    if min(width, height, fx, fy) <= 0:
        raise BadInput("the camera's width, height, fx and fy must be positive.")
    rotation, shift = value.get("R_world_to_cam"), value.get("t_mm")
    return Camera(
        int(width),
        int(height),
        (fx, fy),
        (cx, cy),
        tuple(numbers("camera.dist", value.get("dist") or [0, 0, 0, 0, 0], None)),
        None if rotation is None else tuple(numbers("camera.R_world_to_cam", flat(rotation), 9)),
        None if shift is None else tuple(numbers("camera.t_mm", flat(shift), 3)),
    )


def markers_of(value: object) -> tuple[Marker, ...]:
    if not isinstance(value, list) or not all(isinstance(marker, dict) for marker in value):
        raise BadInput("markers must be a list of objects.")
    return tuple(
        Marker(
            str(marker.get("dictionary", "DICT_4X4_50")),
            int(numbers("the id of a marker", [marker.get("id")], 1)[0]),
            tuple(
                tuple(numbers("a corner of a marker", corner, 3))
                for corner in marker.get("corners_mm_tl_tr_br_bl") or marker.get("corners_mm") or ()
            ),
        )
        for marker in value
    )


def flat(value: object) -> list[object]:
    """A list of lists as one list; anything else as it is."""
    if not isinstance(value, list):
        return [value]
    return [part for row in value for part in (row if isinstance(row, list) else [row])]


def numbers(what: str, value: object, count: int | None) -> list[float]:
    """So many numbers, checked; `count` None takes any number of them."""
    if (
        not isinstance(value, list)
        or (count is not None and len(value) != count)
        or not all(isinstance(part, int | float) and not isinstance(part, bool) for part in value)
    ):
        raise BadInput(f"{what} must be {'numbers' if count is None else f'{count} numbers'}.")
    return [float(part) for part in value]


def rgb_of(name: str, value: object) -> RGB:
    if (
        not isinstance(value, list)
        or len(value) != 3
        or not all(isinstance(part, int | float) and not isinstance(part, bool) and 0 <= part <= 255 for part in value)
    ):
        raise BadInput(f"colour_rgb of {name} must be three numbers from 0 to 255.")
    red, green, blue = value
    return float(red), float(green), float(blue)
