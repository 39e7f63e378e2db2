"""A stand-in for a webcam, for benches: compressed pictures of the demo's table with a sensor's noise, thirty a second.

It stands below OpenCV in the camera's process alone; how its pictures are decoded and watched is the product's own.
What a real camera's driver takes of the kernel is not in it.
"""

import io
import os
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.cameras.pictures import decoded

WHERE = "COMPANION_BENCH_WEBCAM"  # The file with the pictures, which the camera's process has from its environment.
RATE = 30
PICTURES, TIMES = 331, 27  # Together more than a frozen camera could repeat: see `vision.cameras.health`.
NOISE_LEVELS = 3.0
QUANTIZERS, SCALES = b"\xff\xdb", (45, 50, 55)  # A JPEG's table begins so; some of its scales lie so many bytes behind.


def write_pictures(path: Path, size_px: tuple[int, int]) -> None:
    """Writes the stand-in's pictures into one file, each with noise of its own, and each behind its length."""
    from companion.demo.things import TableDie, VirtualTable
    from vision.virtual.painter import Painter

    dice = tuple(TableDie(f"d{n}", n + 2, 130.0 + 40.0 * n, 90.0 + 15.0 * n, 20.0 * n) for n in range(4))
    still_bgr = cv2.resize(Painter().picture(VirtualTable(dice=dice), 0), size_px)
    random = np.random.default_rng(62)
    noise = random.normal(0, NOISE_LEVELS, (size_px[1] + 64, size_px[0] + 64, 3)).round().astype(np.int8)
    with path.open("wb") as file:
        for corner in random.permutation(64 * 64)[:PICTURES]:
            down, right = divmod(int(corner), 64)
            cut = noise[down : down + size_px[1], right : right + size_px[0]]
            jpeg = cv2.imencode(".jpg", cv2.add(still_bgr, cut, dtype=cv2.CV_8U))[1].tobytes()
            file.write(len(jpeg).to_bytes(4) + jpeg)


class Capture:
    """What the product uses of cv2.VideoCapture."""

    def __init__(self, _number: int) -> None:
        self._file = io.FileIO(os.environ[WHERE])
        self._is_raw = False
        self._number = 0
        self._due_s = time.monotonic()

    def isOpened(self) -> bool:
        return not self._file.closed

    def set(self, name: int, value: float) -> bool:
        if name == cv2.CAP_PROP_CONVERT_RGB:
            self._is_raw = not value
        return True

    def get(self, name: int) -> float:
        """The last picture's stamp in milliseconds, and what the product asked for."""
        return {
            cv2.CAP_PROP_FOURCC: float(cv2.VideoWriter.fourcc(*"MJPG")),
            cv2.CAP_PROP_POS_MSEC: self._due_s * 1000,
        }.get(name, 0.0)

    def read(self) -> tuple[bool, np.ndarray]:
        self._due_s = max(self._due_s + 1 / RATE, time.monotonic() - 0.1)
        time.sleep(max(0.0, self._due_s - time.monotonic()))
        self._number += 1
        if not (length := self._file.read(4)):
            self._file.seek(0)
            length = self._file.read(4)
        jpeg = np.empty(int.from_bytes(length), np.uint8)
        self._file.readinto(jpeg.data)
        table, time_ = jpeg[:1000].tobytes().index(QUANTIZERS), self._number // PICTURES % TIMES
        for power, scale in enumerate(SCALES):
            jpeg[table + scale] += time_ // 3**power % 3
        return True, jpeg.reshape(1, -1) if self._is_raw else decoded(jpeg)

    def release(self) -> None:
        self._file.close()


def watch(connection: Connection, *arguments: Any) -> None:
    """The main function of the camera's process: the product's own, on the stand-in."""
    from vision.process.main import watch_without_network

    cv2.VideoCapture = Capture  # type: ignore[misc,assignment]
    watch_without_network(connection, *arguments)


def stand_in() -> None:
    """Has this process's cameras be the stand-in from now on."""
    from companion.app.service import cameras

    vars(cameras)["CAMERA_TARGET"] = f"{__name__}:watch"
