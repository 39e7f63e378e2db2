"""A USB camera, or any other that the kernel shows as /dev/videoN."""

from collections.abc import Iterator
from typing import Self

import cv2
import numpy as np

from companion.cameras.devices import number_of
from companion.errors import CameraUnavailable
from companion.words import _
from vision.cameras.camera import Camera, Frame, Undecoded
from vision.cameras.closed import why_closed
from vision.cameras.mains import tell_device
from vision.cameras.opening import Opening
from vision.cameras.pictures import decoded, decoded_grey
from vision.cameras.v4l2 import FOCUS_AUTO, has_control, set_control

MJPG = cv2.VideoWriter.fourcc(*"MJPG")
WIDTH_PX, HEIGHT_PX = 1280, 960  # The camera gives the nearest size it can.


class Webcam(Camera):
    """`/dev/video<index>` through OpenCV; it may be entered again after it was unplugged.

    path    of a device instead of a number; each opening follows it anew, as a camera that was unplugged comes back
            under another number
    """

    live = True
    knows_mains: bool  # It is False once the camera could not be told the frequency of the mains.

    def __init__(self, index: int = 0, path: str | None = None) -> None:
        self.index = index
        self.path = path
        self.knows_mains = True
        self._capture: cv2.VideoCapture | None = None
        self._opening: Opening | None = None  # It is set once the first frame is asked for.

    def __enter__(self) -> Self:
        if self.path is not None:
            self.index = self._number_at(self.path)
            missing = CameraUnavailable(
                _("No camera answers at {path}. Unplug it and plug it in again.", path=self.path)
            )
        else:
            missing = CameraUnavailable(
                _("No camera answers at number {index}. Plug it in, or start with another number.", index=self.index)
            )
        try:
            capture = cv2.VideoCapture(self.index)
        except (cv2.error, OverflowError) as error:  # The number is too large for OpenCV.
            raise missing from error
        if not capture.isOpened():
            capture.release()
            raise CameraUnavailable(why) if (why := why_closed(self.index)) else missing
        # Compressed: most cameras give only 7 uncompressed pictures a second at this size.
        capture.set(cv2.CAP_PROP_FOURCC, MJPG)
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, WIDTH_PX)
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, HEIGHT_PX)
        if round(capture.get(cv2.CAP_PROP_FOURCC)) == MJPG:
            capture.set(cv2.CAP_PROP_CONVERT_RGB, 0)  # OpenCV would decode every picture; see `vision.process.doze`.
        self.knows_mains = tell_device(self.index)
        self._capture = capture
        return self

    @staticmethod
    def _number_at(path: str) -> int:
        """The number of the device that a path leads to now."""
        try:
            number = number_of(path)
        except OSError as error:
            raise CameraUnavailable(
                _("There's no camera at {path}. Plug it in, or name another one.", path=path)
            ) from error
        if number is None:
            raise CameraUnavailable(_("{path} isn't a camera. Run companion cameras to see which are here.", path=path))
        return number

    def __exit__(self, *_failure: object) -> None:
        if self._capture is not None:
            self._capture.release()
            self._capture = None

    @property
    def knows_time(self) -> bool:
        """Whether its pictures tell when they were exposed, as far as that is known by now."""
        return self._opening is None or self._opening.knows_time

    def frames(self) -> Iterator[Frame]:
        """Frames until the camera is unplugged, which raises CameraUnavailable."""
        if self._capture is None:
            raise CameraUnavailable(_("The camera at number {index} isn't open.", index=self.index))
        number = 0
        opening = self._opening = Opening(str(self.index) if self.path is None else self.path)
        while True:
            is_picture, picture = self._capture.read()
            if not is_picture:
                if not number and (why := why_closed(self.index)):  # Some drivers refuse only the first picture.
                    raise CameraUnavailable(why)
                raise CameraUnavailable(
                    _(
                        "The camera at number {index} has stopped sending pictures. Check its cable. We'll try again.",
                        index=self.index,
                    )
                )
            # V4L2 gives monotonic milliseconds, other backends a position or nothing
            stamp_us = round(self._capture.get(cv2.CAP_PROP_POS_MSEC) * 1_000)
            if not opening.leaves_out(stamp_us):
                yield frame_of(picture, opening.exposed_us(stamp_us), number)
            number += 1

    def focuses_itself(self) -> bool:
        """Whether the driver has a switch for its autofocus."""
        return has_control(self.index, FOCUS_AUTO)

    def hold_focus(self) -> bool:
        """Switches its autofocus off, which leaves the lens where it is now; whether the driver can do that."""
        return set_control(self.index, FOCUS_AUTO, 0)

    def free_focus(self) -> None:
        """Switches its autofocus on."""
        set_control(self.index, FOCUS_AUTO, 1)


def frame_of(picture: np.ndarray, at_us: int, number: int) -> Frame:
    """The frame of what OpenCV gave: a picture (h, w, 3), or the bytes of a JPEG in a row."""
    if picture.ndim == 3 and picture.shape[2] == 3:
        return Frame(picture, at_us, number)
    return Undecoded(picture.ravel(), at_us, number, decode=decoded, grey=decoded_grey)
