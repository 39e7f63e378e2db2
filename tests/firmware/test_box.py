"""The box on mock pins, driven by level changes."""

import logging
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from itertools import pairwise
from queue import SimpleQueue
from random import Random

import pytest
from gpiozero.pins.mock import MockFactory

from companion.clock import Clock
from companion.errors import BadInput, HardwareUnavailable
from companion.game.box import BoxLook, Device, Light, Phase, Signal
from firmware.box import AGAIN_US as READ_AGAIN_US
from firmware.box import LATE_S, QUIET_US, Box, open_box
from firmware.buttons import Edge, TableButton
from firmware.buzzer import Buzzer
from firmware.conduct import STUCK_US
from firmware.debounce import AGAIN_US, LOST_US, SETTLE_US
from firmware.lights import Led, SeatLights, StatusLight
from firmware.panel import KEPT_STATES, PanelPin, panel_factory
from firmware.plan import BoxPlan, BuzzerKind, BuzzerPin, Pull, SeatPins, usual_plan
from firmware.show import RETRY_US, Show
from firmware.signs import load_signs
from tests.full_load import vision_at_full_load

SOON_S = 5.0  # a limit, never a pause
PLAN = usual_plan(4)


class StandingClock(Clock):
    """Table time that stands still until the test moves it."""

    def __init__(self, at_us: int = 0) -> None:
        super().__init__()
        self.at_us = at_us

    def now_us(self) -> int:
        return self.at_us


class Heard:
    """Signals as they come, to be waited for."""

    def __init__(self) -> None:
        self._signals: SimpleQueue[Signal] = SimpleQueue()

    def __call__(self, signal: Signal) -> None:
        self._signals.put(signal)

    def next(self) -> Signal:
        return self._signals.get(timeout=SOON_S)

    def is_empty(self) -> bool:
        return self._signals.empty()


@pytest.fixture
def heard():
    return Heard()


@pytest.fixture
def box(heard):
    with Box(PLAN, panel_factory(), heard, Clock()) as box:
        yield box


def pin(box, number):
    return box._factory.pin(number)


def led(box, name):
    return next(brightness for led, brightness, _ in box.panel.state().leds if led == name)


def eventually(condition):
    """Waits until it holds; a box has threads of its own."""
    until_s = time.monotonic() + SOON_S
    changed = threading.Event()
    while not condition():
        assert time.monotonic() < until_s, "it never came to be"
        changed.wait(0.001)


# presses


def test_a_press_says_which_seat_and_when(box, heard):
    before_us = Clock().now_us()
    box.panel.press("seat-2")
    signal = heard.next()
    assert (signal.device, signal.seat, signal.pressed) == (Device.SEAT, 2, True)
    assert before_us <= signal.at_us <= Clock().now_us()


@pytest.mark.parametrize("name", ["start", "undo", "confirm"])
def test_the_other_buttons_have_no_seat(box, heard, name):
    box.panel.press(name)
    signal = heard.next()
    assert (str(signal.device), signal.seat, signal.pressed) == (name, None, True)


def test_a_release_is_told_too(box, heard):
    box.panel.press("start")
    assert heard.next().pressed
    box.panel.release("start")
    assert not heard.next().pressed


def moves(box, seat, pressed, stamp_s):
    """The contact of a seat's button closes or opens, and a message of it comes with that stamp."""
    pin(box, box.plan.seats[seat - 1].button)._state = not pressed
    box._edges.put(Edge(f"seat-{seat}", pressed, stamp_s))


def taken(box):
    """All edges so far have been taken, and then it was quiet for a while."""
    eventually(box._edges.empty)
    pulse_s = box._pulse_s
    eventually(lambda: box._pulse_s != pulse_s)  # what was the last one in the queue has got its time
    box._clock.at_us += QUIET_US + SETTLE_US


def test_the_stamp_is_the_edge_and_not_the_moment_python_woke_up(heard):
    with Box(PLAN, panel_factory(), heard, StandingClock(7_000_000)) as box:
        pin(box, PLAN.seats[0].button)._state = False
        box._buttons["seat-1"]._on_change(6.25, 0)
        taken(box)
        assert heard.next() == Signal(Device.SEAT, True, 6_250_000, 1, ((True, 6_250_000),))


