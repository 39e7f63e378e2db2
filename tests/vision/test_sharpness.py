"""A focus that goes in and out is told from everything that happens at a table, and the lens is held where it is sharp.

Pictures are drawn, but for the photographs beside the checkout, which are blurred here.
"""

import struct
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from companion.app.doctor import command as doctor
from companion.cameras import devices
from companion.game.readings import DiceReading
from tests.conftest import PHOTOS
from tests.photographs import dice_table, thrown
from tests.vision.test_picam import ADVERTISED, StrictPicamera2
from vision.cameras import v4l2
from vision.cameras.camera import Frame
from vision.cameras.picam import PiCamera
from vision.cameras.v4l2 import FOCUS_AUTO, G_CTRL, S_CTRL
from vision.cameras.webcam import Webcam
from vision.process import focus_keeper
from vision.process.focus_keeper import STEADY_US, TRIES, FocusKeeper
from vision.virtual.painter import Painter
from vision.watch.known_table import KnownTable
from vision.watch.lookout import HUNTS, Lookout
from vision.watch.sharpness import Sharpness

FPS = 14.7  # never a whole part of a second
EACH = 6  # one of so many photographs


@pytest.fixture(scope="module")
def painter():
    return Painter()


@pytest.fixture(scope="module")
def still(painter):
    """A table with two dice, at half size."""
    return cv2.resize(painter.without_noise(dice_table(3, 5), 10**9), None, fx=0.5, fy=0.5)


NOISE = np.random.default_rng(1).normal(0, 2.5, (1200, 1200, 3)).astype(np.float32)  # of a sensor


def noisy(bgr, number):
    height, width = bgr.shape[:2]
    down, right = np.random.default_rng(number).integers(0, 400, 2)
    return np.clip(bgr + NOISE[down : down + height, right : right + width], 0, 255).astype(np.uint8)


def watched(pictures):
    """(seconds after which a hunt was told or None, pictures called soft) of pictures by their number and time."""
    sharpness, told_s, soft = Sharpness(), None, 0
    for number, bgr in enumerate(pictures):
        sharpness.feed(bgr, round(number * 1e6 / FPS))
        soft += sharpness.is_soft
        if told_s is None and sharpness.is_hunting:
            told_s = number / FPS
    return told_s, soft


def hunting(bgr, seconds, period_s, most_px, *, rests=False):
    """A lens that runs through the sharp place and back without a stop, or slows down at both ends."""
    for number in range(int(seconds * FPS)):
        turn = np.pi * number / FPS / period_s
        out = np.sin(turn) ** 2 if rests else abs(np.sin(turn))
        yield noisy(cv2.GaussianBlur(bgr, (0, 0), 0.3 + most_px * out), number)


@pytest.mark.parametrize("rests", [False, True])
@pytest.mark.parametrize("most_px", [2.5, 4.0])
@pytest.mark.parametrize("period_s", [1, 2, 4])
def test_a_focus_that_hunts_is_told_in_its_second_swing(still, period_s, most_px, rests):
    told_s, _ = watched(hunting(still, 3 * period_s, period_s, most_px, rests=rests))
    assert told_s is not None
    assert told_s < 2.6 * period_s


def test_a_focus_that_goes_out_once_is_no_hunt_and_its_blurred_pictures_are_not_read(still):
    once = [*[0.3] * 30, *[4.0] * 20, *[0.3] * 60]
    told_s, soft = watched(noisy(cv2.GaussianBlur(still, (0, 0), px), n) for n, px in enumerate(once))
    assert (told_s, soft) == (None, 20)


def test_a_picture_that_stays_soft_is_read_in_the_end(still):
    sharpness = Sharpness()
    for number in range(150):
        sharpness.feed(noisy(cv2.GaussianBlur(still, (0, 0), 0.3 if number < 30 else 4.0), number), number * 68_000)
    assert sharpness.can_be_read


