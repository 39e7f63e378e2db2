"""The Raspberry Pi's own camera through picamera2: a small stream to watch, a large one to read.

picamera2 comes with the Pi's system packages and is imported only when the camera is opened.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import numpy as np

from companion.clock import monotonic_us
from companion.errors import CameraUnavailable
from companion.words import _
from vision.cameras.camera import Camera, CameraLost, Frame, Undecoded
from vision.cameras.closed import why_refused
from vision.cameras.mains import pi_controls
from vision.cameras.opening import Opening, believed_us
from vision.cameras.pi_streams import DOZE_US, FRAME_US, LARGE, PACE, SMALL, Stream, configuration_for, streams_of

STALE_FRAMES = 8  # libcamera queues 6 requests, so no more of these are under way when a picture is requested.
FIRST_S = 10.0  # The first picture after opening may take this long.
PICTURE_S = 1.5  # picamera2 itself waits for ever for a camera that is gone.
BUSY = ("busy", "acquire")  # libcamera says the one, the kernel the other.
AUTOMATIC = ("AeEnable", "AwbEnable")  # libcamera's names for exposure and white balance by themselves.
STAYS, CONTINUOUS = 0, 2  # libcamera's AfMode takes these values.


class PiCamera(Camera):
    """Camera `number` of the Pi.

    make        opens the camera; by default picamera2 does
    """

    live = True
    knows_mains: bool  # It is False once the camera could not be told the frequency of the mains.

    def __init__(self, number: int = 0, make: Callable[[int], Any] | None = None) -> None:
        self.number = number
        self._make = make or _open_picamera2
        self._picam2: Any = None
        self._streams: dict[str, Stream] = {}
        self._opening: Opening | None = None  # It is set once the first frame is asked for.
        self._wait_s = FIRST_S
        self._lens: float | None = None  # The lens was there for the last picture, in dioptres.
        self.knows_mains = True
        self._pace_us = FRAME_US

    def __enter__(self) -> Self:
        self._wait_s, self._opening, self._pace_us = FIRST_S, None, FRAME_US
        try:
            self._picam2 = self._make(self.number)
            self._picam2.configure(configuration_for(self._picam2))
            self._streams = streams_of(self._picam2.camera_configuration())
            if "AfMode" in self._picam2.camera_controls:
                self._is_set({"AfMode": CONTINUOUS})  # Setting it on a fixed lens would raise.
            flicker = pi_controls(self._picam2.camera_controls)
            self.knows_mains = flicker is not None and (not flicker or self._is_set(flicker))
            self._picam2.start()
        except CameraUnavailable:
            self._close()
            raise
        except (RuntimeError, IndexError, OSError) as error:
            self._close()
            if why := why_refused():
                raise CameraUnavailable(why) from error
            reasons = [*causes(error)]
            if any(word in reason.lower() for reason in reasons for word in BUSY):
                raise CameraUnavailable(_("Another program is using the Pi's camera. Close it.")) from error
            raise CameraUnavailable(
                _("The Pi's camera can't be opened ({error}). Check the ribbon cable.", error=reasons[-1])
            ) from error
        return self

    def __exit__(self, *_failure: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._picam2 is not None:
            self._picam2.close()
            self._picam2 = None

    def _abandon(self) -> None:
        """Leaves a camera that is gone as it is: libcamera ends the process that closes one which was unplugged."""
        if self._picam2 is not None:
            self._picam2.is_open = False  # picamera2 would close it when it is forgotten, and when the process ends.
            self._picam2 = None

    def _is_set(self, controls: Mapping[str, Any]) -> bool:
        """Whether the camera took these controls; some drivers refuse what they advertise, and give pictures."""
        try:
            self._picam2.set_controls(controls)
        except (RuntimeError, ValueError):
            return False
        return True

    @property
    def knows_time(self) -> bool:
        """Whether its pictures tell when they were exposed, as far as that is known by now."""
        return self._opening is None or self._opening.knows_time

    def frames(self) -> Iterator[Frame]:
        """Frames of the small stream; of the large one where the camera has no other."""
        number = 0
        opening = self._opening = Opening(f"picamera{self.number}")
        while True:
            name = SMALL if SMALL in self._streams else LARGE
            raw, stamp_us = self._capture(name)
            if not opening.leaves_out(stamp_us):
                at_us, stream = opening.exposed_us(stamp_us), self._streams[name]
                yield Undecoded(raw, at_us, number, decode=stream.bgr, reduce=stream.bgr)
            number += 1

    def full(self, frame: Frame) -> Frame:
        """A large picture exposed after `frame`; a capture may return one from before the call."""
        for _stale in range(STALE_FRAMES):
            raw, stamp_us = self._capture(LARGE)
            at_us = believed_us(stamp_us, monotonic_us()) if self.knows_time else monotonic_us()
            if at_us > frame.at_us:
                return Frame(self._streams[LARGE].bgr(raw), at_us, frame.number, frame.take)
        raise CameraUnavailable(_("The Pi's camera keeps sending old pictures. Check its cable. We'll try again."))

    def doze(self, is_on: bool) -> None:
        """Has the camera take fewer pictures, where it can be told."""
        pace_us = DOZE_US if is_on else FRAME_US
        if pace_us != self._pace_us and self._picam2 is not None and PACE in self._picam2.camera_controls:
            self._pace_us = pace_us
            self._is_set({PACE: (pace_us, pace_us)})

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

    def hold_light(self) -> bool:
        """Leaves exposure and white balance as they are now; whether the camera can do that."""
        return self._picam2 is not None and self._is_set(self._light(by_itself=False))

    def free_light(self) -> None:
        """Lets the camera expose and balance white by itself."""
        self._is_set(self._light(by_itself=True))

    def _light(self, *, by_itself: bool) -> dict[str, bool]:
        return {name: by_itself for name in AUTOMATIC if name in self._picam2.camera_controls}

    def _capture(self, name: str) -> tuple[np.ndarray, int]:
        """A picture of a stream as it came, and when its exposure began by the driver's stamp."""
        if self._picam2 is None:
            raise CameraUnavailable(_("The Pi's camera isn't open."))
        try:
            with self._picam2.captured_request(wait=self._wait_s) as request:
                self._wait_s = PICTURE_S
                metadata = request.get_metadata()
                self._lens = metadata.get("LensPosition")
                return request.make_array(name), exposure_began_us(metadata)
        except TimeoutError as error:
            self._abandon()
            raise CameraLost(
                _("The Pi's camera has stopped sending pictures. Check its cable. We'll try again.")
            ) from error
        except (RuntimeError, OSError) as error:
            raise CameraUnavailable(
                _(
                    "The Pi's camera has stopped sending pictures ({error}). Check its cable. We'll try again.",
                    error=error,
                )
            ) from error


def causes(error: BaseException | None) -> Iterator[str]:
    """What an error says, and then what each error behind it says: picamera2 hides libcamera's behind its own."""
    while error is not None:
        yield str(error) or type(error).__name__
        error = error.__cause__ or error.__context__


def _open_picamera2(number: int) -> Any:
    try:
        from picamera2 import Picamera2
    except ImportError as error:
        raise CameraUnavailable(
            _("The Pi's camera needs the system package python3-picamera2. Install it with apt.")
        ) from error
    count = len(Picamera2.global_camera_info())
    if not count:
        raise CameraUnavailable(why_refused() or _("The Pi can't find a camera. Check the ribbon cable."))
    if number >= count:
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
