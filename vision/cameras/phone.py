"""A phone on a stand: its browser sends pictures to the service, and these come from there one by one."""

import contextlib
from collections.abc import Iterator
from typing import Protocol, Self

import cv2
import numpy as np

from companion.cameras.phone import Picture
from companion.errors import BadInput, CameraUnavailable
from companion.words import _
from vision.cameras.camera import Camera, Frame
from vision.cameras.photos import decode_photo

GONE_S = 2.5  # The phone counts as gone after so long without a picture.
FULL_S = 2.0  # The small picture is read if the full one has not come after this.
MOST_BROKEN = 20  # So many pictures in a row that cannot be decoded mean that none can.
MOST_OFF = 0.02  # Pixels are rounded, so the ratios of the sides of one view's pictures differ by this.


class Line(Protocol):
    """The way to the service."""

    has_seen: bool  # A picture has come at some time.

    def ask(self, *, full: bool) -> None:
        """Asks for the next picture now; `next` with the same size then waits for it."""

    def next(self, within_s: float, *, full: bool = False) -> Picture | None:
        """The next picture, or None if none comes in time."""


class PhoneCamera(Camera):
    """The phone that the host has allowed; it may be entered again after it was gone.

    A rest is read in two full pictures. So the frame after the first comes in full size, and is asked for before that
    one is read: the phone takes it meanwhile, and the second reading waits for no other.
    """

    live = True

    def __init__(self, line: Line) -> None:
        self._line = line
        self._full_px: tuple[int, int] | None = None  # Full pictures have this width and height.
        self._is_ahead = False  # The next frame was asked for in full size.
        self._whole: Frame | None = None  # The last frame that came so waits here until it is read.
        self._small_bgr: np.ndarray | None = None  # It is the last frame.

    def __enter__(self) -> Self:
        self._full_px = self._whole = self._small_bgr = None
        self._is_ahead = False
        return self

    def frames(self) -> Iterator[Frame]:
        """Frames until the phone sends none for GONE_S, which raises CameraUnavailable."""
        number = broken = 0
        while True:
            is_ahead, self._is_ahead = self._is_ahead, False
            picture = self._line.next(GONE_S, full=is_ahead)
            if picture is None and self._line.has_seen:
                raise CameraUnavailable(
                    _("The phone sends no pictures. Unlock it and open its camera page. You can play on by tapping.")
                )
            if picture is None:
                raise CameraUnavailable(_("No phone is the camera yet. Open /camera on a phone and tap the button."))
            try:
                bgr = decode_photo(picture.content, _("This picture"))
            except BadInput:
                broken += 1
                if broken == MOST_BROKEN:
                    raise CameraUnavailable(
                        _("The phone's pictures can't be read. Open its camera page in another browser.")
                    ) from None
                continue
            broken = 0
            if is_ahead and self._small_bgr is not None and is_same_view(self._small_bgr, bgr):
                self._whole = Frame(bgr, picture.at_us, number)
                height, width = self._small_bgr.shape[:2]
                bgr = cv2.resize(bgr, (width, height), interpolation=cv2.INTER_AREA)
            self._small_bgr = bgr
            yield Frame(bgr, picture.at_us, number)
            number += 1

    def full(self, frame: Frame) -> Frame:
        """A picture of the phone's full size, taken with this frame or after it.

        If it does not come in time, or the phone was turned meanwhile, it is the frame itself in that size: the two
        readings of a rest are compared by place.
        """
        whole, self._whole = self._whole, None
        if whole is not None and whole.number == frame.number:
            return whole
        # A frame ahead that was not read ended a still stretch, perhaps as the phone makes its two sizes unlike.
        self._is_ahead = whole is None
        picture = self._line.next(FULL_S, full=True)
        if self._is_ahead:
            self._line.ask(full=True)
        with contextlib.suppress(BadInput):  # The picture is damaged, and the frame will do.
            if picture is not None:
                bgr = decode_photo(picture.content, _("This picture"))
                if is_same_view(frame.bgr, bgr):
                    self._full_px = bgr.shape[1], bgr.shape[0]
                    return Frame(bgr, picture.at_us, frame.number)
        if self._full_px is None:
            return frame
        return Frame(cv2.resize(frame.bgr, self._full_px, interpolation=cv2.INTER_CUBIC), frame.at_us, frame.number)


def is_same_view(small_bgr: np.ndarray, full_bgr: np.ndarray) -> bool:
    """Whether a full picture has the sides of the small one, and is no smaller."""
    (height, width), (high, wide) = small_bgr.shape[:2], full_bgr.shape[:2]
    return wide >= width and abs(wide / high - width / height) < MOST_OFF * width / height
