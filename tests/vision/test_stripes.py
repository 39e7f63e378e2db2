"""A lamp that flickers with the mains makes stripes that wander through the picture: they are no motion."""

import numpy as np
import pytest

from companion.game.readings import DiceReading
from vision.cameras.camera import Frame
from vision.watch.known_table import KnownTable
from vision.watch.lookout import FLICKER, Lookout
from vision.watch.settle import changed, is_covered, thumbnail
from vision.watch.stripes import line_gains
from vision.watch.watch import Watch

HEIGHT, WIDTH = 480, 640
FPS, MAINS_HZ, READOUT_S = 30, 50, 0.025  # a sensor of 30 pictures a second reads its rows in about 25 ms


def table(seed, *, strength=0.0, time_s=0.0, die_at=None, noise=2.5, level=1.0, turned=False, square=False):
    """Wood with a white sheet and, at (x, y), a die, in the light of a lamp on 50 Hz, which flickers at 100 Hz.

    square  whether the lamp is switched on and off, as a dimmed LED is, and does not go up and down as a bulb does
    """
    scene = np.full((HEIGHT, WIDTH, 3), (70, 110, 150), np.float32)
    scene[100:250, 200:420] = (205, 212, 218)
    if die_at is not None:
        x, y = die_at
        scene[y : y + 32, x : x + 32] = (40, 40, 200)
    lines = np.arange(WIDTH if turned else HEIGHT) / (WIDTH if turned else HEIGHT)
    wave = np.sin(2 * np.pi * 2 * MAINS_HZ * (time_s + READOUT_S * lines))
    lamp = 1 + strength * (np.sign(wave) if square else wave)
    scene *= level * (lamp[None, :, None] if turned else lamp[:, None, None])
    made = np.random.default_rng(seed).normal(0, noise, scene.shape)
    return np.clip(scene + made, 0, 255).astype(np.uint8)


def grey(*arguments, **named):
    return thumbnail(table(*arguments, **named)).grey


STRENGTHS = [0.03, 0.1, 0.2]


@pytest.mark.parametrize("square", [False, True])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("strength", STRENGTHS)
def test_stripes_move_nothing_and_cover_nothing(strength, turned, square):
    kind = {"strength": strength, "turned": turned, "square": square}
    before = thumbnail(table(0, **kind))
    for number in range(1, 12):
        after = thumbnail(table(number, time_s=number * 0.0037, **kind))
        assert not changed(before.grey, after.grey).any()
        assert not is_covered(before.bgr, after.bgr)


@pytest.mark.parametrize("square", [False, True])
@pytest.mark.parametrize("strength", STRENGTHS)
def test_a_die_that_moves_by_its_half_between_stripes_is_seen(strength, square):
    before = grey(0, strength=strength, die_at=(100, 300), square=square)
    for number in range(1, 8):
        after = grey(number, strength=strength, time_s=number * 0.0037, die_at=(116, 300), square=square)
        assert changed(before, after).any()


def test_noise_in_dim_light_is_no_stripes():
    for number in range(1, 20):
        before, after = (grey(seed, level=0.12, noise=6.0) for seed in (0, number))
        for axis in (0, 1):
            assert line_gains(before, after, axis) is None


@pytest.mark.parametrize("strength", [0.0, 0.1])
@pytest.mark.parametrize("rows", [slice(200, 360), slice(0, 300), slice(100, 480)])
def test_an_arm_across_most_of_each_row_is_seen_and_covers(rows, strength):
    before = thumbnail(table(1, strength=strength))
    bgr = table(2, strength=strength, time_s=0.0037)
    bgr[rows, 40:] = (110, 140, 190)
    after = thumbnail(bgr)
    assert changed(before.grey, after.grey).any()
    assert is_covered(before.bgr, after.bgr) or np.ptp((rows.start, rows.stop)) > 300  # most of the picture: a new view


def read_nothing(bgr):
    return DiceReading(bgr.shape[1], bgr.shape[0], (), ())


@pytest.mark.parametrize("square", [False, True])
@pytest.mark.parametrize("strength", [0.0, *STRENGTHS])
def test_a_throw_under_a_lamp_that_flickers_is_told_once_it_rests(strength, square):
    """0.5 s of an empty table, a die that rolls in for 0.5 s, and 1.5 s of it at rest."""
    rests = []
    watch = Watch(read_nothing, live=True, on_rest=lambda: rests.append(number))
    for number in range(75):
        rolled = min(max(number - 15, 0), 15)
        at = None if number < 15 else (100 + 20 * rolled, 300)
        time_s = number / (FPS - 0.3)  # the picture's rate is never a part of the lamp's, so the stripes wander
        bgr = table(number, strength=strength, time_s=time_s, die_at=at, square=square)
        watch.feed(Frame(bgr, round(time_s * 1e6), number))
        assert not (watch.is_at_rest and 16 < number < 30)
    assert [number for number in rests if number < 15]
    assert [number for number in rests if 30 <= number <= 40]
    assert watch.is_at_rest


def said_after(seconds, picture):
    """What the lookout says of a lamp after so many seconds of these pictures, each made of its number and time."""
    lookout = Lookout(lambda _watching: read_nothing, KnownTable(), live=True)
    for number in range(int(seconds * 15)):
        time_s = number / 14.7
        lookout.feed(Frame(picture(number, time_s), round(time_s * 1e6), number), lambda frame: frame)
    return lookout.disturbance


@pytest.mark.parametrize("square", [False, True])
@pytest.mark.parametrize(("strength", "said"), [(0.0, ""), (0.03, ""), (0.1, ""), (0.35, FLICKER), (0.6, FLICKER)])
def test_stripes_too_strong_to_be_read_through_are_said_within_two_seconds(strength, said, square):
    shown = said_after(2, lambda n, s: table(n, strength=strength, time_s=s, square=square))
    assert shown == said


def test_a_lamp_that_is_switched_and_a_die_that_rolls_all_the_time_are_no_flicker():
    assert said_after(3, lambda n, _s: table(n, level=1.0 if n % 30 < 15 else 0.4)) == ""
    assert said_after(3, lambda n, _s: table(n, die_at=(20 + 20 * (n % 25), 300))) == ""
