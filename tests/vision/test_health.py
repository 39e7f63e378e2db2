"""Frozen, black and misshapen pictures, told from a table where nothing moves."""

import contextlib

import numpy as np
import pytest

from companion.errors import CameraUnavailable
from vision.camera import Frame
from vision.health import BLACK, BLIND_AGAIN_US, BLIND_US, BURNT, FROZEN_US, Health, shows_nothing
from vision.readers import READERS
from vision.virtual import VirtualCamera

SHAPE = (96, 128, 3)


class Clock:
    """Moves when it is told to."""

    now_us = 10**9

    def __call__(self):
        return self.now_us


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def health(clock):
    found = Health(clock)
    found.opened()
    return found


def noisy(seed, level=90, shape=SHAPE):
    """A still table as a sensor sees it: the same scene, other noise each time."""
    noise = np.random.default_rng(seed).normal(0, 2.5, shape)
    return Frame(np.clip(level + noise, 0, 255).astype(np.uint8), 0, seed)


def test_a_still_table_is_no_frozen_picture(health, clock):
    for number in range(100):
        assert health.trouble(noisy(number)) == ""
        clock.now_us += 100_000


def test_the_virtual_camera_is_never_taken_for_frozen(health, clock):
    with VirtualCamera(wait=lambda _seconds: None, now_us=clock) as camera:
        for _, frame in zip(range(40), camera.frames(), strict=False):
            assert health.trouble(frame) == ""
            clock.now_us += 100_000


def test_a_frozen_picture_is_noticed_in_two_seconds_and_stays_noticed_until_it_moves(health, clock):
    for number in range(3):
        health.trouble(noisy(number))
    began_us = clock.now_us
    with contextlib.suppress(CameraUnavailable):
        while True:
            health.trouble(noisy(2))
            clock.now_us += 33_000
    assert FROZEN_US <= clock.now_us - began_us <= FROZEN_US + 100_000
    health.opened()  # anew, and the first picture is the old one again
    with pytest.raises(CameraUnavailable, match="one old picture"):
        health.trouble(noisy(2))
    health.opened()
    assert health.trouble(noisy(3)) == ""


def test_a_camera_that_never_shows_noise_is_believed(health, clock):
    for _ in range(100):
        assert health.trouble(noisy(1)) == ""
        clock.now_us += 100_000


@pytest.mark.parametrize(("level", "sentence"), [(1, BLACK), (270, BURNT)])
def test_a_picture_of_nothing_is_said_in_less_than_two_seconds_and_over_with_the_first_other(
    health, clock, level, sentence
):
    said = []
    for number in range(30):
        said.append(health.trouble(noisy(number, level)))
        clock.now_us += 100_000
    assert said == [""] * (BLIND_US // 100_000) + [sentence] * (30 - BLIND_US // 100_000)
    assert health.trouble(noisy(31)) == ""


@pytest.mark.parametrize("nothing", [0, 270])
def test_a_picture_of_nothing_is_not_to_be_read_from_the_first_on(health, nothing):
    seen = []
    for number, level in enumerate((120, nothing, nothing, 120)):
        assert health.trouble(noisy(number, level=level)) == ""
        seen.append(health.is_blind)
    assert seen == [False, True, True, False]


@pytest.mark.parametrize("nothing", [0, 270])
def test_a_camera_that_goes_on_showing_nothing_is_opened_anew(health, clock, nothing):
    health.trouble(noisy(1, nothing))
    clock.now_us += BLIND_AGAIN_US + 1
    with pytest.raises(CameraUnavailable):
        health.trouble(noisy(2, nothing))
    health.opened()
    assert health.trouble(noisy(3, nothing)) == ""


def test_a_bright_table_with_dice_on_it_is_not_burnt_out(health, clock):
    white = noisy(1, level=270)
    white.bgr[40:60, 50:70] = 60
    for _ in range(30):
        assert health.trouble(white) == ""
        clock.now_us += 100_000


def test_a_dim_room_is_not_black(health, clock):
    for number in range(30):
        assert health.trouble(noisy(number, level=9)) == ""
        clock.now_us += 100_000


def test_another_size_opens_the_camera_anew_and_is_then_taken_as_it_is(health):
    health.trouble(noisy(1))
    other = noisy(2, shape=(72, 128, 3))
    with pytest.raises(CameraUnavailable, match="was 128 × 96 pixels and is now 128 × 72"):
        health.trouble(other)
    health.opened()
    assert health.trouble(other) == ""


@pytest.mark.parametrize("bgr", [np.zeros((96, 128), np.uint8), np.zeros((2, 2, 3), np.uint8), np.zeros(SHAPE)])
def test_what_is_no_picture_is_said(health, bgr):
    with pytest.raises(CameraUnavailable, match="none"):
        health.trouble(Frame(bgr, 0, 0))


@pytest.mark.parametrize("levels", [0, 3, 254, 255])
def test_a_photograph_of_nothing_is_no_empty_table(levels):
    reading = READERS["dice"].read_photo(np.full((240, 320, 3), levels, np.uint8), None)
    assert not reading.accepted
    assert [(box.w, box.h) for box in reading.unread] == [(320, 240)]


@pytest.mark.parametrize("levels", [20, 90, 240])
def test_a_bare_table_is_empty(levels):
    assert READERS["dice"].read_photo(np.full((240, 320, 3), levels, np.uint8), None).accepted


@pytest.mark.parametrize("levels", [0, 255])
def test_two_dice_on_a_black_or_a_burnt_out_table_are_something(levels):
    table = np.full((960, 1280, 3), levels, np.uint8)
    assert shows_nothing(table)
    die = np.full((56, 56, 3), (40, 40, 190), np.uint8)
    table[300:356, 400:456] = die
    assert not shows_nothing(table)
