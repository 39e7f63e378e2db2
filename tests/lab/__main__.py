"""The service as `python -m companion` starts it, with the lab's cameras: `python -m tests.lab FOLDER run …`."""

import os
import sys
from multiprocessing.connection import Connection
from pathlib import Path

FOLDER = "COMPANION_CAMERA_LAB"  # hands the folder on to the process with the camera


def main() -> None:
    """Runs the command of the companion that follows the folder."""
    from companion.__main__ import main as companion
    from companion.cameras import devices
    from companion.service import cameras

    folder = Path(sys.argv.pop(1))
    os.environ[FOLDER] = str(folder)
    devices.DEV = folder / "dev"
    cameras.CAMERA_TARGET = f"{__spec__.name}:watch"
    companion()


def watch(connection: Connection, spec: str, offset_us: int, scene_path: Path | None) -> None:
    """The main function of the process with the camera: the product's own, after the stand-ins were put in place."""
    from tests.lab import pi, usb
    from vision.process.main import watch_without_network

    for stand_in in (usb, pi):
        stand_in.put_in_place(Path(os.environ[FOLDER]))
    watch_without_network(connection, spec, offset_us, scene_path)


if __name__ == "__main__":
    main()
