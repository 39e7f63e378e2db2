"""Trying the box out: what is pressed, what lights, and for how long."""

from companion.changes import Live
from companion.game.box import BoxLook, Device, Light, Phase, Signal
from companion.house.box_test import TRIAL_US, Trial
from companion.house.status import Status, StatusLine


def press(trial, device=Device.SEAT, seat=None, pressed=True):
    trial.hear(Signal(device, pressed, 0, seat))


def test_a_button_lights_its_own_led_while_it_is_held():
    trial = Trial(Status(Live()))
    trial.watch(0)
    press(trial, seat=2)
    assert trial.look(3) == BoxLook(Phase.WAITING, (Light.OFF, Light.ON, Light.OFF))
    press(trial, seat=2, pressed=False)
    assert trial.look(3) == BoxLook(Phase.WAITING, (Light.OFF,) * 3)


def test_buttons_without_an_led_show_themselves_in_the_status_light():
    trial = Trial(Status(Live()))
    trial.watch(0)
    press(trial, Device.UNDO)
    assert trial.look(2).phase is Phase.WRONG


def test_presses_are_counted():
    trial = Trial(Status(Live()))
    trial.watch(0)
    for _ in range(3):
        press(trial, seat=1)
        press(trial, seat=1, pressed=False)
    press(trial, Device.START)
    tried = trial.watch(1)
    assert tried.counts == {(Device.SEAT, 1): 3, (Device.START, None): 1}
    assert tried.down == {(Device.START, None)}


def test_it_ends_when_nobody_looks_any_more_and_begins_anew():
    trial = Trial(Status(Live()))
    assert not trial.is_on(0)
    trial.watch(0)
    press(trial, seat=1)
    assert trial.is_on(TRIAL_US - 1)
    assert not trial.is_on(TRIAL_US)
    assert trial.watch(TRIAL_US).counts == {}


def land(trial, *buttons):
    """Presses come, and go, from these seats."""
    for seat in buttons:
        press(trial, seat=seat)
        press(trial, seat=seat, pressed=False)


SEATS = tuple((Device.SEAT, seat) for seat in (1, 2, 3))


def test_it_asks_for_each_button_in_turn_and_tells_which_are_swapped():
    status = Status(Live())
    trial = Trial(status)
    assert trial.watch(0, SEATS).asked == (Device.SEAT, 1)
    land(trial, 2)
    tried = trial.watch(0, SEATS)
    assert (tried.asked, tried.instead) == ((Device.SEAT, 1), (Device.SEAT, 2))
    land(trial, 2, 1)
    assert "buttons" not in status.lines
    land(trial, 1)
    told = "The buttons “Seat 1” and “Seat 2” are swapped: swap their plugs, or their pins in table.toml."
    assert status.lines["buttons"] == StatusLine("warn", told)
    land(trial, 3)
    assert trial.watch(0, SEATS).asked is None
    assert "buttons" in status.lines
    trial.watch(TRIAL_US, SEATS)
    land(trial, 1, 2, 3)
    assert "buttons" not in status.lines


def test_whoever_presses_the_buttons_in_another_order_has_swapped_none():
    status = Status(Live())
    trial = Trial(status)
    trial.watch(0, SEATS)
    land(trial, 3, 2, 1, 3, 1, 2, 3)
    assert trial.watch(0, SEATS).asked is None
    assert "buttons" not in status.lines


def test_it_can_be_ended():
    trial = Trial(Status(Live()))
    trial.watch(0)
    trial.end()
    assert not trial.is_on(1)
