"""The Raspberry Pi's own camera through picamera2: a small stream to watch, a large one to read.

picamera2 comes with the Pi's system packages and is imported only when the camera is opened.
"""

from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self

import cv2
import numpy as np

from companion.clock import monotonic_us
from companion.errors import CameraUnavailable
from companion.words import _
from vision.cameras.camera import Frame
from vision.cameras.closed import why_refused
from vision.cameras.mains import pi_controls
from vision.cameras.opening import Opening, believed_us

FULL_PX = (2304, 1296)  # half of Module 3's pixels each way: 56 pictures a second, and dice of 60 px
SMALL_PX = (640, 360)  # enough to see a die move
STALE_FRAMES = 8  # most requests under way when a picture is requested; libcamera queues 6
FRAME_US = 33_333  # 30 pictures a second
STAYS, CONTINUOUS = 0, 2  # values of libcamera's AfMode


class PiCamera:
    """Camera `number` of the Pi.

    make        opens the camera; by default picamera2 does
    """

    live = True
    knows_mains: bool  # False once it could not be told the frequency of the mains

    def __init__(self, number: int = 0, make: Callable[[int], Any] | None = None) -> None:
        self.number = number
        self._make = make or _open_picamera2
        self._picam2: Any = None
        self._lens: float | None = None  # where the lens was for the last picture, in dioptres
        self.knows_mains = True

    def __enter__(self) -> Self:
        try:
            self._picam2 = self._make(self.number)
            self._picam2.configure(
                self._picam2.create_video_configuration(
                    main={"size": FULL_PX, "format": "RGB888"},  # picamera2 calls this "RGB888", yet the array is BGR
                    lores={"size": SMALL_PX, "format": "YUV420"},  # the one format a Pi 4's small stream can have
                    controls={"FrameDurationLimits": (FRAME_US, FRAME_US)},
                    buffer_count=4,
                )
            )
            if "AfMode" in self._picam2.camera_controls:
                self._is_set({"AfMode": CONTINUOUS})  # setting it on a fixed lens would raise
            flicker = pi_controls(self._picam2.camera_controls)
            self.knows_mains = flicker is not None and (not flicker or self._is_set(flicker))
            self._picam2.start()
        except (RuntimeError, IndexError, OSError) as error:
            self._close()
            if why := why_refused():
                raise CameraUnavailable(why) from error
            if "busy" in str(error).lower() or "acquire" in str(error).lower():  # libcamera's words, and the kernel's
                raise CameraUnavailable(_("Another program is using the Pi's camera. Close it.")) from error
            raise CameraUnavailable(
                _("The Pi's camera can't be opened ({error}). Check the ribbon cable.", error=error)
            ) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        if self._picam2 is not None:
            self._picam2.close()
            self._picam2 = None

    def _is_set(self, controls: Mapping[str, float]) -> bool:
        """Whether the camera took these controls; some drivers refuse what they advertise, and give pictures."""
        try:
            self._picam2.set_controls(controls)
        except (RuntimeError, ValueError):
            return False
        return True

    def frames(self) -> Iterator[Frame]:
        """Frames of the small stream."""
        number = 0
        opening = Opening()
        while True:
            planes, stamp_us = self._capture("lores")
            if not opening.leaves_out(stamp_us):
                yield Frame(small_bgr(planes), believed_us(stamp_us, monotonic_us()), number)
            number += 1

    def full(self, frame: Frame) -> Frame:
        """A large picture exposed after `frame`; a capture may return one from before the call."""
        for _stale in range(STALE_FRAMES):
            bgr, stamp_us = self._capture("main")
            at_us = believed_us(stamp_us, monotonic_us())
            if at_us > frame.at_us:
                return Frame(bgr, at_us, frame.number, frame.take)
        raise CameraUnavailable(_("The Pi's camera keeps sending old pictures. Check its cable. We'll try again."))

    def focuses_itself(self) -> bool:
        """Whether its lens can be moved."""
        return self._picam2 is not None and {"AfMode", "LensPosition"} <= set(self._picam2.camera_controls)

    def hold_focus(self) -> bool:
        """Puts the lens where it was for the last picture, and leaves it there; whether the camera can do that."""
        lens = self._lens
        return lens is not None and self.focuses_itself() and self._is_set({"AfMode": STAYS, "LensPosition": lens})

    def free_focus(self) -> None:
        """Lets the lens move by itself again."""
        self._is_set({"AfMode": CONTINUOUS})

    def _capture(self, stream: str) -> tuple[np.ndarray, int]:
        """A picture of a stream, and when its exposure began by the driver's stamp."""
        if self._picam2 is None:
            raise CameraUnavailable(_("The Pi's camera isn't open."))
        try:
            with self._picam2.captured_request() as request:
                metadata = request.get_metadata()
                self._lens = metadata.get("LensPosition")
                return request.make_array(stream), exposure_began_us(metadata)
        except (RuntimeError, OSError) as error:
            raise CameraUnavailable(
                _(
                    "The Pi's camera has stopped sending pictures ({error}). Check its cable. We'll try again.",
                    error=error,
                )
            ) from error


def _open_picamera2(number: int) -> Any:
    try:
        from picamera2 import Picamera2
    except ImportError as error:
        raise CameraUnavailable(
            _("The Pi's camera needs the system package python3-picamera2. Install it with apt.")
        ) from error
    there = len(Picamera2.global_camera_info())
    if not there:
        raise CameraUnavailable(why_refused() or _("The Pi can't find a camera. Check the ribbon cable."))
    if number >= there:
        raise CameraUnavailable(
            _(
                "The Pi can't find the camera {name}. Check its ribbon cable. The first camera is called picamera0.",
                name=f"picamera{number}",
            )
        )
    return Picamera2(number)


def exposure_began_us(metadata: dict[str, Any]) -> int:
    """Monotonic microseconds at which the exposure began; of no known clock where the driver gives no stamp.

    SensorTimestamp is the first row's end of exposure in nanoseconds of the monotonic clock, ExposureTime is in
    microseconds.
    """
    return int(metadata.get("SensorTimestamp", 0)) // 1_000 - int(metadata.get("ExposureTime", 0))


def small_bgr(planes: np.ndarray) -> np.ndarray:
    """The YUV420 planes of the small stream as BGR, without the padding at the right of each row."""
    return np.ascontiguousarray(cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_I420)[:, : SMALL_PX[0]])
