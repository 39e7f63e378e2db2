"""Why a camera that is there does not open: another program has it, or this one may not use it."""

import errno
import os
from pathlib import Path

from companion.cameras import devices
from companion.words import _

PROC = Path("/proc")


def why_closed(number: int) -> str:
    """The sentence on a /dev/videoN that is there and does not open; "" if nothing is known."""
    device = devices.DEV / f"video{number}"
    try:
        os.close(os.open(device, os.O_RDWR | os.O_NONBLOCK))
    except PermissionError:
        return refusal(device)
    except OSError as error:
        return in_use(device) if error.errno == errno.EBUSY else ""
    return in_use(device) if holders(device) else ""


def why_refused() -> str:
    """The sentence on the devices that a Pi's camera is listed by, if this account has no right to them; else ""."""
    for device in sorted(devices.DEV.glob("media*")):
        try:
            os.close(os.open(device, os.O_RDWR | os.O_NONBLOCK))
        except PermissionError:
            return refusal(device)
        except OSError:  # It was unplugged a moment ago, or has another trouble, which libcamera tells.
            continue
    return ""


def refusal(device: Path) -> str:
    """The sentence on a device that this account may not use."""
    return _(
        "This account isn't allowed to use the camera {device}. Type sudo usermod -aG video $USER, and "
        "restart the computer.",
        device=str(device),
    )


def in_use(device: Path) -> str:
    """The sentence on a camera that another program has, with its name if the kernel tells."""
    if programs := holders(device):
        return _("{program} is using the camera {device}. Close it.", device=str(device), program=programs[0])
    return _("Another program is using the camera {device}. Close it.", device=str(device))


def holders(device: Path) -> tuple[str, ...]:
    """The names of other programs that have a device open, as far as this account may know."""
    where, programs = os.path.realpath(device), []
    for process in PROC.glob("[0-9]*"):
        if process.name == str(os.getpid()):
            continue
        try:
            if any(os.path.realpath(handle) == where for handle in (process / "fd").iterdir()):
                programs.append((process / "comm").read_text(encoding="utf-8", errors="replace").strip())
        except OSError:  # It is of another account, or it has ended.
            continue
    return tuple(sorted("".join(letter for letter in name if letter.isprintable()) for name in programs if name))
