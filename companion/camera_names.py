"""The Pi's own cameras as the command line names them: `picamera` or `picamera0`, `picamera1`."""

import re

from companion.errors import BadInput

NO_CAMERA, VIRTUAL, VIRTUAL_FRONT = "none", "virtual", "virtual-front"


def pi_camera(name: str) -> int | None:
    """Which of the Pi's own cameras is meant, counted from 0; None when the name means something else."""
    found = re.fullmatch("picamera([0-9]?)", name)
    return int(found[1] or 0) if found else None


def refuse_one_twice(camera: str, front: str) -> None:
    """Raises BadInput when `--camera` and `--front` name one camera: it cannot stand in two places."""
    if front in (NO_CAMERA, VIRTUAL):
        return
    if camera == front or (pi_camera(front) is not None and pi_camera(camera) == pi_camera(front)):
        raise BadInput(
            f"--camera {camera} and --front {front} are one camera: --front names a second one, at table height."
        )
