"""The service as `python -m companion` starts it, with the lab's cameras: `python -m tests.lab FOLDER run …`."""

import json
import os
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

TOLD = "told"  # a line for each time that open pages were sent something: the stamp, and what is said of each part then
FOLDER = "COMPANION_CAMERA_LAB"  # hands the folder on to the process with the camera


def main() -> None:
    """Runs the command of the companion that follows the folder."""
    from companion.__main__ import main as companion
    from companion.app.service import cameras
    from companion.cameras import devices

    folder = Path(sys.argv.pop(1))
    note_what_pages_are_told(folder / TOLD)
    os.environ[FOLDER] = str(folder)
    devices.DEV = folder / "dev"
    cameras.CAMERA_TARGET = f"{__spec__.name}:watch"
    companion()


def note_what_pages_are_told(told: Path) -> None:
    """Notes when the service's streams sent their words, by its own clock: a test may be late to hear of them."""
    from companion.clock import monotonic_us
    from companion.house.status import Status
    from web.live.streams import Streams

    said: dict[str, str] = {}
    set_line, send = Status.set, Streams._send

    def sets(status: Status, part: str, state: str, text: str) -> None:
        said[part] = text
        set_line(status, part, state, text)

    def sends(streams: Streams, batch: Any) -> None:
        send(streams, batch)
        with told.open("a", encoding="utf-8") as file:
            file.write(json.dumps([monotonic_us(), [str(text) for text in said.values()]]) + "\n")

    Status.set, Streams._send = sets, sends


def watch(connection: Connection, spec: str, offset_us: int, scene_path: Path | None) -> None:
    """The main function of the process with the camera: the product's own, after the stand-ins were put in place."""
    from tests.lab import pi, usb
    from vision.process.main import watch_without_network

    for stand_in in (usb, pi):
        stand_in.put_in_place(Path(os.environ[FOLDER]))
    watch_without_network(connection, spec, offset_us, scene_path)


if __name__ == "__main__":
    main()
