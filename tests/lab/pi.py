"""A stand-in for picamera2: a Pi's camera of the lab, which takes what `picamera2_calls` says and nothing else."""

import contextlib
import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np

from companion.demo.things import DIE_MM, MAT
from companion.equipment.mat import mat
from tests.lab.picamera2_calls import CAMERA, CONFIGURATION_KEYS, REQUEST, Strict
from tests.lab.scenery import OLD_US, POLL_S, SCRAP_PX, Orders, Scenery
from vision.cameras.pi_streams import FULL_PX
from vision.scene.fields import scene_fields
from vision.scene.pose import Pose
from vision.scene.scene import SceneCamera
from vision.virtual.camera import VirtualCamera
from vision.virtual.painter import MAT_MIDDLE_MM
from vision.virtual.view import camera_axes, eye_mm

ADVERTISED = {
    "AfMode": (0, 2, 0),
    "AeFlickerMode": (0, 1, 0),
    "AeFlickerPeriod": (100, 1_000_000, 10_000),
    "LensPosition": (0.0, 32.0, 1.0),
    "FrameDurationLimits": (8333, 120_000, None),
}
MANUAL = 0  # libcamera's AfMode
EXPOSURE_US = 8_000
NONSENSE_NS = 42  # the stamp of every picture of a driver without a clock


class Request(Strict):
    """A completed request: one picture as each stream has it."""

    signatures = REQUEST

    def __init__(self, camera: "Picamera2", bgr: np.ndarray, stamp_ns: int | None) -> None:
        self.calls = camera.calls
        self._sizes, self._bgr, self._stamp_ns = camera.sizes, bgr, stamp_ns
        self._fault, self._lens = camera.scenery.fault, camera.scenery.lens

    def does_make_array(self, name: str) -> np.ndarray:
        width, height = self._sizes[name]
        sizes = {"changed size": (width // 2, height // 2), "scraps": (SCRAP_PX, SCRAP_PX)}
        picture = wide(self._bgr, sizes.get(self._fault, (width, height)))
        return picture if name == "main" else cv2.cvtColor(picture, cv2.COLOR_BGR2YUV_I420)

    def does_get_metadata(self) -> dict[str, float]:
        stamp = {} if self._stamp_ns is None else {"SensorTimestamp": self._stamp_ns}
        return {"ExposureTime": EXPOSURE_US, "LensPosition": self._lens, **stamp}


class Picamera2(Strict):
    """The camera, which has the fault that the lab's folder orders."""

    signatures = CAMERA
    orders: Orders
    scenery: Scenery

    def __init__(self, *arguments: Any, **named: Any) -> None:
        CAMERA["__init__"].bind(self, *arguments, **named)
        self.calls: deque[Any] = deque(maxlen=64)
        self.camera_controls = ADVERTISED
        self.camera = SimpleNamespace(streams={"large", "small", "raw"})
        self.configuration: dict[str, Any] = {}
        self.sizes: dict[str, tuple[int, int]] = {}
        while (fault := self.orders.now().fault) == "slow to open":
            self.orders.note_that_it_began(fault)
            time.sleep(POLL_S)
        if fault == "busy":
            reason = RuntimeError("Failed to acquire camera: Device or resource busy")
            raise RuntimeError("Camera __init__ sequence did not complete.") from reason

    @classmethod
    def global_camera_info(cls) -> list[dict[str, Any]]:
        """libcamera lists no camera whose devices it may not open."""
        return [] if cls.orders.now().fault in ("no right", "no ribbon") else [{"Model": "imx708", "Num": 0}]

    def does_create_video_configuration(self, **asked: Any) -> dict[str, Any]:
        for stream in ("main", "lores"):
            assert set(asked[stream]) <= CONFIGURATION_KEYS
        return asked

    def does_configure(self, camera_config: dict[str, Any]) -> None:
        self.configuration = camera_config
        self.sizes = {stream: camera_config[stream]["size"] for stream in ("main", "lores")}

    def does_camera_configuration(self) -> dict[str, Any]:
        return self.configuration

    def does_set_controls(self, controls: dict[str, Any]) -> None:
        for name in controls:
            if name not in ADVERTISED or self.orders.now().fault == "controls refused":
                raise RuntimeError(f"Control {name} is not advertised by libcamera")
        if "AfMode" in controls:
            self.scenery.held_lens = controls.get("LensPosition") if controls["AfMode"] == MANUAL else None

    @contextlib.contextmanager
    def does_captured_request(self, wait: float | None = None) -> Iterator[Request]:
        fault = self.orders.now().fault
        while fault == "hanging":
            self.orders.note_that_it_began(fault)
            time.sleep(POLL_S)
            fault = self.orders.now().fault
        if fault in ("dropout", "busy", "slow to open", "no right", "no ribbon", "opened anew"):
            if fault != "slow to open":  # that begins with its opening
                self.orders.note_that_it_began(fault)
            raise RuntimeError("Camera frontend has timed out!")
        bgr, stamp_ns = self.scenery.picture(), time.monotonic_ns()
        fault = self.scenery.fault
        match fault:
            case "old":
                stamp_ns -= OLD_US * 1_000
            case "stamps of nonsense":
                stamp_ns = NONSENSE_NS
        yield Request(self, bgr, None if fault == "no stamps" else stamp_ns)


def wide(bgr: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """The scenery in the middle of a wider picture."""
    width, height = size
    inner = cv2.resize(bgr, (height * bgr.shape[1] // bgr.shape[0], height), interpolation=cv2.INTER_AREA)
    left = (width - inner.shape[1]) // 2
    return cv2.copyMakeBorder(inner, 0, 0, left, width - inner.shape[1] - left, cv2.BORDER_REPLICATE)


def wide_scene() -> dict[str, Any]:
    """The scene fields of the mat as this camera sees it."""
    (width, height), drawn = FULL_PX, VirtualCamera.lens
    larger = height / drawn.height
    camera = SceneCamera(width, height, (larger * drawn.focal[0], larger * drawn.focal[1]), (width / 2, height / 2))
    rotation = camera_axes()
    pose = Pose(camera.intrinsics(width), np.zeros(5), rotation, -rotation @ (eye_mm() - MAT_MIDDLE_MM))
    return scene_fields(camera, mat(MAT), pose, DIE_MM)


def put_in_place(folder: Path) -> None:
    """Lets picamera2 be this one."""
    Picamera2.orders = Orders(folder)
    Picamera2.scenery = Scenery(Picamera2.orders)
    sys.modules["picamera2"] = SimpleNamespace(Picamera2=Picamera2)
