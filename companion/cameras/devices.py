"""The cameras that the kernel shows: /dev/videoN, and the lasting names that udev gives them by maker or by socket."""

import os
import re
from pathlib import Path

DEV, SYSFS = Path("/dev"), Path("/sys/class/video4linux")
LASTING = ("by-id", "by-path")  # Of these folders in /dev/v4l the first has the plainer names.


def is_device(name: str) -> bool:
    """Whether a camera's name is the path of a device, such as /dev/video2 or /dev/v4l/by-id/….

    What lies below /dev/shm are files in memory.
    """
    return name.startswith(f"{DEV}/") and not name.startswith(f"{DEV}/shm/")


def number_of(name: str) -> int | None:
    """The number N of the /dev/videoN that a device's path leads to now; None for any other device.

    Raises OSError if nothing is there.
    """
    where = Path(os.path.realpath(name, strict=True))  # Path.resolve raises RuntimeError for links in a circle.
    match = re.fullmatch("video([0-9]{1,4})", where.name)
    return int(match[1]) if match and where.parent == DEV.resolve() else None


def device_lines() -> tuple[str, ...]:
    """A line for each video device: its path, the name that its driver gives it, and its lasting name if it has one."""
    devices = []
    for device in DEV.glob("video*"):
        digits = device.name.removeprefix("video")
        if digits.isdecimal():
            devices.append((int(digits), device))
    lasting = lasting_names()
    return tuple(
        " ".join(
            (
                str(device),
                *((f"({title})",) if (title := driver_name(device.name)) else ()),
                *((lasting[number],) if number in lasting else ()),
            )
        )
        for number, device in sorted(devices)
    )


def driver_name(device: str) -> str:
    """What the driver calls a device; "" if it does not say."""
    try:
        words = (SYSFS / device / "name").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return "".join(letter for letter in words.strip() if letter.isprintable())  # A device may call itself anything.


def lasting_names() -> dict[int, str]:
    names: dict[int, str] = {}
    for folder in LASTING:
        for link in sorted((DEV / "v4l" / folder).glob("*")):
            try:
                number = number_of(str(link))
            except OSError:  # It was unplugged a moment ago.
                continue
            if number is not None:
                names.setdefault(number, str(link))
    return names
