"""The Pi's camera against picamera2 as it really is: every call of the adapter is held against its signature.

The table is `tests/lab/picamera2_calls.py`. Where picamera2 can be imported, the table itself is held against it.
"""

import contextlib
import errno
import importlib
import inspect
import os
import sys
import time
from types import SimpleNamespace
from typing import ClassVar

import cv2
import numpy as np
import pytest

from companion.app.doctor.command import limits_of
from companion.cameras import devices
from companion.cameras.mains import SETTING
from companion.clock import monotonic_us
from companion.errors import CameraUnavailable
from tests.lab.picamera2_calls import CAMERA, CONFIGURATION_KEYS, REQUEST, Strict
from vision.cameras import closed
from vision.cameras.camera import CameraLost
from vision.cameras.opening import WARM_UP_FRAMES
from vision.cameras.pi_streams import FULL_PX, SMALL_PX
from vision.cameras.picam import FIRST_S, PICTURE_S, PiCamera
from vision.open_camera import open_camera
from vision.process.observer import FRAME_S

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
        self.camera = SimpleNamespace(streams={"large", "small", "raw"})

    def does_create_video_configuration(self, **asked):
        for stream in ("main", "lores"):
            assert set(asked[stream]) <= CONFIGURATION_KEYS
        self.check(asked["controls"])
        return asked

    def does_configure(self, camera_config):
        self.configuration = camera_config

    def does_camera_configuration(self):
        return self.configuration

    def does_set_controls(self, controls):
        self.check(controls)

    def check(self, controls):
        """As libcamera: a control that the camera does not advertise raises."""
        for name in controls:
            if name not in self.camera_controls:
                raise RuntimeError(f"Control {name} is not advertised by libcamera")

    @contextlib.contextmanager
    def does_captured_request(self, wait):
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


def test_a_camera_that_does_not_know_the_pace_is_not_asked_for_it():
    """As libcamera's vimc and cameras on USB."""
    strict = StrictPicamera2(0, advertised={})
    with PiCamera(make=lambda number: strict) as camera:
        assert next(camera.frames()).bgr.shape == (SMALL_PX[1], SMALL_PX[0], 3)
    assert dict(strict.calls)["create_video_configuration"]["controls"] == {}


class Adjusting(StrictPicamera2):
    """Gives what libcamera changed the streams to, as its virtual pipeline, vimc and cameras on USB do."""

    def __init__(self, given, streams=3):
        super().__init__(0)
        self.given, self.camera = given, SimpleNamespace(streams=range(streams))

    def does_create_video_configuration(self, **asked):
        self.asked = asked
        return asked

    def does_camera_configuration(self):
        return self.given | {"raw": None}

    @contextlib.contextmanager
    def does_captured_request(self, wait):
        self.stamp_ns += 33_333_000
        request = StrictRequest(self)
        request.does_make_array = lambda name: ARRAYS[self.given[name]["format"]]
        yield request


REDDISH = np.full((360, 640, 3), (40, 60, 200), np.uint8)
ARRAYS = {  # as picamera2's make_array has them
    "RGB888": REDDISH,
    "BGR888": REDDISH[:, :, ::-1],
    "MJPEG": REDDISH[:, :, ::-1],
    "YUV420": cv2.cvtColor(REDDISH, cv2.COLOR_BGR2YUV_I420),
}
PLANES = ARRAYS["YUV420"].reshape(-1)
CHROMA = PLANES[640 * 360 :].reshape(2, -1)
ARRAYS["NV12"] = np.concatenate((PLANES[: 640 * 360], CHROMA.T.reshape(-1))).reshape(540, 640)
ARRAYS["YUYV"] = np.stack(
    (ARRAYS["YUV420"][:360], np.tile([CHROMA[0, 0], CHROMA[1, 0]], (360, 320)).astype(np.uint8)), axis=-1
)


@pytest.mark.parametrize("kind", sorted(ARRAYS))
def test_what_libcamera_gives_in_place_of_what_it_was_asked_for_is_shown_in_its_colours(kind):
    given = {"main": {"format": kind, "size": (640, 360)}, "lores": {"format": kind, "size": (640, 360)}}
    with PiCamera(make=lambda number: Adjusting(given)) as camera:
        frame = next(camera.frames())
    assert frame.bgr.shape == REDDISH.shape
    assert np.abs(frame.bgr.astype(int) - REDDISH).max() <= 4  # YUV rounds


