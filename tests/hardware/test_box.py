"""The button box on a real kernel's pins: what is pressed, when, and what it shows."""

import random
import subprocess
import sys
from contextlib import contextmanager
from itertools import pairwise
from queue import Empty
from statistics import median

import pytest

from companion.clock import Clock
from companion.game.box import BoxLook, Device, Light, Phase, Signal
from firmware.box import Box
from firmware.debounce import LEAST_CLOSED_US
from firmware.pi import pi_factory
from firmware.plan import usual_plan
from tests.hardware.lines import Finger, Lines, Pull, Pulled

PLAN = usual_plan(4)
SEATS = [pins.button for pins in PLAN.seats]
PRESSES = 1_000
TOGETHER = 5  # presses of each seat that are played in one go
EVERY_US, HOLD_US, STAGGER_US = 110_000, 50_000, 7_000
RACES = 50
SPIKES = 200
CLOSE_US = 50_000  # a stamp further from the pull than this is wrong, however busy the emulation
MEAN_BOUNCE_US, WORST_BOUNCE_US = 1_600, 6_200
Tap = tuple[list[Pull], list[Pull]]  # a press and its release, both with bounce


def bouncing(pin: int, closed: bool, at_us: int, chance: random.Random) -> list[Pull]:
    """A contact that closes (or opens) at that moment and chatters: 1.6 ms on average, 6.2 ms at worst."""
    length_us = min(round(chance.expovariate(1 / MEAN_BOUNCE_US)), WORST_BOUNCE_US)
    chatter = sorted(chance.randrange(1, length_us + 2) for _ in range(2 * chance.randrange(4)))
    return [Pull(pin, closed is (n % 2 == 0), at_us + after_us) for n, after_us in enumerate([0, *chatter])]


def quantiles(errors_us: list[int]) -> str:
    """The middle and the worst of some errors, for the table at the end."""
    ranked = sorted(errors_us)
    return f"{median(ranked):.0f} µs, 99 % below {ranked[len(ranked) * 99 // 100]} µs, worst {ranked[-1]} µs"


def test_the_pins_are_those_of_the_header(box):
    assert type(box._factory).__name__ == "LGPIOFactory"
    assert box._factory.chip > 0  # another chip has number 0 here, as on some kernels of the Pi


def test_a_thousand_presses_with_bounce_are_a_thousand(box: Box, heard, finger: Finger, chance, figure):
    counted = drawn_out = edges = 0
    errors_us = []
    while counted < PRESSES:
        taps = [
            tap(pin, n * EVERY_US + at * STAGGER_US, chance) for n in range(TOGETHER) for at, pin in enumerate(SEATS)
        ]
        pulled = finger.play([pull for down, up in taps for pull in (*down, *up)])
        moments = {id(each.pull): each for each in pulled}
        fair = [tap for tap in taps if not any(is_drawn_out(bounce, moments) for bounce in tap)]
        told: list[Signal] = []
        while untold := [each for each in fair if len(signals_of(each, moments, told)) < 2]:
            try:
                told.append(heard.next())  # a slow machine is waited for, never raced
            except Empty:
                pytest.fail("; ".join(untold_story(each, moments, told) for each in untold))
        told += heard.more()
        for each in fair:
            first = moments[id(each[0][0])]
            own = signals_of(each, moments, told)
            assert [signal.pressed for signal in own] == [True, False], story(each, moments, own)
            assert (True, own[0].at_us) in own[0].trace
            errors_us.append(max(0, own[0].at_us - first.after_us))
            edges += len(own[0].trace)
        counted += len(fair)
        drawn_out += len(taps) - len(fair)
    assert max(errors_us) < CLOSE_US
    figure("presses with bounce, counted right", f"{counted} of {counted}, {edges / counted:.1f} edges kept with each")
    figure("left out: bounce drawn out by the emulation", f"{drawn_out}")
    figure("stamp later than the pull", quantiles(errors_us))


