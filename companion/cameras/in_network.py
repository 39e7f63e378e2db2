"""Cameras in the network: their addresses, and how these are shown without name and password."""

import contextlib
import ctypes
from pathlib import Path
from urllib.parse import SplitResult

from companion.errors import BadInput
from companion.foreign import read_address

PORTS = {"rtsp": 554, "http": 80, "https": 443}
FIRST_FIELD, ARGUMENTS_FROM, ARGUMENTS_TO = 3, 48, 49  # proc(5) numbers the fields of /proc/PID/stat so.


def is_address(name: str) -> bool:
    """Whether a camera's name is an address, be it one that no camera here has (`parts_of`)."""
    return "://" in name


def parts_of(address: str) -> SplitResult:
    """The parts of an address, which has a host and a port that can be; raises BadInput, which does not repeat it."""
    if address.partition("://")[0].lower() not in PORTS:
        raise BadInput("An address of a camera begins with rtsp://, http:// or https://. A video is named by its path.")
    parts = read_address(address)
    if not parts.hostname or parts.port == 0 or " " in address:
        raise BadInput("This is no address of a camera: write it as rtsp://NAME:PASSWORD@192.168.1.20/stream.")
    return parts


def port_of(parts: SplitResult) -> int:
    """The port of an address, where it names none its scheme's usual one."""
    return parts.port or PORTS[parts.scheme]


def without_secrets(name: str) -> str:
    """The name of a camera as it may be shown to anybody: of an address only scheme, host and port.

    The rest is left away, too: many cameras take their password in the path or behind the question mark.
    """
    if not is_address(name):
        return name
    parts = parts_of(name)
    host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")


def hide_in_process_list(*names: str | None) -> None:
    """Overwrites these addresses among a command's arguments, as every user of the machine can list them."""
    with contextlib.suppress(OSError, ValueError, IndexError):  # Without /proc there is nothing to hide.
        # The process's own title may hold blanks and brackets; what follows its last bracket does not.
        fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
        begins, ends = (int(fields[number - FIRST_FIELD]) for number in (ARGUMENTS_FROM, ARGUMENTS_TO))
        arguments = ctypes.string_at(begins, ends - begins) if 0 < begins < ends else b""
        for address in (name for name in names if name and "://" in name):
            visible, length = address.index("//") + 2, len(address.encode())
            at = arguments.find(address.encode())
            while at >= 0:
                ctypes.memset(begins + at + visible, ord("x"), length - visible)
                at = arguments.find(address.encode(), at + length)