def test_the_raw_edges_around_a_press_come_with_it(heard):
    with Box(PLAN, panel_factory(), heard, StandingClock(7_000_000)) as box:
        pin(box, PLAN.seats[0].button)._state = False
        for stamp_s, level in ((6.25, 0), (6.2501, 1), (6.2505, 0), (6.2512, 1), (6.252, 0)):
            box._buttons["seat-1"]._on_change(stamp_s, level)
        taken(box)
        trace = heard.next().trace
    assert trace == ((True, 6_250_000), (False, 6_250_100), (True, 6_250_500), (False, 6_251_200), (True, 6_252_000))


def test_a_stamp_of_another_clock_is_not_believed(heard, caplog):
    with caplog.at_level(logging.WARNING), Box(PLAN, panel_factory(), heard, StandingClock(7_000_000)) as box:
        moves(box, 1, True, 1_790_000_000.0)
        taken(box)
        assert heard.next().at_us == 7_000_000
    assert "update the kernel" in caplog.text


def test_presses_are_told_in_the_order_of_their_stamps(heard):
    with Box(PLAN, panel_factory(), heard, StandingClock(5_000_000)) as box:
        for seat, stamp_s in ((3, 4.953), (2, 4.952), (4, 4.954), (1, 4.951)):  # lgpio may call in any order
            moves(box, seat, True, stamp_s)
        taken(box)
        assert [heard.next().seat for _ in range(4)] == [1, 2, 3, 4]


def test_where_messages_are_late_nothing_is_decided_before_those_under_way_have_come(heard):
    """A contact that breaks for 200 µs under a finger; the machine is so busy that messages are half a second late."""
    with Box(PLAN, panel_factory(), heard, StandingClock(5_000_000)) as box:
        moves(box, 1, True, 4.0)
        taken(box)
        assert heard.next().pressed
        box._clock.at_us = 6_000_000
        moves(box, 1, False, 5.5)
        eventually(box._edges.empty)
        box._clock.at_us += SETTLE_US + 1  # by now it would have come up, if that had been all
        moves(box, 1, True, 5.5002)
        taken(box)
        moves(box, 2, True, 6.01)
        taken(box)
        assert heard.next().seat == 2


def test_an_edge_that_was_lost_is_made_up_for_by_reading_the_level(heard):
    with Box(PLAN, panel_factory(), heard, StandingClock(5_000_000)) as box:
        moves(box, 1, True, 5.0)
        taken(box)
        assert heard.next().pressed
        pin(box, PLAN.seats[0].button)._state = True  # nobody says so
        box._clock.at_us += LOST_US
        eventually(lambda: box._contacts["seat-1"].missed_us is not None)
        box._clock.at_us += AGAIN_US
        eventually(lambda: box._contacts["seat-1"].missed_us is None)
        assert not heard.next().pressed


def test_the_order_is_right_at_a_millisecond_apart_while_the_processor_is_busy(heard):
    with busy():
        race_five(heard, 20)


def test_the_order_is_right_at_a_millisecond_apart_while_vision_reads_at_full_speed(heard):
    with vision_at_full_load() as pictures, busy():
        before = pictures()
        while pictures() < before + 2:  # it goes on reading while they race
            race_five(heard, 10)


def race_five(heard, times):
    """The real clock and threads: five presses 1 ms apart, their messages shuffled and late. Games decide by stamp."""
    messages_ms = ((2, 3), (1, 5), (4, 6), (3, 7), (0, 8))  # (stamp, earliest arrival)
    chance, pause = Random(1), threading.Event()
    with Box(usual_plan(5), panel_factory(), heard, Clock()) as box:
        for _ in range(times):
            began_s = time.monotonic()
            for stamp_ms, arrival_ms in messages_ms:
                while time.monotonic() - began_s < arrival_ms / 1_000:
                    pass
                moves(box, stamp_ms + 1, True, began_s + stamp_ms / 1_000)
            presses = sorted((heard.next() for _ in messages_ms), key=lambda press: press.at_us)
            assert [press.seat for press in presses] == [1, 2, 3, 4, 5]
            assert {later.at_us - one.at_us for one, later in pairwise(presses)} <= {999, 1_000, 1_001}
            pause.wait(chance.uniform(0.03, 0.06))  # Whatever is quicker, or keeps time, is no hand.
            for seat in range(1, 6):
                moves(box, seat, False, time.monotonic())
            assert sorted(heard.next().seat for _ in range(5)) == [1, 2, 3, 4, 5]
            pause.wait(chance.uniform(0.03, 0.06))


