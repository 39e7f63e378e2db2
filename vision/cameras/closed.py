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
        return _(
            "This account isn't allowed to use the camera {device}. Type sudo usermod -aG video $USER, and "
            "restart the computer.",
            device=str(device),
        )
    except OSError as error:
        if error.errno != errno.EBUSY:
            return ""
        return in_use(device)
    return in_use(device) if holders(device) else ""


def in_use(device: Path) -> str:
    """The sentence on a camera that another program has, with its name if the kernel tells."""
    if programs := holders(device):
        return _("{program} is using the camera {device}. Close it.", device=str(device), program=programs[0])
    return _("Another program is using the camera {device}. Close it.", device=str(device))


def holders(device: Path) -> tuple[str, ...]:
    """The names of other programs that have a device open, as far as this account may know."""
    where, found = os.path.realpath(device), []
    for process in PROC.glob("[0-9]*"):
        if process.name == str(os.getpid()):
            continue
        try:
            if any(os.path.realpath(handle) == where for handle in (process / "fd").iterdir()):
                found.append((process / "comm").read_text(encoding="utf-8", errors="replace").strip())
        except OSError:  # of another account, or it has ended
            continue
    return tuple(sorted("".join(letter for letter in name if letter.isprintable()) for name in found if name))
