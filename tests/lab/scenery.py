"""What a camera of the lab looks at, and what its faults make of a picture.

The test and the process with the camera share a folder: `order` says which fault is wanted and which dice lie there,
`began` when the camera first did as it was ordered.
"""

import json
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.clock import monotonic_us
from companion.demo.things import VirtualTable
from tests.photographs import dice_table, thrown
from vision.virtual.painter import Painter

GOOD = "none"
FPS = 15
SLOW_FPS = 1
SPARE = 4  # pictures that a driver repeats
OLD_US = 5_000_000  # age of the pictures of a driver that hands out what it has kept
POLL_S = 0.02
ASIDE_MM = 8.0  # of a throw with one pip more
SCRAP_PX = 16  # side of a picture of which next to nothing came
SHARP_AT = 2.0  # where a lens is sharp, in dioptres
HUNT_S, SOFT_PX = 1.3, 6.0  # a lens that hunts passes there so often, and blurs so much half a dioptre away
MAINS_HZ, READ_OUT_S = 50.0, 0.025  # the lamp of the stripes, and how long a sensor takes to read its rows
DRIFT_HZ = 0.7  # the stripes wander, as no camera takes pictures at a whole part of the lamp's flicker


@dataclass(frozen=True)
class Order:
    """What the camera shall do: a fault, and the dice that lie there since they were thrown at `thrown_us`."""

    fault: str = GOOD
    dice: tuple[int, ...] = ()
    thrown_us: int = 0


def put(path: Path, value: Any) -> None:
    """Replaces a file's content in one step."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(value), encoding="utf-8")
    new.replace(path)


class Orders:
    """The shared folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._began = ""

    def give(self, order: Order) -> None:
        """Orders this from now on."""
        put(self.folder / "order", asdict(order))

    def now(self) -> Order:
        """The present order."""
        said = json.loads((self.folder / "order").read_text(encoding="utf-8"))
        return Order(said["fault"], tuple(said["dice"]), said["thrown_us"])

    def note_that_it_began(self, fault: str) -> None:
        """Notes when the camera first has a fault."""
        if fault != self._began:
            self._began = fault
            put(self.folder / "began", {"fault": fault, "at_us": monotonic_us()})

    def began_us(self, fault: str) -> int:
        """When the camera first had its present fault; -1 if that is another one."""
        try:
            said = json.loads((self.folder / "began").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return -1
        return int(said["at_us"]) if said["fault"] == fault else -1


class Scenery:
    """The pictures of a camera that does as it is ordered."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._painter = Painter()
        self._count = 0
        self._due_s = time.monotonic()
        self.fault = GOOD  # with which the newest picture was taken: an order may change while the camera takes it
        self.last: list[np.ndarray] = []  # the newest good pictures, which a driver may repeat
        self.lens = SHARP_AT  # where it was for the newest picture
        self.held_lens: float | None = None  # where it was told to stay

    def picture(self) -> np.ndarray:
        """The next picture (h, w, 3) uint8, waited for as its camera's pace wants it."""
        order = self._orders.now()
        self.fault = order.fault
        self._due_s = max(self._due_s, time.monotonic()) + 1 / (SLOW_FPS if order.fault == "one a second" else FPS)
        time.sleep(max(0.0, self._due_s - time.monotonic()))
        self._count += 1
        self._orders.note_that_it_began(order.fault)
        now_us = monotonic_us() - (OLD_US if order.fault == "old" else 0)
        lies = landed(order.dice) if now_us >= order.thrown_us else VirtualTable()
        good = self._painter.picture(thrown(lies), now_us - order.thrown_us)
        if order.fault == "hunting focus":
            self.lens = SHARP_AT + 0.5 * float(np.sin(np.pi * now_us / HUNT_S / 1_000_000))
        self.lens = self.lens if self.held_lens is None else self.held_lens
        if order.fault == "hunting focus":
            good = cv2.GaussianBlur(good, (0, 0), 0.5 + SOFT_PX * 2 * abs(self.lens - SHARP_AT))
        if order.fault not in ("frozen", "repeated"):
            self.last = [*self.last, good][-SPARE:]
        return spoilt(order.fault, good, self._count, self.last)


def landed(values: tuple[int, ...]) -> VirtualTable:
    """The table with the dice of a throw, which lie elsewhere than those of the one before.

    What changes only its pips between two pictures is for a watch the same rest, read anew.
    """
    table = dice_table(*values)
    if not values:
        return table
    right_mm, down_mm = (ASIDE_MM * (value - 3) for value in (values[0], values[-1]))
    moved = (replace(die, x_mm=die.x_mm + right_mm, y_mm=die.y_mm + down_mm) for die in table.dice)
    return replace(table, dice=tuple(moved))


def spoilt(fault: str, bgr: np.ndarray, count: int, last: list[np.ndarray]) -> np.ndarray:
    """What a fault makes of the camera's picture number `count`, which may change."""
    name, _space, amount = fault.partition(" of ")
    match name:
        case "black":
            return np.zeros_like(bgr)
        case "white":
            return np.full_like(bgr, 255)
        case "green":
            return np.full_like(bgr, (0, 135, 0))
        case "half grey":
            bgr[len(bgr) // 2 :] = 128
        case "half green":
            bgr[len(bgr) // 3 :] = (0, 135, 0)
        case "frozen":
            return last[-1].copy()
        case "repeated":
            return last[count % len(last)].copy()
        case "changed size":
            return cv2.resize(bgr, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        case "scraps":
            return bgr[:SCRAP_PX, :SCRAP_PX].copy()
        case "grey":
            return cv2.cvtColor(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        case "purple":
            bgr[:, :, 1] //= 3
        case "swapped colours":
            return np.ascontiguousarray(bgr[:, :, ::-1])
        case "stripes":
            return striped(bgr, float(amount), count / FPS)
    return bgr


def striped(bgr: np.ndarray, strength: float, time_s: float) -> np.ndarray:
    """The picture in the light of a lamp that flickers by `strength` of it, twice in each wave of the mains.

    A rolling shutter exposes row after row, so that the flicker becomes stripes, which wander from picture to picture.
    """
    row_s = READ_OUT_S * np.arange(len(bgr)) / len(bgr)
    lamp = 1 + strength * np.sin(2 * np.pi * (2 * MAINS_HZ * row_s + DRIFT_HZ * time_s))
    return np.clip(bgr * lamp[:, None, None].astype(np.float32), 0, 255).astype(np.uint8)
