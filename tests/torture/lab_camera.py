"""A stand-in for cv2.VideoCapture that makes, one after the other, the faults people report of their cameras."""

import time
from pathlib import Path
from typing import Any, ClassVar

import cv2
import numpy as np

from companion.cameras import devices
from companion.demo.things import TableDie, VirtualTable
from vision.virtual.painter import Painter

FPS = 15
OLD_MS = 5_000.0  # age of the pictures of a driver that hands out what it has kept
SPARE = 4  # pictures that a driver repeats
POLL_S = 0.05


class Capture:
    """What Webcam uses of VideoCapture. The file `fault` in the lab's folder names the fault, `dice` what lies there."""

    folder: ClassVar[Path]
    _kept: ClassVar[list[Any]] = []  # of the camera itself, so that it repeats them when it is opened again, too

    def __init__(self, number: int) -> None:
        self._painter = Painter()
        self._count = 0
        while self._fault() == "slow to open":
            time.sleep(POLL_S)
        self._open = number == 0 and self._fault() not in ("unplugged", "busy")

    def isOpened(self) -> bool:  # noqa: N802 - the name that OpenCV gives it
        return self._open

    def release(self) -> None:
        self._open = False

    def set(self, _setting: int, _value: float) -> bool:
        return True

    def get(self, _setting: int) -> float:
        """The driver's stamp of the last picture, in milliseconds."""
        return time.monotonic() * 1_000 - (OLD_MS if self._fault() == "old" else 0.0)

    def read(self) -> tuple[bool, Any]:
        fault = self._fault()
        time.sleep(1.0 if fault == "one a second" else 1 / FPS)
        if fault in ("unplugged", "busy", "slow to open", "opened anew"):
            return False, None
        self._count += 1
        picture = self._picture()
        if not self._kept or fault not in ("frozen", "repeated"):
            Capture._kept = [*self._kept, picture][-SPARE:]
        return True, self._spoilt(fault, picture)

    def _fault(self) -> str:
        return (self.folder / "fault").read_text()

    def _picture(self) -> Any:
        values = [int(value) for value in (self.folder / "dice").read_text().split()]
        dice = (TableDie(f"die-{n}", value, 95.0 + 70 * n, 150.0, 15.0 * n) for n, value in enumerate(values))
        return self._painter.picture(VirtualTable(tuple(dice)), 0)

    def _spoilt(self, fault: str, bgr: Any) -> Any:
        match fault:
            case "green":
                return np.full_like(bgr, (0, 135, 0))
            case "half grey":
                bgr[len(bgr) // 2 :] = 128
            case "frozen":
                return self._kept[-1].copy()
            case "repeated":
                return self._kept[self._count % len(self._kept)].copy()
            case "changed size":
                return np.ascontiguousarray(bgr[:480, :640])
            case "black":
                return np.zeros_like(bgr)
            case "grey":
                return cv2.cvtColor(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
            case "purple":
                bgr[:, :, 1] //= 3
            case "swapped colours":
                return np.ascontiguousarray(bgr[:, :, ::-1])
            case "hunting focus":
                return cv2.GaussianBlur(bgr, (0, 0), 0.5 + 6 * abs(np.sin(self._count / 5)))
        return bgr


def put_in_place(folder: Path) -> None:
    """Lets OpenCV's cameras be this one, and /dev be the lab's folder."""
    Capture.folder = folder
    cv2.VideoCapture = Capture  # type: ignore[assignment, misc]
    devices.DEV = folder
