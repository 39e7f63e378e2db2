"""What the kernel offers for a camera at /dev/videoN: controls, and the sizes and rates of its pictures."""

import fcntl
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from companion.cameras import devices

# linux/videodev2.h calls them VIDIOC_G_CTRL, VIDIOC_S_CTRL, VIDIOC_ENUM_FRAMESIZES and VIDIOC_ENUM_FRAMEINTERVALS.
G_CTRL, S_CTRL, SIZES, INTERVALS = 0xC008561B, 0xC008561C, 0xC02C564A, 0xC034564B
DISCRETE = 1  # V4L2_FRMSIZE_TYPE_DISCRETE and V4L2_FRMIVAL_TYPE_DISCRETE: one size or interval, no range.
SIZE, INTERVAL = struct.Struct("=8I12x"), struct.Struct("=7I24x")
MOST = 64  # No driver lists more sizes of a format, or rates of a size.

# linux/v4l2-controls.h calls them V4L2_CID_….
POWER_LINE = 0x00980918  # POWER_LINE_FREQUENCY
FOCUS_AUTO = 0x009A090C  # 1 if the camera focuses by itself, and 0 if it stays as it is
EXPOSURE_AUTO, EXPOSURE = 0x009A0901, 0x009A0902  # EXPOSURE_AUTO and EXPOSURE_ABSOLUTE
EXPOSED_BY_HAND, EXPOSED_BY_ITSELF = 1, 3  # V4L2_EXPOSURE_MANUAL and _APERTURE_PRIORITY, which UVC's automatic is.
WHITE_AUTO, WHITE = 0x0098090C, 0x0098091A  # AUTO_WHITE_BALANCE and WHITE_BALANCE_TEMPERATURE


@dataclass(frozen=True)
class Size:
    """A size of pictures in px, and the most pictures a second that the camera gives of it; 0 where it doesn't say."""

    width: int
    height: int
    rate: float


def set_control(number: int, control: int, value: int) -> bool:
    """Sets a control of /dev/videoN; whether the camera took it."""
    return _ask(number, S_CTRL, struct.pack("=Ii", control, value)) is not None


def control(number: int, name: int) -> int | None:
    """The value of a control of /dev/videoN, None if it does not have it."""
    answer = _ask(number, G_CTRL, struct.pack("=Ii", name, 0))
    return None if answer is None else int(struct.unpack("=Ii", answer)[1])


def has_control(number: int, name: int) -> bool:
    """Whether /dev/videoN has a control."""
    return control(number, name) is not None


def sizes(number: int, pixels: int) -> list[Size]:
    """The sizes of a format, by its FourCC; none where the driver has a range of them, or does not say."""
    return [Size(*size, _rate(number, pixels, size)) for size in _sizes(number, pixels)]


def _sizes(number: int, pixels: int) -> Iterator[tuple[int, int]]:
    for index in range(MOST):
        answer = _ask(number, SIZES, SIZE.pack(index, pixels, *[0] * 6))
        if answer is None:
            return
        _index, _pixels, kind, width, height, *_rest = SIZE.unpack(answer)
        if kind == DISCRETE:
            yield width, height


def _rate(number: int, pixels: int, size: tuple[int, int]) -> float:
    """The most pictures a second of a size, 0 where the driver does not say."""
    rate = 0.0
    for index in range(MOST):
        answer = _ask(number, INTERVALS, INTERVAL.pack(index, pixels, *size, 0, 0, 0))
        if answer is None:
            break
        *_asked, kind, part, whole = INTERVAL.unpack(answer)
        if kind == DISCRETE and part:
            rate = max(rate, whole / part)
    return rate


def _ask(number: int, call: int, question: bytes) -> bytes | None:
    """The kernel's answer to a call; None if it refuses."""
    try:
        handle = os.open(devices.DEV / f"video{number}", os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        return fcntl.ioctl(handle, call, question)
    except OSError:
        return None
    finally:
        os.close(handle)
