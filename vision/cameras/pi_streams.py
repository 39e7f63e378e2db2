"""What a camera is asked for through picamera2, and the arrays of what it gives as BGR.

libcamera changes what it is asked for to what the camera can do, and picamera2 takes that without a word. So the
size and the format of each stream are read back. A Pi's own camera gives both streams as asked; one on USB has one
stream and formats of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from companion.errors import CameraUnavailable
from companion.words import _

LARGE, SMALL = "main", "lores"  # picamera2 calls them so.
FULL_PX = (2304, 1296)  # Half of Module 3's pixels each way give 56 pictures a second, and dice of 60 px.
SMALL_PX = (640, 360)  # This is enough to see a die move.
FRAME_US = 33_333  # The camera takes 30 pictures a second.
DOZE_US = 100_000  # It takes 10 a second of a table that is dozed over: libcamera changes the pace four pictures late.
PACE = "FrameDurationLimits"
WAYS = {  # OpenCV turns picamera2's array of a format into BGR this way; None needs no turning.
    "RGB888": None,  # picamera2 calls this "RGB888", yet the array is BGR.
    "BGR888": cv2.COLOR_RGB2BGR,
    "YUV420": cv2.COLOR_YUV2BGR_I420,
    "NV12": cv2.COLOR_YUV2BGR_NV12,
    "YUYV": cv2.COLOR_YUV2BGR_YUYV,
    "MJPEG": cv2.COLOR_RGB2BGR,  # picamera2 unpacks it.
}


@dataclass(frozen=True)
class Stream:
    """A stream as the camera gives it."""

    format: str
    width: int

    def bgr(self, array: np.ndarray) -> np.ndarray:
        """One of its pictures (h, w, 3) uint8, without the padding at the right of each row."""
        way = WAYS[self.format]
        picture = array if way is None else cv2.cvtColor(array, way)
        return np.ascontiguousarray(picture[:, : self.width])


def configuration_for(picam2: Any) -> dict[str, Any]:
    """The configuration for a camera that was opened: a small stream to watch and a large one to read.

    A camera with one stream, as those on USB, has no small pictures and is watched in its large ones.
    """
    controls = {PACE: (FRAME_US, FRAME_US)} if PACE in picam2.camera_controls else {}
    request: dict[str, Any] = {"main": {"size": FULL_PX, "format": "RGB888"}, "controls": controls, "buffer_count": 4}
    if len(picam2.camera.streams) > 1:
        request["lores"] = {"size": SMALL_PX, "format": "YUV420"}  # A Pi 4's small stream can have no other format.
    else:
        request["raw"] = None
    configuration: dict[str, Any] = picam2.create_video_configuration(**request)
    return configuration


def streams_of(configuration: Mapping[str, Any]) -> dict[str, Stream]:
    """The streams of a camera that was configured; raises CameraUnavailable where their pictures cannot be read."""
    streams = {}
    for name in (LARGE, SMALL):
        stream = configuration.get(name)
        if stream is None:
            continue
        if stream["format"] not in WAYS:
            raise CameraUnavailable(
                _(
                    "The Pi's camera gives pictures of a kind that can't be read ({format}). Use another camera.",
                    format=stream["format"],
                )
            )
        streams[name] = Stream(stream["format"], stream["size"][0])
    return streams