def test_dice_that_fall_again_and_again_are_no_hunt(painter):
    tables = [thrown(dice_table(*values)) for values in ((3, 5, 2), (1, 6), (4, 4, 1, 2, 6))]
    pictures = (
        cv2.resize(painter.picture(tables[n // 20 % 3], n % 20 * 68_000), None, fx=0.5, fy=0.5) for n in range(120)
    )
    assert watched(pictures) == (None, 0)


@pytest.mark.parametrize("period_s", [1, 4])
def test_an_exposure_that_swings_is_no_hunt(still, period_s):
    levels = (0.9 - 0.65 * np.cos(2 * np.pi * n / FPS / period_s) for n in range(int(9 * FPS)))
    assert watched(noisy(np.minimum(still * level, 255), n) for n, level in enumerate(levels)) == (None, 0)


@pytest.mark.parametrize("beat_s", [0.5, 1.5])
def test_hands_that_come_and_go_are_no_hunt(still, beat_s):
    """A hand with its soft shadow over a half of the table, blurred as it is near the lens and moves."""

    def picture(number):
        bgr, reach = still.copy(), abs(np.sin(np.pi * number / FPS / beat_s))
        tip = int(reach * 0.55 * bgr.shape[1])
        shade = np.ones(bgr.shape[:2], np.float32)
        shade[:, : tip + 20] = 0.7
        bgr = bgr * cv2.GaussianBlur(shade, (0, 0), 12)[..., None]
        bgr[100:380, :tip] = (140, 170, 218)
        return noisy(bgr, number)

    assert watched(picture(number) for number in range(int(9 * FPS))) == (None, 0)


def test_photographs_in_light_that_changes_are_no_hunt_and_blurred_in_turn_they_mostly_are(data_photos):
    told = 0
    for number, path in enumerate(data_photos):
        bgr = cv2.imread(str(path), cv2.IMREAD_REDUCED_COLOR_2)
        bgr = cv2.resize(bgr, None, fx=(scale := 640 / max(bgr.shape)), fy=scale, interpolation=cv2.INTER_AREA)
        light = (noisy(bgr * (0.7 + 0.3 * np.cos(n)), number + n) for n in range(12))
        assert watched(light) == (None, 0), path
        swing = (noisy(cv2.GaussianBlur(bgr, (0, 0), (0.3, 4.0)[n // 4 % 2]), number + n) for n in range(16))
        told += watched(swing)[0] is not None
    print(f"{told} of {len(data_photos)} photographs, blurred and sharp in turn, are told to hunt")
    assert told >= 0.8 * len(data_photos)


@pytest.fixture
def data_photos():
    folder = PHOTOS / "dice" / "images"
    if not folder.is_dir():
        pytest.skip("../shared/data/dice is absent: nothing shows that no photographed table is taken for a hunt")
    return sorted(folder.glob("*"))[::EACH]


def test_the_tablet_is_told_and_only_sharp_pictures_are_read(still):
    read = []

    def reader(bgr):
        read.append(cv2.Laplacian(bgr, cv2.CV_32F).std())
        return DiceReading(bgr.shape[1], bgr.shape[0], (), ())

    lookout = Lookout(lambda _watching: reader, KnownTable(), live=True)
    lookout.want(SimpleNamespace(kind="dice", knows={}), 0)
    said = []
    for number, bgr in enumerate(hunting(still, 12, 3, 4.0)):
        lookout.feed(Frame(bgr, round(number * 1e6 / FPS), number), lambda frame: frame)
        said.append(lookout.disturbance)
    assert said[0] == ""
    assert said[-1] == HUNTS
    sharp = cv2.Laplacian(noisy(still, 0), cv2.CV_32F).std()
    assert all(detail > 0.6 * sharp for detail in read)


# the lens


class Lens:
    """A camera that notes what its lens is told."""

    def __init__(self, *, can_hold=True):
        self.told, self.can_hold = [], can_hold

    def focuses_itself(self):
        return self.can_hold

    def hold_focus(self):
        self.told.append("hold")
        return self.can_hold

    def free_focus(self):
        self.told.append("free")


def sees(look, *, hunts=False):
    return SimpleNamespace(is_sharp=look == "sharp", is_soft=look == "soft", is_hunting=hunts)


@pytest.fixture
def clock(monkeypatch):
    found = SimpleNamespace(now_us=10**9)
    monkeypatch.setattr(focus_keeper, "monotonic_us", lambda: found.now_us)
    return found


def follow(keeper, *looks, hunts=False, sets_up=False, is_set_up=True):
    for look in looks:
        keeper.follow(sees(look, hunts=hunts), sets_up=sets_up, is_set_up=is_set_up)


def test_a_lens_that_hunts_is_held_at_a_sharp_picture_and_let_go_if_it_stopped_late(clock):
    lens = Lens()
    keeper = FocusKeeper(lens)
    follow(keeper, "sharp", "soft", "sharp")
    assert lens.told == []
    follow(keeper, "soft", "between", "sharp", "sharp", hunts=True)
    assert lens.told == ["hold"]
    follow(keeper, *["soft", "sharp"] * 10, hunts=True)
    assert lens.told == ["hold", "free"] * TRIES


def test_a_lens_that_cannot_be_held_is_asked_once(clock):
    lens = Lens(can_hold=False)
    follow(FocusKeeper(lens), "sharp", "sharp", "soft", "sharp", hunts=True)
    assert lens.told == ["hold"]


def test_a_lens_is_free_while_the_camera_is_set_up_and_held_when_it_was_steady_afterwards(clock):
    lens = Lens()
    keeper = FocusKeeper(lens)
    follow(keeper, "sharp", "sharp", sets_up=True, is_set_up=False)
    assert lens.told == ["free"]  # an earlier start may have held it
    follow(keeper, "sharp")
    clock.now_us += STEADY_US
    follow(keeper, "soft", "sharp")
    assert lens.told == ["free"]
    clock.now_us += STEADY_US
    follow(keeper, "sharp", "sharp", "between")
    assert lens.told == ["free", "hold"]
    follow(keeper, "sharp", sets_up=True)
    assert lens.told == ["free", "hold", "free"]


def test_a_set_up_that_was_not_saved_holds_nothing(clock):
    lens = Lens()
    keeper = FocusKeeper(lens)
    follow(keeper, "sharp", sets_up=True, is_set_up=False)
    follow(keeper, "sharp", is_set_up=False)
    clock.now_us += STEADY_US
    follow(keeper, "sharp", is_set_up=False)
    assert lens.told == ["free"]


def test_a_usb_cameras_autofocus_is_switched_by_the_kernels_control(tmp_path, monkeypatch):
    """V4L2: V4L2_CID_FOCUS_AUTO is 0x009a0900 + 12; VIDIOC_G_CTRL and VIDIOC_S_CTRL are _IOWR('V', 27 and 28)."""
    (tmp_path / "video2").touch()
    monkeypatch.setattr(devices, "DEV", tmp_path)
    camera = Webcam(2)
    assert not camera.focuses_itself()  # a plain file knows no such call
    assert not camera.hold_focus()
    told = []

    def ioctl(_handle, call, control):
        told.append((call, *struct.unpack("=Ii", control)))
        return control

    monkeypatch.setattr(v4l2.fcntl, "ioctl", ioctl)
    assert camera.focuses_itself()
    assert camera.hold_focus()
    camera.free_focus()
    assert told == [(G_CTRL, 0x009A090C, 0), (S_CTRL, 0x009A090C, 0), (S_CTRL, 0x009A090C, 1)]
    assert (0xC0000000 | 8 << 16 | ord("V") << 8 | 27, 0x009A0900 + 12) == (G_CTRL, FOCUS_AUTO)


def test_the_pis_lens_is_put_where_it_was_for_the_last_picture():
    """libcamera: AfMode is 0 for manual and 2 for continuous; LensPosition is in dioptres, in metadata as a control."""
    strict = StrictPicamera2(0, advertised=ADVERTISED | {"LensPosition": (0.0, 32.0, 1.0)})
    with PiCamera(make=lambda number: strict) as camera:
        assert camera.focuses_itself()
        assert not camera.hold_focus()  # no picture yet
        strict.lens = 2.5
        next(camera.frames())
        assert camera.hold_focus()
        assert strict.calls[-1] == ("set_controls", {"controls": {"AfMode": 0, "LensPosition": 2.5}})
        camera.free_focus()
        assert strict.calls[-1] == ("set_controls", {"controls": {"AfMode": 2}})
    with PiCamera(make=lambda number: StrictPicamera2(0)) as camera:
        next(camera.frames())
        assert not camera.focuses_itself()
        assert not camera.hold_focus()


class Watched(Lens):
    """A camera that doctor opens."""

    live = True


def test_doctor_says_that_a_focus_hunts_and_that_one_can_be_held(still):
    def frames(pictures):
        return (Frame(bgr, round(number * 1e6 / FPS), number) for number, bgr in enumerate(pictures))

    assert doctor.focus_note(Watched(), frames(hunting(still, 6, 2, 4.0))) == HUNTS
    steady = [noisy(still, number) for number in range(30)]
    assert "holds its focus" in doctor.focus_note(Watched(), frames(steady))
    assert doctor.focus_note(Watched(can_hold=False), frames(steady)) == ""
    assert doctor.focus_note(object(), frames(steady)) == ""