@contextmanager
def busy():
    """A process of its own on every processor that does nothing but reckon, and a thread of ours that does too."""
    done = threading.Event()

    def reckon():
        while not done.is_set():
            sum(range(1_000))

    command = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(command) for _ in range(os.cpu_count() or 1)]
    ours = threading.Thread(target=reckon)
    ours.start()
    try:
        yield
    finally:
        done.set()
        ours.join()
        for other in others:
            other.kill()
            other.wait()


def test_a_box_says_that_it_is_alive_until_it_is_closed(heard):
    box = Box(PLAN, panel_factory(), heard, Clock())
    assert not box.is_alive()
    with box:
        assert box.is_alive()
    assert not box.is_alive()


def test_a_box_that_takes_no_edges_any_more_is_not_alive(heard, monkeypatch):
    stands_still = threading.Event()
    with Box(PLAN, panel_factory(), lambda signal: stands_still.wait(SOON_S), Clock()) as box:
        box.panel.press("seat-1")
        eventually(lambda: not box._edges.empty() or box._contacts["seat-1"].pressed)
        later_s = time.monotonic() + 2 * LATE_S
        monkeypatch.setattr("firmware.box.time.monotonic", lambda: later_s)
        assert not box.is_alive()
        stands_still.set()


def unreadable(box, name, monkeypatch):
    """The pin of that button can be read no more, and how often that was tried."""
    tries = []

    def is_pressed():
        tries.append(name)
        raise OSError("bad GPIO handle")

    monkeypatch.setattr(box._buttons[name], "is_pressed", is_pressed)
    return tries


def test_a_pin_that_cannot_be_read_is_tried_once_a_second_and_the_box_is_not_alive(heard, monkeypatch, caplog):
    def plays(seat, pressed):
        moves(box, seat, pressed, box._clock.at_us / 1_000_000)
        eventually(lambda: box._contacts[f"seat-{seat}"].level == pressed)
        box._clock.at_us += SETTLE_US
        assert (heard.next().seat, heard.is_empty()) == (seat, True)

    with Box(PLAN, panel_factory(), heard, StandingClock(5_000_000)) as box:
        tries = unreadable(box, "seat-1", monkeypatch)
        moves(box, 1, True, 5.0)
        eventually(lambda: box._contacts["seat-1"].level)
        box._clock.at_us += SETTLE_US
        for times in (1, 2, 3):
            eventually(lambda times=times: len(tries) == times)
            plays(2, times % 2 == 1)  # whoever has another button plays on, and nothing is tried meanwhile
            assert len(tries) == times
            box._clock.at_us += READ_AGAIN_US
        later_s = time.monotonic() + 2 * LATE_S
        monkeypatch.setattr("firmware.box.time.monotonic", lambda: later_s)
        plays(3, True)
        assert not box.is_alive()
    assert caplog.text.count("Traceback") == 1


def test_a_press_whose_pin_can_be_read_again_counts_with_the_stamp_it_had(heard, monkeypatch):
    with Box(PLAN, panel_factory(), heard, StandingClock(5_000_000)) as box, monkeypatch.context() as broken:
        tries = unreadable(box, "seat-1", broken)
        moves(box, 1, True, 5.0)
        eventually(lambda: box._contacts["seat-1"].level)
        box._clock.at_us += SETTLE_US
        eventually(lambda: tries)
        broken.undo()
        pulse_s = box._pulse_s
        box._clock.at_us += READ_AGAIN_US
        assert heard.next() == Signal(Device.SEAT, True, 5_000_000, 1, ((True, 5_000_000),))
        eventually(lambda: box._pulse_s > pulse_s and box.is_alive())


def test_the_box_tells_which_buttons_are_held(box):
    assert box.pressed_buttons() == ()
    box.panel.press("seat-3")
    assert box.pressed_buttons() == ("seat-3",)


