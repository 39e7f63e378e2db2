"""The virtual camera's pose over the demo's table, and the lamp over it.

World: right-handed millimetres from the table's far left corner, x right, y away from the viewer (so the table lies at
negative y), z up.
"""

import numpy as np

from companion.demo.things import HEIGHT_MM, WIDTH_MM

WIDTH_PX, HEIGHT_PX = 1280, 960
VIEW_MM = 470.0  # The camera sees so wide a strip in the table's middle.
DISTANCE_MM = 700.0
FOCAL_PX = WIDTH_PX * DISTANCE_MM / VIEW_MM
TILT_DEG = 16.0  # docs/vision.md advises it for stacks; straight down would hide every side face.

TO_LIGHT = np.array([-0.42, 0.38, 0.82]) / np.linalg.norm([-0.42, 0.38, 0.82])
AMBIENT, DIFFUSE = 0.56, 0.5
ROUNDED_LIGHT = 0.86  # A rounded edge has less than the brightest face, as only a part of it faces the lamp.


def project(points_mm: np.ndarray) -> np.ndarray:
    """World millimetres (n, 3) → pixels (n, 2) of the virtual camera, which has no distortion."""
    in_camera = (points_mm - eye_mm()) @ camera_axes().T
    return in_camera[:, :2] / in_camera[:, 2:] * FOCAL_PX + (WIDTH_PX / 2, HEIGHT_PX / 2)


def camera_axes() -> np.ndarray:
    """(3, 3) rows: the camera's right, down and forward directions in the world."""
    tilt = np.radians(TILT_DEG)
    return np.array([[1, 0, 0], [0, -np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), -np.cos(tilt)]])


def eye_mm() -> np.ndarray:
    """(3,) the camera's place."""
    tilt = np.radians(TILT_DEG)
    return np.array([WIDTH_MM / 2, -HEIGHT_MM / 2 - DISTANCE_MM * np.sin(tilt), DISTANCE_MM * np.cos(tilt)])


def brightness_of(normal: np.ndarray) -> float:
    """The share of light that a face with that normal reflects, 1.0 if it faces the lamp."""
    return AMBIENT + DIFFUSE * max(0.0, float(normal @ TO_LIGHT))


def towards_eye(point_mm: np.ndarray) -> np.ndarray:
    """The unit vector (3,) from a point to the camera."""
    way_mm = eye_mm() - point_mm
    return way_mm / np.linalg.norm(way_mm)
