"""Where pictures come from: the protocol of a camera, and which camera a word on the command line means.

A camera is opened with `with` and gives frames for as long as it can; each carries the moment it was exposed. What
cannot be had is a CameraUnavailable with one sentence, and a frame that fails for good ends the same way, so whoever
watches has one thing to catch.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import cv2
import numpy as np

from companion.camera_names import pi_camera
from companion.errors import CameraUnavailable
from companion.words import _

PHOTO_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".bmp")
SILENT = 0  # OpenCV's LOG_LEVEL_SILENT, which version 4 has no name for
VIDEO_SUFFIXES = (".mp4", ".mov", ".mkv", ".avi", ".webm", ".m4v", ".mpg", ".mpeg")

Wait = Callable[[float], None]  # lets so many seconds pass, or fewer when something else calls
Tell = Callable[[str], None]  # takes one sentence for the people at the table


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of the table.

    bgr         (h, w, 3) uint8
    at_us       when it was exposed: the kernel's monotonic microseconds, or the time in the recording
    number      counts from 0; a gap means frames that were lost
    take        frames of one take show one scene; grows when the picture is a new one altogether
    """

    bgr: np.ndarray
    at_us: int
    number: int
    take: int = 0


class Camera(Protocol):
    """Something that gives frames while it is open.

    live        it shows the table now; dice that lie there when it opens were rolled before anyone looked
    """

    live: bool

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def frames(self) -> Iterator[Frame]:
        """Frames in order. Ends when a recording ends; raises CameraUnavailable when the camera is gone."""
        ...

    def full(self, frame: Frame) -> Frame:
        """The picture to read: `frame` itself, or a sharper one exposed after it where a small one is watched."""
        ...


def open_camera(spec: str, *, wait: Wait | None = time.sleep, tell: Tell = lambda _sentence: None) -> Camera:
    """The camera that `spec` names, not yet opened: a number, `picamera`, `picamera1`, `virtual`, photos or a video.

    wait        None: a recording is given as fast as it is taken, its stamps are the time in it
    tell        hears of single photos that cannot be read

    Raises CameraUnavailable for anything else.
    """
    quiet_opencv()
    if spec.isdecimal():
        from vision.webcam import Webcam

        return Webcam(int(spec))
    if (number := pi_camera(spec)) is not None:
        from vision.picam import PiCamera

        return PiCamera(number)
    if spec == "virtual":
        from vision.virtual import VirtualCamera

        return VirtualCamera(wait=wait or time.sleep)
    if spec == "virtual-front":
        from vision.virtual_front import VirtualFront

        return VirtualFront(wait=wait or time.sleep)
    path = Path(spec)
    if spec and path.is_dir():
        from vision.recording import PhotoFolder

        return PhotoFolder(path, wait=wait, tell=tell)
    if path.is_file() and path.suffix.lower() in VIDEO_SUFFIXES:
        from vision.recording import Video

        return Video(path, wait=wait)
    if path.is_file():
        raise CameraUnavailable(
            _("{path} is not a video that is known here: give an .mp4 file or a folder of photos.", path=path)
        )
    raise CameraUnavailable(
        _(
            "There is no camera or recording called {spec}: give a number such as 0, picamera or picamera1, "
            "virtual, a folder of photos or a video.",
            spec=spec,
        )
    )


def quiet_opencv() -> None:
    """Keeps OpenCV's own warnings, and FFmpeg's, off the terminal; what matters is said in a sentence of ours."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # AV_LOG_QUIET; read when the first video is opened
    if hasattr(cv2, "setLogLevel"):  # OpenCV 4
        cv2.setLogLevel(SILENT)
    else:
        cv2.utils.logging.setLogLevel(SILENT)
