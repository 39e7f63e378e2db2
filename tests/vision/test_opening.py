"""What a camera gives just after it was opened, and why one does not open."""

import errno
import os
import subprocess
import sys

import cv2
import numpy as np
import pytest

from companion.cameras import devices
from companion.errors import CameraUnavailable
from companion.game.readings import Kind, Watching
from vision.cameras import closed, opening, webcam
from vision.cameras.opening import WARM_UP_FRAMES, WARM_UP_US, Opening
from vision.cameras.picam import PiCamera
from vision.cameras.webcam import Webcam
from vision.watch.lookout import needs_colours

SECOND_US = 1_000_000


class Clock:
    """Moves when it is told to."""

    now_us = 10**9

    def __call__(self):
        return self.now_us


def pictures(rate, seconds, *, age_us=lambda _number: 10_000, clock_us=0):
    """The numbers of the pictures that are used, of a camera of so many a second with stamps of such an age."""
    clock, used = Clock(), []
    told = Opening(now_us=clock)
    for number in range(int(rate * seconds)):
        if not told.leaves_out(clock.now_us - age_us(number) + clock_us):
            used.append(number)
        clock.now_us += round(SECOND_US / rate)
    return used


def test_a_camera_of_thirty_pictures_a_second_settles_for_twenty_of_them():
    assert pictures(30, 2) == list(range(WARM_UP_FRAMES, 60))


@pytest.mark.parametrize("rate", [1, 2, 5])
def test_a_slow_camera_settles_for_three_seconds(rate):
    assert pictures(rate, 10) == list(range(WARM_UP_US // SECOND_US * rate, 10 * rate))


def test_pictures_that_lay_in_a_buffer_are_left_out():
    old = {40, 41, 42, 50}
    used = pictures(30, 2, age_us=lambda number: 2_500_000 if number in old else 10_000)
    assert used == [number for number in range(WARM_UP_FRAMES, 60) if number not in old]


@pytest.mark.parametrize("clock_us", [-(10**9), 10**15, -5 * SECOND_US])
def test_stamps_of_another_clock_make_no_picture_old(clock_us):
    assert pictures(30, 4, clock_us=clock_us) == list(range(WARM_UP_FRAMES, 120))


def test_a_camera_of_nothing_but_old_pictures_is_opened_anew():
    with pytest.raises(CameraUnavailable, match="The camera sends only old pictures"):
        pictures(30, 10, age_us=lambda number: 10_000 if number < 30 else 3 * SECOND_US)


class OldPictures:
    """A cv2.VideoCapture of which picture 25 lay in a buffer for five seconds; each shows its number."""

    def __init__(self, clock):
        self.clock, self.number = clock, -1

    def isOpened(self):
        return True

    def set(self, _name, _value):
        return True

    def read(self):
        self.number += 1
        self.clock.now_us += 33_333
        return True, np.full((48, 64, 3), self.number, np.uint8)

    def get(self, name):
        if name != cv2.CAP_PROP_POS_MSEC:
            return 0.0
        return (self.clock.now_us - (5 * SECOND_US if self.number == 25 else 5_000)) / 1_000

    def release(self):
        return None


def test_a_webcam_gives_no_old_picture(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(webcam.cv2, "VideoCapture", lambda _index: OldPictures(clock))
    monkeypatch.setattr(webcam, "Opening", lambda name: opening.Opening(name, clock))
    with Webcam(0) as camera:
        seen = [frame.number for frame, _ in zip(camera.frames(), range(10), strict=False)]
    assert seen == [20, 21, 22, 23, 24, 26, 27, 28, 29, 30]


@pytest.fixture
def dev(tmp_path, monkeypatch):
    """A folder in place of /dev in which video0 is there, for OpenCV not to open."""
    (tmp_path / "video0").touch()
    monkeypatch.setattr(devices, "DEV", tmp_path)

    class Closed(OldPictures):
        def isOpened(self):
            return False

    monkeypatch.setattr(webcam.cv2, "VideoCapture", lambda _index: Closed(Clock()))
    return tmp_path


def refusal():
    with pytest.raises(CameraUnavailable) as refused:
        Webcam(0).__enter__()
    return str(refused.value)


def test_a_camera_that_another_program_has_is_named_with_that_program(dev):
    hold = f"import sys; held = open({str(dev / 'video0')!r}); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        with open(f"/proc/{other.pid}/comm", encoding="utf-8") as comm:
            name = comm.read().strip()
        said = refusal()
        other.stdin.close()
        other.wait(30)
    assert said == f"{name} is using the camera {dev / 'video0'}. Close it."
    assert refusal() == "No camera answers at number 0. Plug it in, or start with another number."


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (errno.EBUSY, "Another program is using the camera"),
        (errno.EACCES, "sudo usermod -aG video"),
        (errno.ENODEV, "No camera answers at number 0"),
    ],
)
def test_what_the_kernel_says_of_a_closed_camera_is_told_in_words(dev, monkeypatch, error, said):
    def refuse(*_arguments):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(closed.os, "open", refuse)
    assert said in refusal()


def test_the_pis_camera_that_another_program_has_is_said():
    def busy(_number):
        """As picamera2: libcamera's error stands behind one of its own, which says nothing."""
        try:
            raise RuntimeError("Failed to acquire camera: Device or resource busy")
        except RuntimeError as error:
            raise RuntimeError("Camera __init__ sequence did not complete.") from error

    with pytest.raises(CameraUnavailable, match="Another program is using the Pi's camera"):
        PiCamera(make=busy).__enter__()


@pytest.mark.parametrize(
    ("watching", "needs"),
    [
        (Watching(Kind.DICE), False),
        (Watching(Kind.DICE, {"colours": ["red"]}), True),
        (Watching(Kind.BOARD), True),
        (Watching(Kind.TOWER), False),
        (Watching(None), False),
    ],
)
def test_only_what_is_told_apart_by_colour_needs_colours(watching, needs):
    assert needs_colours(watching) is needs
