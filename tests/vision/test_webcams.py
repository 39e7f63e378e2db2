"""Webcams as the kernel shows them: which size is asked for, how slow is too slow, and how the light is held.

The stand-in answers the kernel's calls (linux/videodev2.h) as twelve models do by what their makers and users publish:
which formats, sizes and rates they list, and what becomes of their exposure once it is set by hand.
"""

import errno
import struct
from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest

from companion.cameras import devices
from tests.photographs import jpeg
from vision.cameras import v4l2, webcam
from vision.cameras.camera import Frame, Undecoded
from vision.cameras.opening import WARM_UP_FRAMES, Opening
from vision.cameras.webcam import MJPG, Webcam, slowness
from vision.process import light_keeper
from vision.process.light_keeper import CHECK_US, STEADY_US, LightKeeper

YUYV = cv2.VideoWriter.fourcc(*"YUYV")
VGA, HD, QUAD, FULL = (640, 480), (1280, 720), (1280, 960), (1920, 1080)
# From linux/v4l2-controls.h, as numbers: what the product calls them plays no part here.
AUTO_EXPOSURE, EXPOSURE, AUTO_WHITE, WHITE = 0x009A0901, 0x009A0902, 0x0098090C, 0x0098091A
GET, SET, LIST_SIZES, LIST_INTERVALS = 0xC008561B, 0xC008561C, 0xC02C564A, 0xC034564B


@dataclass
class Model:
    """A webcam's MJPG and YUYV sizes with their rates, the size that should be asked for, and its controls."""

    name: str
    mjpg: dict[tuple[int, int], float]
    yuyv: dict[tuple[int, int], float]
    wanted: tuple[int, int]
    controls: dict[int, int] = field(
        default_factory=lambda: {AUTO_EXPOSURE: 3, EXPOSURE: 250, AUTO_WHITE: 1, WHITE: 4000}
    )
    by_hand: int = 156  # The exposure that was last set by hand, to which a driver goes back.


MODELS = [
    Model("Logitech C270", {VGA: 30, (800, 600): 30, HD: 30, QUAD: 30}, {VGA: 30, QUAD: 7.5}, QUAD),
    Model("Logitech C310", {VGA: 30, HD: 30, QUAD: 30}, {VGA: 30, QUAD: 5}, QUAD),
    Model("Logitech C920", {VGA: 30, HD: 30, FULL: 30}, {VGA: 30, FULL: 5, (2304, 1536): 2}, FULL),
    Model("Logitech C922", {VGA: 30, HD: 60, FULL: 30}, {VGA: 30, FULL: 5}, FULL),
    Model("Logitech C930e", {VGA: 30, HD: 30, FULL: 30}, {VGA: 30, HD: 10}, FULL),
    Model("Logitech Brio", {HD: 90, FULL: 60, (3840, 2160): 30, (4096, 2160): 30}, {HD: 30, FULL: 30}, FULL),
    Model("LifeCam HD-3000", {VGA: 30, HD: 30}, {VGA: 30, HD: 10}, HD, {AUTO_EXPOSURE: 3, EXPOSURE: 250}),
    Model("LifeCam Studio", {VGA: 30, HD: 30, FULL: 30}, {VGA: 30, HD: 15}, FULL),
    Model("Razer Kiyo", {VGA: 30, HD: 60, FULL: 30}, {VGA: 30, HD: 10}, FULL),
    Model("5 MP module", {FULL: 30, (2048, 1536): 15, (1600, 1200): 20, (2592, 1944): 15}, {VGA: 30, QUAD: 9}, FULL),
    Model("PlayStation Eye", {}, {(320, 240): 125, VGA: 60}, QUAD, {}),
    Model("PC camera", {VGA: 15}, {VGA: 30}, VGA, {AUTO_WHITE: 1}),
]