def tap(pin: int, at_us: int, chance: random.Random) -> Tap:
    """A press and its release, both with bounce."""
    return bouncing(pin, True, at_us, chance), bouncing(pin, False, at_us + HOLD_US, chance)


def signals_of(tap: Tap, moments: dict[int, Pulled], told: list[Signal]) -> list[Signal]:
    """What was told of a press and its release."""
    (first, *_), (*_, last) = tap
    seat, from_us, until_us = 1 + SEATS.index(first.pin), moments[id(first)].before_us, moments[id(last)].after_us
    return [signal for signal in told if signal.seat == seat and from_us <= signal.at_us <= until_us]


def story(tap: Tap, moments: dict[int, Pulled], told: list[Signal]) -> str:
    """What was pulled and what was told of it, in microseconds after the first pull."""
    begin_us = moments[id(tap[0][0])].before_us
    pulls = [(pull.closed, moments[id(pull)].before_us - begin_us) for part in tap for pull in part]
    heard = [(signal.pressed, signal.at_us - begin_us) for signal in told]
    return f"pulled {pulls}, told {heard}, edges {[(level, at_us - begin_us) for level, at_us in told[-1].trace]}"


def untold_story(tap: Tap, moments: dict[int, Pulled], told: list[Signal]) -> str:
    """As `story`, of a tap that was not told: with all that was told of its button."""
    seat = 1 + SEATS.index(tap[0][0].pin)
    begin_us = moments[id(tap[0][0])].before_us
    pulls = [
        (pull.closed, moments[id(pull)].before_us - begin_us, moments[id(pull)].after_us - begin_us)
        for part in tap
        for pull in part
    ]
    heard = [(one.pressed, one.at_us - begin_us) for one in told if one.seat == seat]
    traced = sorted({(at_us - begin_us, level) for one in told if one.seat == seat for level, at_us in one.trace})
    return f"seat {seat}: pulled {pulls}, told {heard}, edges {traced}"


def is_drawn_out(bounce: list[Pull], moments: dict[int, Pulled]) -> bool:
    """Whether it took longer than the bounce of any contact."""
    return moments[id(bounce[-1])].after_us - moments[id(bounce[0])].before_us > 2 * WORST_BOUNCE_US


def test_a_race_is_judged_by_the_kernels_stamps(box, heard, finger, chance, figure):
    """Four buttons a millisecond apart, while another process takes all of the one processor it can get."""
    errors_us, told_in_order = [], 0
    with busy():
        for _ in range(RACES):
            order = chance.sample(range(1, 5), 4)
            pulls = [Pull(SEATS[seat - 1], True, place * 1_000) for place, seat in enumerate(order)]
            hold_us = chance.randint(60_000, 90_000)  # Presses of one length are a hum to the box.
            pulls += [Pull(pin, False, hold_us) for pin in SEATS]
            pulled = finger.play(pulls)[:4]
            told = [signal for signal in heard.next_of(2 * len(SEATS)) if signal.pressed]
            ranked = sorted(told, key=lambda signal: signal.at_us)
            assert [signal.seat for signal in ranked] == order
            told_in_order += told == ranked
            for one, (first, later) in enumerate(pairwise(ranked)):
                margin_us = later.at_us - first.at_us
                least_us = pulled[one + 1].before_us - pulled[one].after_us
                most_us = pulled[one + 1].after_us - pulled[one].before_us
                errors_us.append(max(0, least_us - margin_us, margin_us - most_us))
    figure("races of four, 1 ms apart, judged right", f"{RACES} of {RACES}")
    figure("told in that order at once", f"{told_in_order} of {RACES}")
    figure("margin of two presses outside what was pulled", quantiles(errors_us))


@contextmanager
def busy():
    """Another process that reckons all the time."""
    other = subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"])
    try:
        yield
    finally:
        other.kill()
        other.wait()


