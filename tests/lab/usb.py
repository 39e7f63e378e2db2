"""A stand-in for cv2.VideoCapture. A folder is its /dev: what lies there as `videoN` is plugged in.

In the process with the camera alone; how its pictures are judged and what is said of them is the product's own.
"""

import os
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.cameras import devices
from tests.lab.scenery import OLD_US, POLL_S, Orders, Scenery

OPEN_OS = os.open


class Capture:
    """What the product uses of cv2.VideoCapture."""

    orders: Orders
    scenery: Scenery  # of the camera itself: it repeats its old pictures when it was opened anew, too

    def __init__(self, number: int) -> None:
        self._device = devices.DEV / f"video{number}"
        while (fault := self.orders.now().fault) == "slow to open":
            self.orders.note_that_it_began(fault)
            time.sleep(POLL_S)
        self._is_open = self._device.exists() and fault not in ("busy", "no right")

    def isOpened(self) -> bool:
        return self._is_open

    def release(self) -> None:
        self._is_open = False

    def set(self, _setting: int, _value: float) -> bool:
        return True

    def get(self, setting: int) -> float:
        """The driver's stamp of the last picture, in milliseconds; 0 for what this camera does not have."""
        if setting != cv2.CAP_PROP_POS_MSEC:
            return 0.0
        return time.monotonic() * 1_000 - (OLD_US / 1_000 if self.scenery.fault == "old" else 0.0)

    def read(self) -> tuple[bool, np.ndarray | None]:
        fault = self.orders.now().fault
        if not self._device.exists() or fault in ("dropout", "busy", "no right", "slow to open"):
            if fault != "slow to open":  # that begins with its opening
                self.orders.note_that_it_began(fault)
            return False, None
        return True, self.scenery.picture()


def put_in_place(folder: Path) -> None:
    """Lets OpenCV's cameras be this one, whose devices lie in `folder/dev`."""
    Capture.orders = Orders(folder)
    Capture.scenery = Scenery(Capture.orders)
    cv2.VideoCapture = Capture
    devices.DEV = folder / "dev"
    os.open = opened


def opened(path: Any, *arguments: Any, **named: Any) -> int:
    """`os.open` of an account without a right to the cameras, if that is the fault: root, as tests may be, has all."""
    is_device = str(path).startswith(f"{devices.DEV}/")
    if is_device and Capture.orders.now().fault == "no right":
        raise PermissionError(13, "Permission denied", str(path))
    return OPEN_OS(path, *arguments, **named)