class Kernel:
    """The kernel's answers for one model, and OpenCV's VideoCapture on it."""

    def __init__(self, model, rate=None):
        self.model, self.controls = model, dict(model.controls)
        self.pixels, self.size, self.raw, self.asked = YUYV, VGA, False, {}
        self.at_ms, self.step_ms = 0.0, 1000 / (rate or 30)

    def ioctl(self, _handle, call, question):
        if call in (GET, SET):
            name, value = struct.unpack("=Ii", question)
            if name not in self.controls:
                raise OSError(errno.EINVAL, "no such control")
            if call == SET:
                if name == EXPOSURE and self.controls[AUTO_EXPOSURE] != 1:
                    raise OSError(errno.EIO, "the camera exposes by itself")
                if name == AUTO_EXPOSURE and value == 1 != self.controls[name]:
                    self.controls[EXPOSURE] = self.model.by_hand
                self.controls[name] = value
            return struct.pack("=Ii", name, self.controls[name])
        index, pixels = struct.unpack_from("=II", question)
        listed = {MJPG: self.model.mjpg, YUYV: self.model.yuyv}[pixels]
        if call == LIST_SIZES and index < len(listed):
            return struct.pack("=5I24x", index, pixels, 1, *list(listed)[index])
        if call == LIST_INTERVALS and index < 2:  # Each gives half of its best rate, too.
            width, height = struct.unpack_from("=II", question, 8)
            return struct.pack(
                "=7I24x", index, pixels, width, height, 1, 10 * (index + 1), round(10 * listed[width, height])
            )
        raise OSError(errno.EINVAL, "the list has ended")

    def __call__(self, _number):
        return self

    def isOpened(self):
        return True

    def set(self, name, value):
        self.asked[name] = value
        if name == cv2.CAP_PROP_FOURCC and self.model.mjpg:
            self.pixels = round(value)
        if name == cv2.CAP_PROP_CONVERT_RGB:
            self.raw = not value
        return True

    def get(self, name):
        return {cv2.CAP_PROP_FOURCC: self.pixels, cv2.CAP_PROP_POS_MSEC: self.at_ms}.get(name, 0.0)

    def read(self):
        self.at_ms += self.step_ms
        bgr = np.full((48, 64, 3), 90, np.uint8)
        return True, np.frombuffer(jpeg(bgr), np.uint8).reshape(1, -1) if self.raw else bgr

    def release(self):
        return None


@pytest.fixture
def plug(tmp_path, monkeypatch):
    """Plugs a model in as /dev/video0."""

    def plug_in(model, **more):
        kernel = Kernel(model, **more)
        (tmp_path / "video0").touch()
        monkeypatch.setattr(devices, "DEV", tmp_path)
        monkeypatch.setattr(v4l2.fcntl, "ioctl", kernel.ioctl)
        monkeypatch.setattr(webcam.cv2, "VideoCapture", kernel)
        monkeypatch.setattr(webcam, "Opening", lambda name: Opening(name, lambda: round(kernel.at_ms * 1000)))
        return kernel

    return plug_in


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_each_model_is_asked_for_its_best_size_and_left_undecoded_where_it_compresses(plug, model):
    kernel = plug(model)
    with Webcam(0) as camera:
        frame = next(camera.frames())
    asked = kernel.asked
    assert (asked[cv2.CAP_PROP_FRAME_WIDTH], asked[cv2.CAP_PROP_FRAME_HEIGHT]) == model.wanted
    assert asked[cv2.CAP_PROP_FPS] == 30
    assert isinstance(frame, Undecoded if model.mjpg else Frame)
    assert kernel.raw == bool(model.mjpg)
    assert np.abs(frame.bgr.astype(int) - 90).max() <= 2
    assert frame.is_whole


@pytest.mark.parametrize(("rate", "said"), [(30, ""), (15, ""), (7, "only 7 pictures"), (5, "only 5 pictures")])
def test_a_camera_of_few_pictures_a_second_is_told_of_with_what_helps(plug, rate, said):
    plug(MODELS[0], rate=rate)
    with Webcam(0) as camera:
        for _frame, _n in zip(camera.frames(), range(WARM_UP_FRAMES + 40), strict=False):
            pass
        assert said in camera.flaw
        assert bool(camera.flaw) == bool(said)
        assert not said or "another cable or USB port" in camera.flaw


