"""Opens any camera by the name given on the command line."""

import os
import time
from pathlib import Path

import cv2

from companion.cameras.devices import is_device
from companion.cameras.in_network import is_address
from companion.cameras.names import PHONE, pi_camera
from companion.errors import CameraUnavailable
from companion.words import _
from vision.cameras.camera import Camera, Tell, Wait
from vision.cameras.fetcher import Fetcher
from vision.cameras.network import NetworkCamera
from vision.cameras.phone import Line, PhoneCamera
from vision.cameras.picam import PiCamera
from vision.cameras.recording import VIDEO_SUFFIXES, PhotoFolder, Video
from vision.cameras.webcam import Webcam
from vision.virtual.camera import VirtualCamera
from vision.virtual.front import VirtualFront

SILENT = 0  # OpenCV's LOG_LEVEL_SILENT has no name in version 4.


def open_camera(
    spec: str,
    *,
    wait: Wait | None = time.sleep,
    tell: Tell = lambda _sentence: None,
    fetcher: Fetcher | None = None,
    phone: Line | None = None,
) -> Camera:
    """The camera named by `spec`, not yet opened: a number, a device's path, `picamera`, `picamera1`, an address in
    the network, `phone`, `virtual`, photos or a video.

    wait        None: a recording is read as fast as possible, with stamps of its own time
    tell        takes a sentence about each photo that cannot be read, and about a video without stamps
    fetcher     see NetworkCamera
    phone       the way to a phone's pictures, which a running table has

    Raises CameraUnavailable for anything else.
    """
    quiet_opencv()
    if spec.isdecimal():
        return Webcam(int(spec))
    if is_device(spec):
        return Webcam(path=spec)
    if is_address(spec):
        return NetworkCamera(spec, fetcher)
    if (number := pi_camera(spec)) is not None:
        return PiCamera(number)
    if spec == PHONE and phone is not None:
        return PhoneCamera(phone)
    if spec == PHONE:
        raise CameraUnavailable(
            _("Only a running table can use a phone as its camera. Start it with companion run --camera phone.")
        )
    if spec == "virtual":
        return VirtualCamera(wait=wait or time.sleep)
    if spec == "virtual-front":
        return VirtualFront(wait=wait or time.sleep)
    path = Path(spec)
    if spec and path.is_dir():
        return PhotoFolder(path, wait=wait, tell=tell)
    if path.is_file() and path.suffix.lower() in VIDEO_SUFFIXES:
        return Video(path, wait=wait, tell=tell)
    if path.is_file():
        raise CameraUnavailable(
            _("{path} isn't a kind of video we know. Use an .mp4 file or a folder of photos.", path=path)
        )
    raise CameraUnavailable(
        _(
            "There's no camera or recording called {spec}. Use a number such as 0, a path such as /dev/video0, "
            "picamera or picamera1, an address such as rtsp://…, virtual, a folder of photos or a video.",
            spec=spec,
        )
    )


def quiet_opencv() -> None:
    """Keeps the warnings of OpenCV and FFmpeg off the terminal; our own sentences say what matters."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # AV_LOG_QUIET; read when the first video is opened
    if hasattr(cv2, "setLogLevel"):  # OpenCV 4
        cv2.setLogLevel(SILENT)
    else:
        cv2.utils.logging.setLogLevel(SILENT)
