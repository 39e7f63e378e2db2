"""A lamp that flickers with the mains makes stripes that wander through the picture: they are no motion."""

import numpy as np
import pytest

from companion.game.readings import DiceReading
from vision.cameras.camera import Frame
from vision.watch.settle import changed, thumbnail
from vision.watch.stripes import line_gains
from vision.watch.watch import Watch

HEIGHT, WIDTH = 480, 640
FPS, MAINS_HZ, READOUT_S = 30, 50, 0.025  # a sensor of 30 pictures a second reads its rows in about 25 ms


def table(seed, *, strength=0.0, time_s=0.0, die_at=None, noise=2.5, level=1.0, turned=False):
    """Wood with a white sheet and, at (x, y), a die, in the light of a lamp on 50 Hz, which flickers at 100 Hz."""
    scene = np.full((HEIGHT, WIDTH, 3), (70, 110, 150), np.float32)
    scene[100:250, 200:420] = (205, 212, 218)
    if die_at is not None:
        x, y = die_at
        scene[y : y + 32, x : x + 32] = (40, 40, 200)
    lines = np.arange(WIDTH if turned else HEIGHT) / (WIDTH if turned else HEIGHT)
    lamp = 1 + strength * np.sin(2 * np.pi * 2 * MAINS_HZ * (time_s + READOUT_S * lines))
    scene *= level * (lamp[None, :, None] if turned else lamp[:, None, None])
    made = np.random.default_rng(seed).normal(0, noise, scene.shape)
    return np.clip(scene + made, 0, 255).astype(np.uint8)


def grey(*arguments, **named):
    return thumbnail(table(*arguments, **named)).grey


STRENGTHS = [0.03, 0.1, 0.2]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("strength", STRENGTHS)
def test_stripes_move_nothing(strength, turned):
    before = grey(0, strength=strength, turned=turned)
    for number in range(1, 12):
        after = grey(number, strength=strength, time_s=number * 0.0037, turned=turned)
        assert not changed(before, after).any()


@pytest.mark.parametrize("strength", STRENGTHS)
def test_a_die_that_moves_by_its_half_between_stripes_is_seen(strength):
    before = grey(0, strength=strength, die_at=(100, 300))
    for number in range(1, 8):
        after = grey(number, strength=strength, time_s=number * 0.0037, die_at=(116, 300))
        assert changed(before, after).any()


def test_noise_in_dim_light_is_no_stripes():
    for number in range(1, 20):
        before, after = (grey(seed, level=0.12, noise=6.0) for seed in (0, number))
        for axis in (0, 1):
            assert not line_gains(before, after, axis)[1]


def test_an_arm_across_a_third_of_the_rows_is_no_stripes():
    before = thumbnail(table(1)).grey
    bgr = table(2)
    bgr[200:360, 40:] = (110, 140, 190)
    assert not line_gains(before, thumbnail(bgr).grey, 1)[1]


@pytest.mark.parametrize("strength", [0.0, *STRENGTHS])
def test_a_throw_under_a_lamp_that_flickers_is_told_once_it_rests(strength):
    """0.5 s of an empty table, a die that rolls in for 0.5 s, and 1.5 s of it at rest."""

    def read(bgr):
        return DiceReading(bgr.shape[1], bgr.shape[0], (), ())

    rests = []
    watch = Watch(read, live=True, on_rest=lambda: rests.append(number))
    for number in range(75):
        rolled = min(max(number - 15, 0), 15)
        at = None if number < 15 else (100 + 20 * rolled, 300)
        time_s = number / (FPS - 0.3)  # the picture's rate is never a part of the lamp's, so the stripes wander
        watch.feed(Frame(table(number, strength=strength, time_s=time_s, die_at=at), round(time_s * 1e6), number))
        assert not (watch.is_at_rest and 16 < number < 30)
    assert [number for number in rests if number < 15]
    assert [number for number in rests if 30 <= number <= 40]
    assert watch.is_at_rest
