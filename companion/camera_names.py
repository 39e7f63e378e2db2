"""The Pi's own cameras as the command line names them: `picamera` or `picamera0`, `picamera1`."""

import re


def pi_camera(name: str) -> int | None:
    """Which of the Pi's own cameras is meant, counted from 0; None when the name means something else."""
    found = re.fullmatch("picamera([0-9]?)", name)
    return int(found[1] or 0) if found else None


def is_same_camera(one: str, other: str) -> bool:
    """Both names mean one camera."""
    return one == other or (pi_camera(one) is not None and pi_camera(one) == pi_camera(other))
