"""Pictures as pages show them, and the small ones that are watched."""

import contextlib

import cv2
import numpy as np

from companion.errors import BadInput
from companion.words import N_, _

FRAME_WIDTH_PX = 960  # This is enough to see every die on a tablet.
JPEG_QUALITY = 85
SMALL_WIDTH_PX = 320  # A die of 1/60 of the picture's width covers 5 px; more costs time on every frame.
MOST_SMALL_PX = 960  # A narrow picture must not become a huge one.
DAMAGED = N_("The camera sends broken pictures. It is restarting. You can play on by tapping.")


def reduced(frame_bgr: np.ndarray) -> np.ndarray:
    """The picture, no wider than FRAME_WIDTH_PX."""
    height, width = frame_bgr.shape[:2]
    if width <= FRAME_WIDTH_PX:
        return frame_bgr
    size = (FRAME_WIDTH_PX, round(height * FRAME_WIDTH_PX / width))
    return cv2.resize(frame_bgr, size, interpolation=cv2.INTER_AREA)


def as_jpeg(picture_bgr: np.ndarray, quality: int = JPEG_QUALITY) -> bytes:
    """The picture as JPEG."""
    return cv2.imencode(".jpg", picture_bgr, (cv2.IMWRITE_JPEG_QUALITY, quality))[1].tobytes()


def small_picture(frame_bgr: np.ndarray) -> np.ndarray:
    """The small picture of a frame: SMALL_WIDTH_PX wide, or less if it is much taller than wide."""
    height, width = frame_bgr.shape[:2]
    scale = min(SMALL_WIDTH_PX / width, MOST_SMALL_PX / height)
    return reduced_to((max(1, round(scale * width)), max(1, round(scale * height))), frame_bgr)


def decoded(jpeg: np.ndarray, way: int = cv2.IMREAD_COLOR) -> np.ndarray:
    """A JPEG (n,) uint8 as (h, w, 3) uint8 BGR, or as another way of OpenCV has it; raises BadInput if it cannot be
    decoded at all."""
    picture = None
    with contextlib.suppress(cv2.error):
        picture = cv2.imdecode(jpeg, way)
    if picture is None:
        raise BadInput(_(DAMAGED))
    return picture


def decoded_small(jpeg: np.ndarray) -> np.ndarray:
    """A JPEG (n,) uint8 as `decoded` has it, a quarter of its size each way if that is wide enough.

    libjpeg makes it smaller while it decodes it, which takes half the time.
    """
    small_bgr = decoded(jpeg, cv2.IMREAD_REDUCED_COLOR_4)
    return small_bgr if small_bgr.shape[1] >= SMALL_WIDTH_PX else decoded(jpeg)


def reduced_to(size: tuple[int, int], frame_bgr: np.ndarray) -> np.ndarray:
    """The picture in `size`, width and height. Halved first as often as that fits: OpenCV halves much faster."""
    while frame_bgr.shape[1] % (2 * size[0]) == 0 and frame_bgr.shape[0] % (2 * size[1]) == 0:
        half = frame_bgr.shape[1] // 2, frame_bgr.shape[0] // 2
        frame_bgr = cv2.resize(frame_bgr, half, interpolation=cv2.INTER_AREA)
    return cv2.resize(frame_bgr, size, interpolation=cv2.INTER_AREA)
