"""Paints over printed markers that are seen whole, as they look like dice to a reader of dice."""

import cv2
import numpy as np

from companion.errors import BadInput
from vision.scene.pose import detect_markers
from vision.scene.scene import Scene

OVER = 1.08  # The paint is so much larger than a marker and covers its blurred edge.
PAPER = (1.12, 1.3)  # Between these sizes around a marker the paper gives the colour.
AROUND = 1.8  # A marker is searched first around its place, which allows for a nudge.


def without_markers(frame_bgr: np.ndarray, scene: Scene) -> np.ndarray:
    """A picture (h, w, 3) uint8 without the scene's markers.

    A marker covered by something, perhaps a die, is left: it cannot be read, and what covers it can.
    """
    corners_px = find_markers(frame_bgr, scene)
    numbers = {marker.id for marker in scene.markers} & set(corners_px)
    painted = frame_bgr.copy() if numbers else frame_bgr
    for corners in (corners_px[number] for number in numbers):
        inner, outer = (enlarged(corners, share) for share in PAPER)
        left, top = np.maximum(outer.min(axis=0), 0)
        right, bottom = np.minimum(outer.max(axis=0) + 1, frame_bgr.shape[1::-1])
        part = painted[top:bottom, left:right]
        ring = np.zeros(part.shape[:2], np.uint8)
        cv2.fillConvexPoly(ring, outer - (left, top), 255)
        cv2.fillConvexPoly(ring, inner - (left, top), 0)
        paper = np.median(frame_bgr[top:bottom, left:right][ring > 0], axis=0) if ring.any() else (255, 255, 255)
        cv2.fillConvexPoly(painted, enlarged(corners, OVER), tuple(float(level) for level in paper), cv2.LINE_AA)
    return painted


def find_markers(frame_bgr: np.ndarray, scene: Scene) -> dict[int, np.ndarray]:
    """Corners (4, 2) in px by marker id, searched in their places, or everywhere if one is not in its place."""
    if not scene.markers:
        return {}
    dictionary, corners_px = scene.markers[0].dictionary, dict[int, np.ndarray]()
    for number, (left, top, right, bottom) in marker_places(frame_bgr, scene).items():
        in_place = detect_markers(frame_bgr[top:bottom, left:right], dictionary, quick=True)
        if number not in in_place:
            break
        corners_px[number] = in_place[number] + np.array([left, top], np.float32)
    else:
        if corners_px:
            return corners_px
    return detect_markers(frame_bgr, dictionary)


def marker_places(frame_bgr: np.ndarray, scene: Scene) -> dict[int, tuple[int, int, int, int]]:
    """Each marker's (left, top, right, bottom) in px, the last two exclusive, as the camera stands by the scene.

    Markers that are not wholly in view are left out.
    """
    if scene.camera is None or scene.camera.pose(frame_bgr.shape[1]) is None:
        return {}
    try:
        pose = scene.pose(frame_bgr)
    except BadInput:  # The picture has another shape.
        return {}
    height, width = frame_bgr.shape[:2]
    places = {}
    for marker in scene.markers:
        if pose.sees(np.array(marker.corners_mm), (width, height)).all():
            corners = enlarged(pose.project(np.array(marker.corners_mm)), AROUND)
            (left, top), (right, bottom) = np.maximum(corners.min(axis=0), 0), corners.max(axis=0) + 1
            places[marker.id] = int(left), int(top), min(int(right), width), min(int(bottom), height)
    return places


def enlarged(corners_px: np.ndarray, share: float) -> np.ndarray:
    """A quadrilateral scaled about its middle, in whole pixels."""
    middle = corners_px.mean(axis=0)
    return np.rint(middle + share * (corners_px - middle)).astype(np.int32)
