"""Pictures as pages show them."""

import cv2
import numpy as np

FRAME_WIDTH_PX = 960  # enough to see every die on a tablet
JPEG_QUALITY = 85


def reduced(frame_bgr: np.ndarray) -> np.ndarray:
    """The picture, no wider than FRAME_WIDTH_PX."""
    height, width = frame_bgr.shape[:2]
    if width <= FRAME_WIDTH_PX:
        return frame_bgr
    size = (FRAME_WIDTH_PX, round(height * FRAME_WIDTH_PX / width))
    return cv2.resize(frame_bgr, size, interpolation=cv2.INTER_AREA)


def as_jpeg(picture_bgr: np.ndarray) -> bytes:
    """The picture as JPEG."""
    _, data = cv2.imencode(".jpg", picture_bgr, (cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY))
    return data.tobytes()
