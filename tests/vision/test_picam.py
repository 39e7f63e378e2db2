"""The Pi's camera against picamera2 as it really is: every call of the adapter is held against its signature.

The table is `tests/lab/picamera2_calls.py`. Where picamera2 can be imported, the table itself is held against it.
"""

import contextlib
import errno
import importlib
import inspect
import os
import sys
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from companion.cameras import devices
from companion.cameras.mains import SETTING
from companion.clock import monotonic_us
from companion.errors import CameraUnavailable
from tests.lab.picamera2_calls import CAMERA, CONFIGURATION_KEYS, REQUEST, Strict
from vision.cameras import closed
from vision.cameras.opening import WARM_UP_FRAMES
from vision.cameras.picam import FULL_PX, SMALL_PX, PiCamera
from vision.open_camera import open_camera

ADVERTISED = {"AfMode": (0, 2, 0), "FrameDurationLimits": (8333, 120_000, None), "ExposureTime": (1, 66_666, None)}


class StrictRequest(Strict):
    signatures = REQUEST

    def __init__(self, camera):
        self.camera, self.calls = camera, camera.calls

    def does_make_array(self, name):
        width, height = self.camera.configuration[name]["size"]
        if name == "lores":
            return np.full((height * 3 // 2, width + 64), 128, np.uint8)  # rows are padded
        return np.zeros((height, width, 3), np.uint8)

    def does_get_metadata(self):
        lens = {} if self.camera.lens is None else {"LensPosition": self.camera.lens}
        return {"SensorTimestamp": self.camera.stamp_ns, "ExposureTime": 8_000, **lens}


class StrictPicamera2(Strict):
    signatures = CAMERA

    def __init__(self, *arguments, advertised=ADVERTISED, **named):
        CAMERA["__init__"].bind(self, *arguments, **named)
        self.calls, self.camera_controls, self.stamp_ns, self.given_back = [], advertised, 10**12, 0
        self.lens = None  # in dioptres

    def does_create_video_configuration(self, **asked):
        for stream in ("main", "lores"):
            assert set(asked[stream]) <= CONFIGURATION_KEYS
        self.check(asked["controls"])
        return asked

    def does_configure(self, camera_config):
        self.configuration = camera_config

    def does_set_controls(self, controls):
        self.check(controls)

    def check(self, controls):
        """As libcamera: a control that the camera does not advertise raises."""
        for name in controls:
            if name not in self.camera_controls:
                raise RuntimeError(f"Control {name} is not advertised by libcamera")

    @contextlib.contextmanager
    def does_captured_request(self):
        self.stamp_ns += 33_333_000
        yield StrictRequest(self)
        self.given_back += 1


@pytest.mark.parametrize("advertised", [ADVERTISED, {"FrameDurationLimits": (8333, 120_000, None)}])
def test_every_call_is_one_that_picamera2_takes(advertised):
    strict = StrictPicamera2(0, advertised=advertised)
    with PiCamera(make=lambda number: strict) as camera:
        frames = camera.frames()
        frame, following = next(frames), next(frames)
        full = camera.full(following)
    assert (frame.bgr.shape, full.bgr.shape) == ((SMALL_PX[1], SMALL_PX[0], 3), (FULL_PX[1], FULL_PX[0], 3))
    assert frame.at_us < following.at_us < full.at_us
    assert strict.given_back == WARM_UP_FRAMES + 3  # each request is given back, or the camera stops after four
    called = [name for name, _ in strict.calls]
    assert called[:2] == ["create_video_configuration", "configure"]
    assert called[-1] == "close"
    assert ("set_controls" in called) is ("AfMode" in advertised)


def test_the_streams_are_sizes_and_formats_that_the_pi_can_give():
    strict = StrictPicamera2(0)
    with PiCamera(make=lambda number: strict):
        asked = dict(strict.calls)["create_video_configuration"]
    assert asked["main"]["format"] == "RGB888"
    assert asked["lores"]["format"] == "YUV420"  # the only one of a Pi 4's small stream
    assert all(small <= large for small, large in zip(asked["lores"]["size"], asked["main"]["size"], strict=True))
    assert all(size % 2 == 0 for size in (*asked["lores"]["size"], *asked["main"]["size"]))


def test_a_camera_that_does_not_take_the_pace_is_one_sentence():
    with pytest.raises(CameraUnavailable, match="not advertised"):
        PiCamera(make=lambda number: StrictPicamera2(0, advertised={})).__enter__()


@pytest.mark.parametrize(("mains", "period_us"), [("50", 10_000), ("60", 8_333)])
def test_a_camera_that_can_is_told_the_frequency_of_the_mains(monkeypatch, mains, period_us):
    monkeypatch.setenv(SETTING, mains)
    strict = StrictPicamera2(
        0, advertised=ADVERTISED | {"AeFlickerMode": (0, 1, 0), "AeFlickerPeriod": (100, 10**6, 0)}
    )
    with PiCamera(make=lambda number: strict) as camera:
        assert ("set_controls", {"controls": {"AeFlickerMode": 1, "AeFlickerPeriod": period_us}}) in strict.calls
        assert camera.knows_mains
    with PiCamera(make=lambda number: StrictPicamera2(0)) as camera:
        assert not camera.knows_mains


class Refusing(StrictPicamera2):
    """Advertises its controls, and refuses them."""

    def does_set_controls(self, controls):
        raise RuntimeError(f"Control {next(iter(controls))} is not advertised by libcamera")


def test_a_camera_that_refuses_its_controls_gives_pictures(monkeypatch):
    monkeypatch.setenv(SETTING, "50")
    advertised = ADVERTISED | {"AeFlickerMode": (0, 1, 0), "AeFlickerPeriod": (100, 10**6, 0)}
    with PiCamera(make=lambda number: Refusing(0, advertised=advertised)) as camera:
        assert next(camera.frames()).bgr.shape == (SMALL_PX[1], SMALL_PX[0], 3)
        assert not camera.knows_mains


class WithoutClock(StrictPicamera2):
    """Its stamps are all the same."""

    @contextlib.contextmanager
    def does_captured_request(self):
        yield StrictRequest(self)


class WithoutStamps(StrictPicamera2):
    """Its pictures say nothing of when they were taken."""

    @contextlib.contextmanager
    def does_captured_request(self):
        request = StrictRequest(self)
        request.does_get_metadata = lambda: {"ExposureTime": 8_000}
        yield request


@pytest.mark.parametrize("kind", [WithoutClock, WithoutStamps])
def test_pictures_without_a_time_of_their_own_are_of_when_they_came(kind):
    before_us = monotonic_us()
    with PiCamera(make=lambda number: kind(0)) as camera:
        frames = camera.frames()
        frame, following = next(frames), next(frames)
        full = camera.full(following)
    assert before_us < frame.at_us < following.at_us < full.at_us <= monotonic_us()


def test_an_account_without_a_right_to_the_pis_camera_is_told_so_and_no_cable_is_blamed(tmp_path, monkeypatch):
    """libcamera lists no camera whose devices it may not open."""

    def refuse(path, *_arguments):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    (tmp_path / "media0").touch()
    monkeypatch.setattr(devices, "DEV", tmp_path)
    none = SimpleNamespace(Picamera2=SimpleNamespace(global_camera_info=list))
    monkeypatch.setitem(sys.modules, "picamera2", none)
    with pytest.raises(CameraUnavailable, match="Check the ribbon cable"):
        open_camera("picamera").__enter__()
    monkeypatch.setattr(closed.os, "open", refuse)
    with pytest.raises(CameraUnavailable, match="sudo usermod -aG video"):
        open_camera("picamera").__enter__()


class TwoCameras(StrictPicamera2):
    """picamera2 on a Pi with two cameras; remembers which was opened."""

    opened: ClassVar[list] = []

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.opened.append(CAMERA["__init__"].bind(self, *arguments, **named).arguments["camera_num"])

    @staticmethod
    def global_camera_info():
        return [{"Model": "imx708", "Num": number} for number in range(2)]


@pytest.fixture
def two_cameras(monkeypatch):
    """What is opened on a Pi with two cameras."""
    monkeypatch.setattr(TwoCameras, "opened", [])
    monkeypatch.setitem(sys.modules, "picamera2", SimpleNamespace(Picamera2=TwoCameras))
    return TwoCameras.opened


def test_each_of_two_cameras_is_opened_by_its_number(two_cameras):
    with open_camera("picamera0"), open_camera("picamera1") as second:
        assert next(second.frames()).bgr.shape == (SMALL_PX[1], SMALL_PX[0], 3)
    assert two_cameras == [0, 1]


def test_a_camera_that_the_pi_does_not_have_is_named_in_one_sentence(two_cameras):
    with pytest.raises(CameraUnavailable, match="Check its ribbon cable"):
        open_camera("picamera2").__enter__()
    assert two_cameras == []


def real(module, name):
    """A class of the installed picamera2; where there is none the table stands alone."""
    try:
        return getattr(importlib.import_module(module), name)
    except ImportError as why:
        pytest.skip(f"picamera2 cannot be imported here ({why})")


@pytest.mark.parametrize(
    ("module", "name", "table"),
    [("picamera2", "Picamera2", CAMERA), ("picamera2.request", "CompletedRequest", REQUEST)],
)
def test_the_table_is_what_picamera2_has(module, name, table):
    found = real(module, name)
    for method, written in table.items():
        has = inspect.signature(getattr(found, method)).parameters
        for parameter in written.parameters.values():
            assert has[parameter.name].kind is parameter.kind
        required = [p.name for p in has.values() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
        assert set(required) <= set(written.parameters)


def test_the_cameras_are_listed_without_opening_one():
    assert "global_camera_info" in dir(real("picamera2", "Picamera2"))