def test_a_button_held_when_the_box_opens_tells_nothing_until_it_is_let_go(heard):
    factory = panel_factory()
    with Box(PLAN, factory, heard, Clock()) as box:
        box.panel.press("seat-1")
        assert heard.next().pressed
    held = factory.pin(PLAN.seats[0].button)
    held._state = False
    held._set_pull = lambda value: None  # a finger is stronger than a pull-up
    with Box(PLAN, factory, heard, Clock()) as box:
        box.panel.release("seat-1")
        assert not heard.next().pressed
    assert heard.is_empty()


def test_buttons_may_pull_to_the_other_side(heard):
    plan = BoxPlan((SeatPins(17, 23), SeatPins(27, 24)), pull=Pull.DOWN)
    with Box(plan, panel_factory(), heard, Clock()) as box:
        box.panel.press("seat-1")
        assert heard.next().pressed


def test_a_listener_that_fails_leaves_the_buttons_alive(caplog):
    heard = SimpleQueue()

    def on_signal(signal):
        heard.put(signal)
        raise ValueError("the table did not expect this")

    with Box(PLAN, panel_factory(), on_signal, Clock()) as box:
        box.panel.press("seat-1")
        box.panel.press("seat-2")
        assert [heard.get(timeout=SOON_S).seat for _ in range(2)] == [1, 2]
    assert "could not be used" in caplog.text


def test_a_handler_never_raises_even_when_the_box_is_gone():
    button = TableButton("start", 10, Pull.UP, panel_factory(), SimpleQueue())
    button.close()
    button._on_change(1.0, 0)
    button.close()


# lights and sounds


@pytest.fixture
def stage():
    """A show whose clock and every step are the test's."""
    factory = panel_factory()
    seats = SeatLights((23, 24), factory)
    clock = StandingClock()
    buzzer = Buzzer(BuzzerPin(18), factory)
    show = Show(load_signs(), [seats, StatusLight(PLAN.status, factory), buzzer], clock, silent=False)
    return show, factory, clock, buzzer


def lit(factory, *pins):
    return [bool(factory.pin(number).state) for number in pins]


def test_seats_blink_in_phase_on_table_time(stage):
    show, factory, clock, _ = stage
    show.set_look(BoxLook(Phase.RUNNING, (Light.FAST, Light.FAST)))
    assert show.perform(clock.at_us) == 125_000
    assert lit(factory, 23, 24) == [True, True]
    assert show.perform(125_000) == 250_000
    assert lit(factory, 23, 24) == [False, False]


def test_a_seat_that_the_look_does_not_name_is_dark(stage):
    show, factory, _, _ = stage
    show.set_look(BoxLook(Phase.RUNNING, (Light.ON,)))
    show.perform(0)
    assert lit(factory, 23, 24) == [True, False]


def test_the_status_light_has_the_phase_in_colour(stage):
    show, factory, _, _ = stage
    show.set_look(BoxLook(Phase.PAUSED, ()))
    show.perform(0)
    assert lit(factory, 16, 20, 21) == [True, True, False]  # yellow


def test_the_halls_staff_ring_whatever_the_phase(stage):
    show, _, clock, buzzer = stage
    show.chime()
    show.perform(clock.now_us())
    assert buzzer.tone_hz == 1047
    show.set_silent(True)
    show.perform(clock.now_us())
    assert buzzer.tone_hz is None  # whoever keeps the box silent keeps it silent


def test_entering_a_phase_plays_its_tune_once(stage):
    show, _, clock, buzzer = stage
    show.set_look(BoxLook(Phase.WRONG, ()))
    assert show.perform(0) == 400_000
    assert buzzer.tone_hz == 220
    show.set_look(BoxLook(Phase.WRONG, (Light.ON,)))  # the same phase with other lights begins no new tune
    clock.at_us = 400_000
    show.perform(400_000)
    assert buzzer.tone_hz is None


@pytest.mark.parametrize("asides", [[Phase.WRONG], [Phase.ASK], [Phase.WRONG, Phase.ASK]])
def test_what_an_aside_interrupts_goes_on_and_does_not_sound_the_go_again(stage, asides):
    show, _, clock, buzzer = stage
    show.set_look(BoxLook(Phase.RUNNING, ()))
    show.perform(0)
    assert buzzer.tone_hz is not None  # go
    for second, phase in enumerate([*asides, Phase.RUNNING], start=30):
        clock.at_us = second * 1_000_000
        show.set_look(BoxLook(phase, ()))
    show.perform(clock.at_us)
    assert buzzer.tone_hz is None