def test_a_camera_with_one_stream_is_asked_for_one_and_watched_in_it():
    """picamera2 would read beyond libcamera's list, which ends the process."""
    one = Adjusting({"main": {"format": "BGR888", "size": (640, 360)}, "lores": None}, streams=1)
    with PiCamera(make=lambda number: one) as camera:
        frame = next(camera.frames())
        assert camera.full(frame).bgr.shape == frame.bgr.shape == REDDISH.shape
    assert "lores" not in one.asked
    assert one.asked["raw"] is None


def test_pictures_of_an_unknown_kind_are_one_sentence_and_the_camera_is_let_go():
    given = {name: {"format": "R16", "size": (640, 360)} for name in ("main", "lores")}
    strict = Adjusting(given)
    with pytest.raises(CameraUnavailable, match=r"of a kind that can't be read \(R16\)"):
        PiCamera(make=lambda number: strict).__enter__()
    assert strict.calls[-1][0] == "close"


class Gone(StrictPicamera2):
    """Gives one picture, and no more: picamera2 waits as long as it is told to."""

    is_open = True

    @contextlib.contextmanager
    def does_captured_request(self, wait):
        assert wait > 0
        if len([name for name, _ in self.calls if name == "captured_request"]) > 1:
            raise TimeoutError
        yield StrictRequest(self)


def test_a_camera_that_is_gone_is_said_and_never_closed():
    """libcamera ends the process that closes a camera which was unplugged."""
    gone = Gone(0)
    with (
        pytest.raises(CameraLost, match=r"has stopped sending pictures\. Check its cable"),
        PiCamera(make=lambda number: gone) as camera,
    ):
        list(camera.frames())
    assert not gone.is_open  # picamera2 closes what is open when the process ends
    assert "close" not in [name for name, _ in gone.calls]
    waits = [arguments["wait"] for name, arguments in gone.calls if name == "captured_request"]
    assert waits == [FIRST_S, PICTURE_S]
    assert PICTURE_S < FRAME_S  # else the process is ended before it can say so


def test_what_libcamera_says_behind_picamera2s_error_is_told():
    def make(_number):
        try:
            raise OSError("no more buffers")
        except OSError as error:
            raise RuntimeError("Camera __init__ sequence did not complete.") from error

    with pytest.raises(CameraUnavailable, match=r"can't be opened \(no more buffers\)"):
        PiCamera(make=make).__enter__()


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
    def does_captured_request(self, wait):
        yield StrictRequest(self)


class WithoutStamps(StrictPicamera2):
    """Its pictures say nothing of when they were taken."""

    @contextlib.contextmanager
    def does_captured_request(self, wait):
        request = StrictRequest(self)
        request.does_get_metadata = lambda: {"ExposureTime": 8_000}
        yield request


class Backwards(StrictPicamera2):
    """Its stamps go back, within what a picture's age may be."""

    @contextlib.contextmanager
    def does_captured_request(self, wait):
        self.age_ns = getattr(self, "age_ns", 10**8) + 35_000_000
        self.stamp_ns = time.monotonic_ns() - self.age_ns
        yield StrictRequest(self)


class StandsStill(StrictPicamera2):
    """Its stamps are all that of its first picture."""

    @contextlib.contextmanager
    def does_captured_request(self, wait):
        self.first_ns = self.stamp_ns = getattr(self, "first_ns", time.monotonic_ns())
        yield StrictRequest(self)


@pytest.mark.parametrize("kind", [WithoutClock, WithoutStamps, Backwards, StandsStill])
def test_pictures_without_a_time_of_their_own_are_of_when_they_came_and_the_log_says_so(kind, caplog):
    before_us = monotonic_us()
    with PiCamera(make=lambda number: kind(0)) as camera:
        frames = camera.frames()
        frame, following = next(frames), next(frames)
        full = camera.full(following)
        assert not camera.knows_time
        assert "each counts from the moment" in limits_of(camera)
    assert [record.message for record in caplog.records] == [
        "The stamps of camera picamera0 tell no time: each of its pictures counts from the moment at which it came."
    ]
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
