"""Faulty cameras for the real vision process: each works, then has one fault, which is over after a restart."""

import os
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from companion.clock import monotonic_us
from companion.errors import CameraUnavailable
from companion.game.readings import DiceReading, Watching
from vision.cameras.camera import Camera, Frame
from vision.process import main as process
from vision.watch.watch import Read

GOOD_FRAMES = 20
FPS = 20
SHAPE = (120, 160, 3)


class BadCamera(Camera):
    """Gives good frames, then has its trouble; once it was started or opened again, gives good frames for ever."""

    live = True

    def __init__(self, trouble: str, mark: Path) -> None:
        self._trouble = trouble
        self._mark = mark  # a file that exists once the trouble has begun, so that the next life has none
        self._random = np.random.default_rng(1)

    def __enter__(self) -> "BadCamera":
        if self._trouble == "unplugged" and self._mark.exists() and time.time() - self._mark.stat().st_mtime < 1.0:
            raise CameraUnavailable("No camera answers: plug it in.")
        return self

    def __exit__(self, *exception: object) -> None:
        return None

    def full(self, frame: Frame) -> Frame:
        return frame

    def _good(self, shape: tuple[int, ...] = SHAPE) -> Any:
        return self._random.integers(80, 100, shape, dtype=np.uint8)

    def frames(self) -> Any:
        over = self._mark.exists()
        last = self._good()
        for number in range(10**9):
            time.sleep(1 / FPS)
            good = over or number < GOOD_FRAMES
            if not good and not self._mark.exists():
                self._mark.touch()
            last = self._good() if good else self._bad(last, number)
            yield Frame(last, monotonic_us(), number)

    def _bad(self, last: Any, number: int) -> Any:
        match self._trouble:
            case "crash":
                os.abort()
            case "hang":
                time.sleep(3600)
            case "frozen":
                return last
            case "black":
                return np.zeros(SHAPE, np.uint8) if number < GOOD_FRAMES + 3 * FPS else self._good()
            case "burnt out":
                return np.full(SHAPE, 255, np.uint8) if number < GOOD_FRAMES + 3 * FPS else self._good()
            case "wrong size":
                return self._good((60, 160, 3))
            case "unplugged":
                raise CameraUnavailable("The camera has stopped sending pictures. Check its cable.")
        raise AssertionError(self._trouble)


def sees_nothing(_scene_path: Path | None, _watching: Watching) -> Read:
    """A reader that finds no dice."""
    return lambda frame_bgr: DiceReading(frame_bgr.shape[1], frame_bgr.shape[0], ())


def watch_forever(connection: Connection, trouble: str, mark: str) -> None:
    """The vision process with such a camera."""
    process.open_camera = lambda _spec, **_rest: BadCamera(trouble, Path(mark))
    process.watch_forever(connection, "0", 0, None, sees_nothing)
