"""Printed markers look like dice to whoever looks for dice: they are painted over where they are seen whole."""

import cv2
import numpy as np

from companion.errors import BadInput
from vision.scene.pose import detected_markers
from vision.scene.scene import Scene

OVER = 1.08  # of a marker is painted: its blurred edge too
PAPER = (1.12, 1.3)  # of a marker: between these lies the paper whose colour is taken
AROUND = 1.8  # of a marker is looked at first, where the scene says that it lies: a nudge leaves it within


def without_markers(frame_bgr: np.ndarray, scene: Scene) -> np.ndarray:
    """A picture (h, w, 3) uint8 with the scene's markers gone. One that is covered, by a die perhaps, is left alone:
    it cannot be read, and what covers it can.
    """
    known = {marker.id for marker in scene.markers}
    seen = seen_markers(frame_bgr, scene)
    painted = frame_bgr.copy() if known & set(seen) else frame_bgr
    for corners in (seen[number] for number in known & set(seen)):
        inner, outer = (scaled(corners, share) for share in PAPER)
        left, top = np.maximum(outer.min(axis=0), 0)
        right, bottom = np.minimum(outer.max(axis=0) + 1, frame_bgr.shape[1::-1])
        part = painted[top:bottom, left:right]
        ring = np.zeros(part.shape[:2], np.uint8)
        cv2.fillConvexPoly(ring, outer - (left, top), 255)
        cv2.fillConvexPoly(ring, inner - (left, top), 0)
        paper = np.median(frame_bgr[top:bottom, left:right][ring > 0], axis=0) if ring.any() else (255, 255, 255)
        cv2.fillConvexPoly(painted, scaled(corners, OVER), tuple(float(level) for level in paper), cv2.LINE_AA)
    return painted


def seen_markers(frame_bgr: np.ndarray, scene: Scene) -> dict[int, np.ndarray]:
    """Corners (4, 2) in pixels by marker id: looked for in their places, and everywhere when one is not in its own."""
    if not scene.markers:
        return {}
    dictionary, seen = scene.markers[0].dictionary, dict[int, np.ndarray]()
    for number, (left, top, right, bottom) in marker_places(frame_bgr, scene).items():
        found = detected_markers(frame_bgr[top:bottom, left:right], dictionary, quick=True)
        if number not in found:
            break
        seen[number] = found[number] + np.array([left, top], np.float32)
    else:
        if seen:
            return seen
    return detected_markers(frame_bgr, dictionary)


def marker_places(frame_bgr: np.ndarray, scene: Scene) -> dict[int, tuple[int, int, int, int]]:
    """By marker id where the picture shows it, if the camera stands where the scene says: left, top, right, bottom, the
    last two exclusive. Those that are not wholly in view are left out."""
    if scene.camera is None or scene.camera.rotation is None or scene.camera.shift_mm is None:
        return {}
    try:
        pose = scene.pose(frame_bgr)
    except BadInput:  # a picture of another shape
        return {}
    height, width = frame_bgr.shape[:2]
    places = {}
    for marker in scene.markers:
        if pose.sees(np.array(marker.corners_mm), (width, height)).all():
            corners = scaled(pose.project(np.array(marker.corners_mm)), AROUND)
            (left, top), (right, bottom) = np.maximum(corners.min(axis=0), 0), corners.max(axis=0) + 1
            places[marker.id] = int(left), int(top), min(int(right), width), min(int(bottom), height)
    return places


def scaled(corners_px: np.ndarray, share: float) -> np.ndarray:
    """A quadrilateral made larger about its middle, in whole pixels."""
    middle = corners_px.mean(axis=0)
    return np.rint(middle + share * (corners_px - middle)).astype(np.int32)
