"""Photos that a test takes of the demo's table, as a phone's JPEG."""

import cv2
import numpy as np

from companion.demo.things import TableDie, VirtualTable
from vision.virtual.camera import VirtualCamera

PLACES_MM = ((110.0, 90.0), (200.0, 120.0), (150.0, 60.0), (240.0, 70.0), (120.0, 140.0))


def dice_table(*values: int) -> VirtualTable:
    """The table with dice that show these values, far from one another."""
    dice = [TableDie(f"d{n}", value, *PLACES_MM[n], 20.0 * n) for n, value in enumerate(values)]
    return VirtualTable(dice=tuple(dice))


def photo_of(table: VirtualTable, *, larger: float = 1.0) -> bytes:
    """A JPEG of the table from above."""
    with VirtualCamera(table, wait=lambda _seconds: None) as camera:
        frame_bgr = camera.full(next(iter(camera.frames()))).bgr
    return jpeg(cv2.resize(frame_bgr, None, fx=larger, fy=larger, interpolation=cv2.INTER_CUBIC))


def jpeg(frame_bgr: np.ndarray) -> bytes:
    """A picture as JPEG."""
    return cv2.imencode(".jpg", frame_bgr, (cv2.IMWRITE_JPEG_QUALITY, 92))[1].tobytes()
