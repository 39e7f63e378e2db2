"""The signs of the box: complete, in phase, and right at every moment."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.game.box import Light, Phase
from firmware.signs import Blink, Note, PhaseSign, chime_at, is_lit, load_signs, next_blink_us, signs_from, tone_at

BEEP = PhaseSign((True, False, False), Light.ON, (Note(660, 120), Note(0, 30), Note(880, 50)))
TICK = PhaseSign((True, False, False), Light.ON, (Note(1000, 40),), repeat_ms=1000)


def test_every_light_and_phase_is_said():
    signs = load_signs()
    assert (set(signs.lights), set(signs.phases)) == (set(Light), set(Phase))


def test_no_two_phases_look_and_sound_alike():
    signs = list(load_signs().phases.values())
    assert len({(sign.status, sign.light, sign.tune) for sign in signs}) == len(Phase)


def test_what_a_light_says_at_a_glance():
    lights = load_signs().lights
    assert [is_lit(lights[light], 600_000) for light in (Light.OFF, Light.ON, Light.SLOW)] == [False, True, False]
    fast = [is_lit(lights[Light.FAST], ms * 1_000) for ms in range(0, 1_000, 125)]
    assert fast == [True, False] * 4  # four times a second


@given(st.sampled_from(Light), st.integers(-(10**12), 10**12))
def test_a_light_changes_next_exactly_when_it_says(light, now_us):
    blink = load_signs().lights[light]
    next_us = next_blink_us(blink, now_us)
    if next_us is None:
        assert blink.is_steady
    else:
        assert next_us > now_us
        assert is_lit(blink, next_us) != is_lit(blink, now_us) == is_lit(blink, next_us - 1)


@pytest.mark.parametrize(
    ("at_ms", "tone"),
    [(0, (660, 120_000)), (119, (660, 120_000)), (120, (None, 150_000)), (150, (880, 200_000)), (200, (None, None))],
)
def test_a_tune_is_played_once(at_ms, tone):
    assert tone_at(BEEP, 0, at_ms * 1_000) == tone


@pytest.mark.parametrize("second", range(10))
def test_the_last_ten_seconds_tick(second):
    assert tone_at(TICK, 0, second * 1_000_000) == (1000, second * 1_000_000 + 40_000)
    assert tone_at(TICK, 0, second * 1_000_000 + 40_000) == (None, (second + 1) * 1_000_000)


def test_a_phase_entered_a_moment_ahead_of_the_clock_begins_with_its_tune():
    assert tone_at(BEEP, 5_000, 4_000) == (660, 125_000)


def test_what_leaves_something_unsaid_is_refused():
    with pytest.raises(KeyError):
        signs_from({"lights": {}, "phases": {}})
    with pytest.raises(ValueError, match="longer than it lasts"):
        signs_from({"lights": {light: {"period_ms": 100, "lit_ms": 200} for light in Light}, "phases": {}})


def test_steady_lights_never_change():
    assert next_blink_us(Blink(1_000, 0), 5) is None
    assert next_blink_us(Blink(1_000, 1_000), 5) is None


@pytest.mark.parametrize(
    ("at_ms", "tone"), [(0, 1047), (219, 1047), (220, None), (280, 784), (699, 784), (5_000, None)]
)
def test_the_staff_ring_over_any_phase_and_its_tune_goes_on_afterwards(at_ms, tone):
    signs = load_signs()
    found = chime_at(signs.chime, 1_000_000, 1_000_000 + at_ms * 1_000)
    assert (found and found[0]) == tone
    assert (found is None) == (at_ms > sum(note.ms for note in signs.chime))
