"""A USB camera, or any other that the kernel shows as /dev/videoN."""

from collections import deque
from collections.abc import Iterator, Sequence
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
from vision.cameras.pictures import decoded, decoded_small
from vision.cameras.v4l2 import (
    EXPOSED_BY_HAND,
    EXPOSED_BY_ITSELF,
    EXPOSURE,
    EXPOSURE_AUTO,
    FOCUS_AUTO,
    WHITE,
    WHITE_AUTO,
    Size,
    control,
    has_control,
    set_control,
    sizes,
)

MJPG = cv2.VideoWriter.fourcc(*"MJPG")
RATE = 30  # Pictures a second.
MOST_WIDTH_PX = 1920  # Wider pictures take a Pi longer to read than they help.
USUAL = Size(1280, 960, RATE)  # Where the driver lists none, the camera gives the nearest size it can.
LEAST_RATE = 24.0  # Of a size with fewer pictures a second, dice have come to rest before the second is seen.
# What is automatic, its value, and the switch's settings for by hand and by itself.
LIGHT = ((EXPOSURE_AUTO, EXPOSURE, EXPOSED_BY_HAND, EXPOSED_BY_ITSELF), (WHITE_AUTO, WHITE, 0, 1))
SLOW_RATE, SLOW_FRAMES = 10.0, 30  # A camera that gave so few a second, for so long, is told of.


class Webcam(Camera):
    """`/dev/video<index>` through OpenCV; it may be entered again after it was unplugged.

    path    of a device instead of a number; each opening follows it anew, as a camera that was unplugged comes back
            under another number
    """

    live = True
    knows_mains: bool  # It is False once the camera could not be told the frequency of the mains.
    flaw: str

    def __init__(self, index: int = 0, path: str | None = None) -> None:
        self.index = index
        self.path = path
        self.knows_mains, self.flaw = True, ""
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
        size = best_of(sizes(self.index, MJPG))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, size.width)
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size.height)
        capture.set(cv2.CAP_PROP_FPS, RATE)
        if round(capture.get(cv2.CAP_PROP_FOURCC)) == MJPG:
            capture.set(cv2.CAP_PROP_CONVERT_RGB, 0)  # OpenCV would decode every picture; see `vision.process.doze`.
        self.knows_mains = tell_device(self.index)
        self.free_light()  # A process that was killed may have left it held.
        self._capture, self.flaw = capture, ""
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
            self.free_light()
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
        recent_us: deque[int] = deque(maxlen=SLOW_FRAMES)
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
                at_us = opening.exposed_us(stamp_us)
                recent_us.append(at_us)
                self.flaw = slowness(recent_us)
                yield frame_of(picture, at_us, number)
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

    def hold_light(self) -> bool:
        """Leaves exposure and white balance as they are now; whether the driver can do that.

        A driver told to expose by hand goes back to what was last set by hand, so it is told what it has now.
        """
        held = False
        for automatic, value, by_hand, _itself in LIGHT:
            now = control(self.index, value)
            if now is not None and set_control(self.index, automatic, by_hand):
                held = set_control(self.index, value, now) or held
        return held

    def free_light(self) -> None:
        """Lets the camera expose and balance white by itself."""
        for automatic, _value, by_hand, by_itself in LIGHT:
            if control(self.index, automatic) == by_hand:
                set_control(self.index, automatic, by_itself)


def best_of(offered: list[Size]) -> Size:
    """The size to ask for: the largest up to MOST_WIDTH_PX that comes fast enough, else the largest of the fastest."""
    fit = [size for size in offered if size.width <= MOST_WIDTH_PX]
    if not fit:
        return USUAL
    fastest = max(size.rate for size in fit)
    fast = [size for size in fit if size.rate >= min(LEAST_RATE, fastest)]
    return max(fast, key=lambda size: size.width * size.height)


def slowness(recent_us: Sequence[int]) -> str:
    """The sentence on a camera that gives too few pictures, by the stamps of its last ones; "" otherwise."""
    span_us = recent_us[-1] - recent_us[0]
    if len(recent_us) < SLOW_FRAMES or span_us * SLOW_RATE <= (SLOW_FRAMES - 1) * 1_000_000:
        return ""
    return _(
        "The camera gives only {n} pictures a second. Use another cable or USB port, or more light.",
        n=max(1, round((SLOW_FRAMES - 1) * 1_000_000 / span_us)),
    )


def frame_of(picture: np.ndarray, at_us: int, number: int) -> Frame:
    """The frame of what OpenCV gave: a picture (h, w, 3), or the bytes of a JPEG in a row."""
    if picture.ndim == 3 and picture.shape[2] == 3:
        return Frame(picture, at_us, number)
    return Undecoded(picture.ravel(), at_us, number, decode=decoded, reduce=decoded_small)