def test_going_on_after_a_pause_sounds_the_go(stage):
    show, _, clock, buzzer = stage
    for second, phase in enumerate([Phase.RUNNING, Phase.PAUSED, Phase.RUNNING]):
        clock.at_us = second * 10_000_000
        show.set_look(BoxLook(phase, ()))
    show.perform(clock.at_us)
    assert buzzer.tone_hz is not None


def test_the_last_seconds_tick_once_a_second(stage):
    show, _, clock, buzzer = stage
    clock.at_us = 123_456
    show.set_look(BoxLook(Phase.LAST_SECONDS, ()))
    heard = []
    for ms in range(0, 3_000, 10):
        show.perform(123_456 + ms * 1_000)
        heard.append(buzzer.tone_hz is not None)
    starts = [n for n, (before, now) in enumerate(zip([False, *heard], heard, strict=False)) if now and not before]
    assert starts == [0, 100, 200]


def test_silent_mode_keeps_the_lights(stage):
    show, factory, _, buzzer = stage
    show.set_silent(True)
    show.set_look(BoxLook(Phase.WRONG, (Light.ON,)))
    show.perform(0)
    assert buzzer.tone_hz is None
    assert lit(factory, 23) == [True]


def test_an_active_buzzer_is_on_or_off():
    factory = panel_factory()
    buzzer = Buzzer(BuzzerPin(18, BuzzerKind.ACTIVE), factory)
    buzzer.play(880)
    assert factory.pin(18).state == 1
    buzzer.play(None)
    assert factory.pin(18).state == 0
    buzzer.close()


def test_a_passive_buzzer_plays_the_pitch_and_ends_low():
    factory = panel_factory()
    buzzer = Buzzer(BuzzerPin(18), factory)
    buzzer.play(880)
    assert (factory.pin(18).frequency, factory.pin(18).state) == (880, 0.5)
    buzzer.close()
    assert factory.pin(18).state == 0
    buzzer.close()


def test_a_buzzer_whose_pin_failed_is_silenced_at_the_next_try(monkeypatch):
    factory = panel_factory()
    buzzer = Buzzer(BuzzerPin(18), factory)
    buzzer.play(880)
    pin, failures = type(factory.pin(18)), [OSError("the chip is busy")]
    set_state = pin._set_state

    def fail_once(self, value):
        if failures:
            raise failures.pop()
        set_state(self, value)

    monkeypatch.setattr(pin, "_set_state", fail_once)
    with pytest.raises(OSError, match="busy"):
        buzzer.play(None)
    buzzer.play(None)
    assert (buzzer.tone_hz, factory.pin(18).state) == (None, 0)
    buzzer.close()


def test_the_box_shows_what_it_is_told(box):
    box.show(BoxLook(Phase.RUNNING, (Light.ON, Light.SLOW)))
    eventually(lambda: led(box, "seat-1") == 1.0 and led(box, "status-green") == 1.0)
    blinking = [(name, brightness) for name, brightness, blinks in box.panel.state().leds if blinks]
    assert blinking == [("seat-2", 1.0)]


def test_the_box_plays_what_it_is_told_and_can_be_silenced(box):
    box.show(BoxLook(Phase.WRONG, ()))
    eventually(lambda: box.panel.state().tone_hz == 220.0)
    box.set_silent(True)
    eventually(lambda: box.panel.state().tone_hz is None)


def test_every_change_worth_drawing_is_announced(heard):
    announced = threading.Semaphore(0)
    with Box(PLAN, panel_factory(), heard, Clock(), on_change=announced.release) as box:
        box.show(BoxLook(Phase.WRONG, ()))
        assert announced.acquire(timeout=SOON_S)  # the look
        assert announced.acquire(timeout=SOON_S)  # the tone
        box.panel.press("seat-1")
        assert announced.acquire(timeout=SOON_S)


def test_a_light_that_fails_does_not_end_the_show_for_the_others(caplog):
    class Broken:
        def show(self, moment):
            raise OSError("the pin is gone")

        def close(self):
            pass

    factory, clock = panel_factory(), StandingClock()
    show = Show(load_signs(), [Broken(), SeatLights((23, 24), factory)], clock, silent=False)
    show.set_look(BoxLook(Phase.RUNNING, (Light.ON,)))
    show.start()
    eventually(lambda: lit(factory, 23) == [True])
    show.stop()
    assert "Broken cannot be set" in caplog.text
    assert show.perform(clock.at_us) == clock.at_us + RETRY_US


