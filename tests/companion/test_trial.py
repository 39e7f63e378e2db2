"""Trying the box out: what is pressed, what lights, and for how long."""

from companion.game.box import BoxLook, Device, Light, Phase, Signal
from companion.house.box_test import TRIAL_US, Trial


def press(trial, device=Device.SEAT, seat=None, pressed=True):
    trial.hear(Signal(device, pressed, 0, seat))


def test_a_button_lights_its_own_led_while_it_is_held():
    trial = Trial()
    trial.watch(0)
    press(trial, seat=2)
    assert trial.look(3) == BoxLook(Phase.WAITING, (Light.OFF, Light.ON, Light.OFF))
    press(trial, seat=2, pressed=False)
    assert trial.look(3) == BoxLook(Phase.WAITING, (Light.OFF,) * 3)


def test_buttons_without_an_led_show_themselves_in_the_status_light():
    trial = Trial()
    trial.watch(0)
    press(trial, Device.UNDO)
    assert trial.look(2).phase is Phase.WRONG


def test_presses_are_counted():
    trial = Trial()
    trial.watch(0)
    for _ in range(3):
        press(trial, seat=1)
        press(trial, seat=1, pressed=False)
    press(trial, Device.START)
    tried = trial.watch(1)
    assert tried.counts == {(Device.SEAT, 1): 3, (Device.START, None): 1}
    assert tried.down == {(Device.START, None)}


def test_it_ends_when_nobody_looks_any_more_and_begins_anew():
    trial = Trial()
    assert not trial.is_on(0)
    trial.watch(0)
    press(trial, seat=1)
    assert trial.is_on(TRIAL_US - 1)
    assert not trial.is_on(TRIAL_US)
    assert trial.watch(TRIAL_US).counts == {}


def test_it_can_be_ended():
    trial = Trial()
    trial.watch(0)
    trial.end()
    assert not trial.is_on(1)