def test_spikes_are_no_presses(box, heard, finger, figure):
    pulls = []
    for number in range(SPIKES):
        pulls += [Pull(SEATS[0], True, number * 30_000), Pull(SEATS[0], False, number * 30_000 + 100)]
    finger.play(pulls)
    presses = [signal for signal in heard.more(1.0) if signal.pressed]
    for press in presses:  # the emulation may draw one out until it is long enough for a finger
        closed = [at_us for pressed, at_us in press.trace if pressed and at_us >= press.at_us]
        opened = [at_us for pressed, at_us in press.trace if not pressed and at_us >= press.at_us]
        assert len(closed) > len(opened) or sum(opened) - sum(closed) >= LEAST_CLOSED_US
    figure("spikes shorter than 1 ms taken for presses", f"0 of {SPIKES - len(presses)}")


def test_a_button_that_is_held_tells_nothing_until_it_is_let_go(lines, heard, finger):
    pin = PLAN.seats[2].button
    with Box(PLAN, pi_factory(), heard, Clock()) as box:
        finger.play([Pull(pin, True, 0)])
        assert heard.next().pressed
        assert box.pressed_buttons() == ("seat-3",)
        finger.play([Pull(pin, False, 0), Pull(pin, True, 3_000)])  # the contact breaks under the finger
        assert heard.more(0.5) == []
        finger.play([Pull(pin, False, 0)])
        assert not heard.next().pressed


def test_a_listener_that_fails_leaves_the_buttons_alive(lines, heard, finger):
    def fail(signal):
        heard(signal)
        raise ValueError("the table did not expect this")

    with Box(PLAN, pi_factory(), fail, Clock()):
        for pin in SEATS:
            finger.play([Pull(pin, True, 0), Pull(pin, False, 60_000)])
            assert [heard.next().pressed, heard.next().pressed] == [True, False]


def test_the_other_buttons_are_heard_too(box, heard, finger):
    for device, pin in PLAN.buttons:
        finger.play([Pull(pin, True, 0), Pull(pin, False, 60_000)])
        assert (heard.next().device, heard.next().seat) == (Device(device), None)


def test_lights_show_what_they_are_told_and_go_dark(lines: Lines, heard):
    status = PLAN.status
    with Box(PLAN, pi_factory(), heard, Clock()) as box:
        box.show(BoxLook(Phase.PAUSED, (Light.ON, Light.OFF, Light.ON, Light.FAST)))
        assert all(lines.shows(PLAN.seats[place].led, lit) for place, lit in enumerate((True, False, True)))
        assert all(lines.shows(PLAN.seats[3].led, lit) for lit in (True, False, True))  # it blinks
        assert lines.shows(status.red, True)
        assert lines.shows(status.green, True)
        assert not lines.level(status.blue)  # yellow
    assert not any(lines.level(pins.led) for pins in PLAN.seats)
    assert not any(lines.level(pin) for pin in (status.red, status.green, status.blue))


def test_the_buzzer_sounds_and_ends_low(lines: Lines, heard):
    buzzer = PLAN.buzzer.pin
    for _ in range(3):  # ending lgpio's pulses leaves the pin high as often as not
        with Box(PLAN, pi_factory(), heard, Clock()) as box:
            box.show(BoxLook(Phase.WRONG, ()))
            assert lines.shows(buzzer, True)
            assert lines.shows(buzzer, False)
        assert not lines.level(buzzer)


def test_its_pins_are_its_own_until_it_is_closed(heard):
    lgpio = pytest.importorskip("lgpio")
    with Box(PLAN, pi_factory(), heard, Clock()) as box:
        another_program = lgpio.gpiochip_open(box._factory.chip)
        with pytest.raises(lgpio.error, match="busy"):
            lgpio.gpio_claim_output(another_program, PLAN.seats[0].led)
    lgpio.gpio_claim_output(another_program, PLAN.seats[0].led)
    lgpio.gpiochip_close(another_program)
