"""The cameras of this machine as the command line names them: a Pi's own `picamera` or `picamera0`, `picamera1`; others
by their number or their device's path."""

import contextlib
import re
from pathlib import Path

from companion.cameras.devices import is_device, number_of
from companion.cameras.in_network import without_secrets
from companion.errors import BadInput

NO_CAMERA, VIRTUAL, VIRTUAL_FRONT = "none", "virtual", "virtual-front"
PHONE = "phone"  # A person chooses it on the page /camera; there may be two.
ABOVE, FRONT = "camera", "front camera"


def pi_camera(name: str) -> int | None:
    """The number of the Pi's own camera that is meant, from 0; None when the name means something else."""
    match = re.fullmatch("picamera([0-9]?)", name)
    return int(match[1] or 0) if match else None


def webcam(name: str) -> int | None:
    """The number of the webcam that is meant by a number or a device's path; None for another name, or if it is not
    there."""
    if name.isdecimal():
        return int(name)
    with contextlib.suppress(OSError):
        return number_of(name) if is_device(name) else None
    return None


def camera_here() -> str | None:
    """The name of this machine's camera, a Pi's own rather than one on USB; None if it has none."""
    if is_a_pi():
        with contextlib.suppress(ImportError, RuntimeError, IndexError):
            from picamera2 import Picamera2

            if Picamera2.global_camera_info():
                return "picamera"
    return "0" if Path("/dev/video0").exists() else None


def is_a_pi() -> bool:
    """Whether this machine has a device tree's name, as a Raspberry Pi has."""
    return Path("/proc/device-tree/model").exists()


def refuse_one_twice(camera: str, front: str) -> None:
    """Raises BadInput when `--camera` and `--front` name the same camera."""
    if front in (NO_CAMERA, VIRTUAL, PHONE):
        return
    if (
        camera == front
        or (pi_camera(front) is not None and pi_camera(camera) == pi_camera(front))
        or (webcam(front) is not None and webcam(camera) == webcam(front))
    ):
        raise BadInput(
            f"--camera {without_secrets(camera)} and --front {without_secrets(front)} are one camera: --front names a "
            "second one, at table height."
        )
