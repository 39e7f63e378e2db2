"""Lights: the seats' LEDs and the status light."""

from collections.abc import Sequence

from gpiozero import DigitalOutputDevice
from gpiozero.pins import Factory

from firmware.output import Moment
from firmware.plan import StatusPins
from firmware.signs import is_lit, next_blink_us


class Led:
    """One LED, off when opened and when closed."""

    def __init__(self, pin: int, factory: Factory) -> None:
        self._device = DigitalOutputDevice(pin, initial_value=False, pin_factory=factory)

    def set(self, lit: bool) -> None:
        """Switches the LED on or off; does not touch a pin that is right already."""
        if bool(self._device.value) != lit:
            self._device.value = lit

    def close(self) -> None:
        if not self._device.closed:
            self._device.value = False
            self._device.close()


def open_leds(pins: Sequence[int], factory: Factory) -> list[Led]:
    """An open LED for each pin; if one cannot be opened, the others are closed again."""
    leds: list[Led] = []
    try:
        for pin in pins:
            leds.append(Led(pin, factory))
    except BaseException:
        for led in leds:
            led.close()
        raise
    return leds


class SeatLights:
    """One LED a seat, in seat order. LEDs of seats that the look does not name are off."""

    def __init__(self, pins: Sequence[int], factory: Factory) -> None:
        self._leds = open_leds(pins, factory)

    def show(self, moment: Moment) -> int | None:
        """Sets each seat's LED as its light says; see `Output.show`."""
        blinks = [moment.signs.lights[light] for light in moment.look.lights[: len(self._leds)]]
        for led, blink in zip(self._leds, blinks, strict=False):
            led.set(is_lit(blink, moment.now_us))
        for led in self._leds[len(blinks) :]:
            led.set(False)
        changes_us = [next_blink_us(blink, moment.now_us) for blink in blinks]
        return min((at_us for at_us in changes_us if at_us is not None), default=None)

    def close(self) -> None:
        for led in self._leds:
            led.close()


class StatusLight:
    """Three LEDs in one cap: eight colours, black among them."""

    def __init__(self, pins: StatusPins, factory: Factory) -> None:
        self._leds = open_leds((pins.red, pins.green, pins.blue), factory)

    def show(self, moment: Moment) -> int | None:
        """Shows the phase's colour, with its blinking; see `Output.show`."""
        blink = moment.signs.lights[moment.sign.light]
        is_on = is_lit(blink, moment.now_us)
        for led, lit in zip(self._leds, moment.sign.status, strict=True):
            led.set(lit and is_on)
        return next_blink_us(blink, moment.now_us)

    def close(self) -> None:
        for led in self._leds:
            led.close()
