"""The controls that the kernel offers for a camera at /dev/videoN."""

import fcntl
import os
import struct

from companion.cameras import devices

G_CTRL, S_CTRL = 0xC008561B, 0xC008561C  # linux/videodev2.h calls them VIDIOC_G_CTRL and VIDIOC_S_CTRL.
POWER_LINE = 0x00980918  # linux/v4l2-controls.h calls it V4L2_CID_POWER_LINE_FREQUENCY.
FOCUS_AUTO = 0x009A090C  # V4L2_CID_FOCUS_AUTO is 1 if the camera focuses by itself, and 0 if it stays as it is.


def set_control(number: int, control: int, value: int) -> bool:
    """Sets a control of /dev/videoN; whether the camera took it."""
    return _ask(number, S_CTRL, control, value) is not None


def has_control(number: int, control: int) -> bool:
    """Whether /dev/videoN has a control."""
    return _ask(number, G_CTRL, control, 0) is not None


def _ask(number: int, call: int, control: int, value: int) -> bytes | None:
    """The kernel's answer to a call; None if it refuses."""
    try:
        handle = os.open(devices.DEV / f"video{number}", os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        return fcntl.ioctl(handle, call, struct.pack("=Ii", control, value))
    except OSError:
        return None
    finally:
        os.close(handle)