def test_a_light_that_fails_is_told_once_and_again_when_it_works():
    told, factory, clock = [], panel_factory(), StandingClock()
    lights = SeatLights((23, 24), factory)
    show = Show(load_signs(), [lights], clock, silent=False, on_fault=lambda *news: told.append(news))
    works, lights.show = lights.show, lambda _moment: 1 // 0
    for _ in range(3):
        show.perform(clock.at_us)
    assert told == [("lights", "The lights at the seats can't be set. Check their wires.", True)]
    lights.show = works
    show.perform(clock.at_us)
    assert told[1:] == [("lights", "The lights work again.", False)]


def test_a_button_that_stays_down_is_told_and_an_unreadable_one(heard, monkeypatch):
    told = SimpleQueue()
    with Box(PLAN, panel_factory(), heard, StandingClock(), on_fault=lambda *news: told.put(news)) as box:
        moves(box, 1, True, 0.0)
        taken(box)
        assert heard.next().pressed
        box._clock.at_us += STUCK_US
        part, sentence, is_fault = told.get(timeout=SOON_S)
        assert (part, "is down all the time" in sentence, is_fault) == ("button seat-1", True, True)
        assert not heard.next().pressed
        unreadable(box, "seat-2", monkeypatch)
        moves(box, 2, True, box._clock.at_us / 1e6)
        eventually(lambda: box._contacts["seat-2"].level)
        box._clock.at_us += SETTLE_US
        assert told.get(timeout=SOON_S)[:2] == (
            "button seat-2",
            "The button “Seat 2” can't be read. Check its pin in table.toml, then restart the table.",
        )


# the life of a box


def test_closing_leaves_lights_dark_and_pins_free(heard):
    factory = panel_factory()
    box = Box(PLAN, factory, heard, Clock()).open()
    assert box.open() is box
    box.show(BoxLook(Phase.LAST_SECONDS, (Light.ON,) * 4))
    eventually(lambda: led(box, "seat-1") == 1.0)
    box.close()
    box.close()
    assert all(not pin.state for pin in (factory.pin(pins.led) for pins in PLAN.seats))
    assert not factory.pin(18).state
    with Box(PLAN, factory, heard, Clock()):
        pass


def test_no_thread_is_left_behind(heard):
    before = set(threading.enumerate())
    with Box(PLAN, panel_factory(), heard, Clock()) as box:
        box.panel.press("start")
        heard.next()
    assert set(threading.enumerate()) == before


def test_a_pin_in_use_is_one_sentence_and_frees_the_others(heard):
    factory = panel_factory()
    other_program = Led(PLAN.seats[3].button, factory)
    with pytest.raises(HardwareUnavailable, match="can't be opened") as refusal:
        Box(PLAN, factory, heard, Clock()).open()
    assert "\n" not in str(refusal.value)
    assert other_program is not None
    Led(PLAN.seats[0].led, factory).close()


def test_a_lamp_that_blinks_all_evening_does_not_fill_the_memory():
    factory = panel_factory()
    light = Led(23, factory)
    for step in range(1_000):
        light.set(step % 2 == 0)
    assert len(factory.pin(23).states) <= KEPT_STATES


def test_the_panel_knows_only_its_buttons(box):
    with pytest.raises(BadInput, match="no button 'seat-9'"):
        box.panel.press("seat-9")


def test_the_panel_shows_which_buttons_are_down(box):
    box.panel.press("undo")
    assert box.panel.state().pressed == ("undo",)
    assert box.panel.state().buttons[:4] == ("seat-1", "seat-2", "seat-3", "seat-4")


def test_a_simulated_box_needs_no_plan(heard):
    with open_box(None, True, Clock(), heard) as box:
        assert len(box.plan.seats) == 4
        assert isinstance(box._factory, MockFactory)
        assert isinstance(pin(box, 17), PanelPin)


def test_a_real_box_needs_a_plan(heard):
    with pytest.raises(HardwareUnavailable, match="companion init"):
        open_box(None, False, Clock(), heard)
