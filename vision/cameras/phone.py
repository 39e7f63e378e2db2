"""A phone on a stand: its browser sends pictures to the service, and these come from there one by one."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from companion.cameras.phone import Picture
from companion.errors import BadInput, CameraUnavailable
from companion.words import _
from vision.cameras.camera import Frame
from vision.cameras.photos import decode_photo

GONE_S = 2.5  # without a picture before the phone counts as gone
FULL_S = 2.0  # for a picture of full size; after that the small one is read
MOST_BROKEN = 20  # pictures in a row that cannot be decoded
LEAST_GAIN = 1.1  # a full picture that is hardly larger shows nothing more


class Line(Protocol):
    """The way to the service."""

    has_seen: bool  # whether a picture has ever come

    def next(self, within_s: float, *, full: bool = False) -> Picture | None:
        """The next picture, or None if none comes in time."""


class PhoneCamera:
    """The phone that the host has allowed; it may be entered again after it was gone."""

    live = True

    def __init__(self, line: Line) -> None:
        self._line = line

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def frames(self) -> Iterator[Frame]:
        """Frames until the phone sends none for GONE_S, which raises CameraUnavailable."""
        number = broken = 0
        while True:
            picture = self._line.next(GONE_S)
            if picture is None and self._line.has_seen:
                raise CameraUnavailable(
                    _("The phone sends no pictures. Unlock it and open its camera page. You can play on by tapping.")
                )
            if picture is None:
                raise CameraUnavailable(_("No phone is the camera yet. Open /camera on a phone and tap the button."))
            try:
                bgr = decode_photo(picture.content, Path())
            except BadInput:
                broken += 1
                if broken == MOST_BROKEN:
                    raise CameraUnavailable(
                        _("The phone's pictures can't be read. Open its camera page in another browser.")
                    ) from None
                continue
            broken = 0
            yield Frame(bgr, picture.at_us, number)
            number += 1

    def full(self, frame: Frame) -> Frame:
        """A picture of the phone's full size, taken after this frame; the frame itself if the phone has no larger one,
        or was turned meanwhile."""
        picture = self._line.next(FULL_S, full=True)
        if picture is None:
            return frame
        try:
            bgr = decode_photo(picture.content, Path())
        except BadInput:
            return frame
        (height, width), (high, wide) = frame.bgr.shape[:2], bgr.shape[:2]
        is_same_view = abs(wide / high - width / height) < 0.02 * width / height
        return Frame(bgr, picture.at_us, frame.number) if is_same_view and wide > LEAST_GAIN * width else frame
