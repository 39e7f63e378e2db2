"""Hands over drawn tables are seen, what is no hand holds nothing up; `python -m tests.vision.hands` counts more."""

import numpy as np
import pytest

from tests.vision.hands import (
    NO_HANDS,
    SIZES_PX,
    Sensor,
    hand,
    held_still,
    no_hand,
    over,
    player_shadow,
    slides_in,
    table_picture,
)
from vision.watch.settle import is_covered, thumbnail

SIZE_PX = SIZES_PX[0]


@pytest.fixture
def random():
    return np.random.default_rng(4)


def seen(picture, random, **light):
    return thumbnail(Sensor(SIZE_PX, random).sees(picture, **light)).bgr


def test_a_hand_held_still_is_no_free_table():
    held = [held_still(11, number) for number in range(16)]
    missed = [number for number, (kind, free) in enumerate(held) if free and "under in view" not in kind]
    assert sum("under in view" not in kind for kind, _ in held) >= 8
    assert missed == []


@pytest.mark.parametrize("number", [number for number, kind in enumerate(NO_HANDS) if kind != "large dice"])
def test_what_is_no_hand_holds_no_roll_up(number):
    assert no_hand(12, number) == (NO_HANDS[number], False)


@pytest.mark.parametrize("takes", [False, True], ids=["drops dice", "takes dice"])
def test_a_hand_that_stays_a_second_is_one_roll_or_none(takes):
    assert [slides_in(13, number, takes=takes)[1] for number in range(2)] == [False, False]


def test_a_large_die_that_the_pictures_edge_cuts_is_no_hand(random):
    table = table_picture("green felt", SIZE_PX, random)
    close = table.copy()
    close[:100, 200:307] = (232, 238, 240)
    assert not is_covered(seen(table, random), seen(close, random))


def test_finger_tips_are_told_from_dice_where_the_size_of_dice_is_known(random):
    table = table_picture("green felt", SIZE_PX, random)
    before, under = seen(table, random), table.copy()
    under[:70, 200:260] = (150, 170, 215)  # 1.4 % of the picture, as wide as long
    assert not is_covered(before, seen(under, random))  # it may be a large die
    die_part = 24**2 / (SIZE_PX[0] * SIZE_PX[1])
    assert is_covered(before, seen(under, random), die_part)
    dice = table.copy()
    dice[:24, 200:224] = dice[20:44, 226:250] = (238, 240, 240)  # two at the picture's edge
    assert not is_covered(before, seen(dice, random), die_part)


def test_a_hand_is_seen_in_dim_light_and_noise_is_not(random):
    table = table_picture("oak", SIZE_PX, random)
    while (drawn := hand(SIZE_PX, table, random)).part < 0.06:
        pass
    pictures = (table, table, over(table, drawn.layer))
    before, again, under = (seen(0.3 * picture + random.normal(0, 12, picture.shape), random) for picture in pictures)
    assert not is_covered(before, again)
    assert is_covered(before, under)


def test_paper_that_was_too_bright_is_not_covered_when_the_exposure_falls(random):
    table = table_picture("mat", SIZE_PX, random)
    burnt = seen(table, random, gain_bgr=(1.2, 1.3, 1.5))
    assert not is_covered(burnt, seen(table, random, gain_bgr=(1.0, 1.1, 1.25)))


def test_a_soft_shadow_is_no_hand(random):
    table = table_picture("white", SIZE_PX, random)
    shaded = table * player_shadow(SIZE_PX, random)[..., None]
    assert not is_covered(seen(table, random), seen(shaded, random))