def test_one_late_picture_makes_no_camera_slow():
    assert slowness([n * 33_333 for n in range(29)] + [29 * 33_333 + 1_500_000]) == ""


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_light_that_is_held_is_the_light_there_was_and_is_let_go_with_the_camera(plug, model):
    kernel = plug(model)
    with Webcam(0) as camera:
        assert camera.hold_light() == bool(model.controls.keys() & {EXPOSURE, WHITE})
        if EXPOSURE in model.controls:
            assert (kernel.controls[AUTO_EXPOSURE], kernel.controls[EXPOSURE]) == (1, model.controls[EXPOSURE])
        if WHITE in model.controls:
            assert (kernel.controls[AUTO_WHITE], kernel.controls[WHITE]) == (0, 4000)
    assert all(kernel.controls[name] == model.controls[name] for name in model.controls if name != EXPOSURE)


def test_a_process_that_was_killed_leaves_no_light_held(plug):
    kernel = plug(MODELS[2])
    kernel.controls |= {AUTO_EXPOSURE: 1, EXPOSURE: 20, AUTO_WHITE: 0}
    with Webcam(0):
        assert (kernel.controls[AUTO_EXPOSURE], kernel.controls[AUTO_WHITE]) == (3, 1)


class Lamp(Webcam):
    """A webcam whose light can be held; `forgets` is one that then exposes as it did at some other time."""

    def __init__(self, *, forgets=False, can=True):
        super().__init__(0)
        self.is_held, self.times, self.can, self.forgets = False, 0, can, forgets

    def hold_light(self):
        self.is_held = self.can
        self.times += 1
        return self.can

    def free_light(self):
        self.is_held = False


@pytest.fixture
def follow(monkeypatch):
    """Follows a camera's pictures of some level for some time, ten a second, as the light's keeper sees them."""
    clock = [0]
    monkeypatch.setattr(light_keeper, "monotonic_us", lambda: clock[0])

    def follow_for(keeper, seconds, level, *, is_wanted=True):
        for _ in range(round(10 * seconds)):
            clock[0] += 100_000
            keeper.follow(Frame(np.full((24, 32, 3), level, np.uint8), clock[0], 0), is_wanted=is_wanted)

    return follow_for


def test_light_is_held_while_a_game_is_read_and_let_go_when_a_lamp_is_switched_or_nothing_is_read(follow):
    lamp = Lamp()
    keeper = LightKeeper(lamp)
    follow(keeper, 10, 100, is_wanted=False)
    assert not lamp.is_held
    follow(keeper, STEADY_US / 1_000_000 - 0.5, 100)
    assert not lamp.is_held
    follow(keeper, 1, 100)
    assert lamp.is_held
    follow(keeper, 5, 80)  # a sleeve
    assert lamp.is_held
    follow(keeper, 0.2, 45)  # a lamp was switched off
    assert not lamp.is_held
    follow(keeper, 4, 45)
    assert lamp.is_held
    follow(keeper, 0.2, 45, is_wanted=False)
    assert not lamp.is_held
    assert lamp.times == 2


def test_light_that_does_not_stay_still_is_not_held(follow):
    lamp = Lamp()
    keeper = LightKeeper(lamp)
    for level in (100, 110, 120, 110) * 4:
        follow(keeper, 2, level)
    assert lamp.times == 0


def test_a_camera_that_forgets_how_it_exposed_is_left_alone_from_then_on(follow):
    lamp = Lamp()
    keeper = LightKeeper(lamp)
    follow(keeper, 3.2, 100)
    assert lamp.is_held
    follow(keeper, 2 * CHECK_US / 1_000_000, 150)
    assert not lamp.is_held
    follow(keeper, 20, 100)
    assert (lamp.is_held, lamp.times) == (False, 1)


def test_a_camera_that_cannot_hold_its_light_is_asked_once(follow):
    lamp = Lamp(can=False)
    follow(LightKeeper(lamp), 20, 100)
    assert lamp.times == 1
