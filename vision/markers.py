"""Printed markers look like dice to whoever looks for dice: they are painted over where they are seen whole."""

import cv2
import numpy as np

from vision.pose import Marker, detected_markers

OVER = 1.08  # of a marker is painted: its blurred edge too
PAPER = (1.12, 1.3)  # of a marker: between these lies the paper whose colour is taken


def without_markers(frame_bgr: np.ndarray, markers: tuple[Marker, ...]) -> np.ndarray:
    """A picture (h, w, 3) uint8 with the scene's markers gone. One that is covered, by a die perhaps, is left alone:
    it cannot be read, and what covers it can.
    """
    known = {marker.id for marker in markers}
    seen = detected_markers(frame_bgr, markers[0].dictionary) if markers else {}
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


def scaled(corners_px: np.ndarray, share: float) -> np.ndarray:
    """A quadrilateral made larger about its middle, in whole pixels."""
    middle = corners_px.mean(axis=0)
    return np.rint(middle + share * (corners_px - middle)).astype(np.int32)
