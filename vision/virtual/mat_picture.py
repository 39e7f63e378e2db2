"""The mat as a picture from straight above, for the virtual camera and for training pictures."""

import cv2
import numpy as np

from companion.equipment.mat import DICTIONARY, Kind, Mat, Rectangle

PAPER_BGR = (236, 240, 240)
INK_BGR = (24, 29, 35)
TINT_BGR = (222, 230, 226)
LINE_BGR = (124, 133, 139)
MODULES = 6
EDGE_MM = 8.0  # The paper around the print is so wide.


def mat_picture(mat: Mat, px_per_mm: float) -> np.ndarray:
    """(h, w, 3) uint8 with EDGE_MM of paper on every side, upright as the players see it."""
    size = (round((mat.depth_mm + 2 * EDGE_MM) * px_per_mm), round((mat.width_mm + 2 * EDGE_MM) * px_per_mm))
    picture = np.full((*size, 3), PAPER_BGR, np.uint8)

    def pixels(place: Rectangle) -> tuple[int, int, int, int]:
        left = (place.left_mm + mat.width_mm / 2 + EDGE_MM) * px_per_mm
        top = (mat.depth_mm / 2 - place.far_mm + EDGE_MM) * px_per_mm
        right, bottom = left + place.width_mm * px_per_mm, top + place.depth_mm * px_per_mm
        return round(left), round(top), round(right), round(bottom)

    for zone in mat.zones:
        left, top, right, bottom = pixels(zone.place)
        if zone.kind in (Kind.DICE, Kind.BOXES):
            picture[top:bottom, left:right] = TINT_BGR
        if zone.kind is not Kind.BOARD:
            cv2.rectangle(picture, (left, top), (right - 1, bottom - 1), LINE_BGR, 1)
    if mat.grid is not None:
        left, top, right, bottom = pixels(mat.grid.place)
        for number in range(mat.grid.n + 1):
            at = round(number * mat.grid.cell_mm * px_per_mm)
            cv2.line(picture, (left + at, top), (left + at, bottom), INK_BGR, 1)
            cv2.line(picture, (left, top + at), (right, top + at), INK_BGR, 1)
    for fiducial in mat.fiducials:
        left, top, right, bottom = pixels(fiducial.place)
        modules = cv2.cvtColor(marker_modules(fiducial.id), cv2.COLOR_GRAY2BGR)
        tag = cv2.resize(modules, (right - left, bottom - top), interpolation=cv2.INTER_NEAREST)
        picture[top:bottom, left:right] = np.where(tag > 0, PAPER_BGR, INK_BGR)
    return picture


def marker_modules(number: int) -> np.ndarray:
    """(MODULES, MODULES) uint8: 0 for ink, 255 for paper."""
    tags = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))
    draw = getattr(cv2.aruco, "generateImageMarker", None) or cv2.aruco.drawMarker  # type: ignore[attr-defined]  # before OpenCV 4.7
    return np.asarray(draw(tags, number, MODULES))


def paper_corners_mm(mat: Mat) -> np.ndarray:
    """(4, 3): far left, far right, near right, near left of the paper that `mat_picture` shows."""
    x, y = mat.width_mm / 2 + EDGE_MM, mat.depth_mm / 2 + EDGE_MM
    return np.array([[-x, y, 0], [x, y, 0], [x, -y, 0], [-x, -y, 0]])
