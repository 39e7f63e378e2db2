"""The Pi's camera against picamera2 as it really is: every call of the adapter is held against its signature.

The table was copied from picamera2 0.3.38 (picamera2.py and request.py). Where picamera2 can be imported, the table
itself is held against it.
"""

import contextlib
import importlib
import inspect
import sys
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from companion.cameras.mains import SETTING
from companion.errors import CameraUnavailable
from vision.cameras.opening import WARM_UP_FRAMES
from vision.cameras.picam import FULL_PX, SMALL_PX, PiCamera
from vision.open_camera import open_camera


def signature(text: str) -> inspect.Signature:
    """The signature that "(name, other=1)" writes down."""
    named: dict = {}
    exec(f"def written{text}: ...", named)
    return inspect.signature(named["written"])


CAMERA = {
    "__init__": signature("(self, camera_num=0, verbose_console=None, tuning=None, allocator=None)"),
    "create_video_configuration": signature(
        "(self, main={}, lores=None, raw={}, transform=None, colour_space=None, buffer_count=6, controls={},"
        " display='main', encode='main', queue=True, sensor={}, use_case='video')"
    ),
    "configure": signature("(self, camera_config=None)"),
    "start": signature("(self, config=None, show_preview=False)"),
    "stop": signature("(self)"),
    "close": signature("(self)"),
    "set_controls": signature("(self, controls)"),
    "captured_request": signature("(self, wait=None, flush=None)"),
}
REQUEST = {
    "make_array": signature("(self, name)"),
    "get_metadata": signature("(self)"),
    "release": signature("(self)"),
}
CONFIGURATION_KEYS = {"size", "format", "stride", "framerate", "preserve_ar"}  # what a stream may be asked for
ADVERTISED = {"AfMode": (0, 2, 0), "FrameDurationLimits": (8333, 120_000, None), "ExposureTime": (1, 66_666, None)}


class Strict:
    """Takes only what the real thing takes: an unknown method or argument is an error at once."""

    signatures: dict

    def __getattr__(self, name):
        if name not in self.signatures:
            raise AttributeError(f"picamera2 has no {name}")

        def call(*arguments, **named):
            bound = self.signatures[name].bind(self, *arguments, **named)
            self.calls.append((name, {key: value for key, value in bound.arguments.items() if key != "self"}))
            return getattr(self, f"does_{name}", lambda **_: None)(**self.calls[-1][1])

        return call


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
        return {"SensorTimestamp": self.camera.stamp_ns, "ExposureTime": 8_000}


class StrictPicamera2(Strict):
    signatures = CAMERA

    def __init__(self, *arguments, advertised=ADVERTISED, **named):
        CAMERA["__init__"].bind(self, *arguments, **named)
        self.calls, self.camera_controls, self.stamp_ns, self.given_back = [], advertised, 10**12, 0

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
