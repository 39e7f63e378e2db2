"""Lights: a seat's LED and the status light. They show what they are told; the blinking is done by `firmware.show`."""

from gpiozero import DigitalOutputDevice
from gpiozero.pins import Factory

from firmware.plan import StatusPins


class SeatLight:
    """One LED; dark when opened and dark when closed."""

    def __init__(self, pin: int, factory: Factory) -> None:
        self._device = DigitalOutputDevice(pin, initial_value=False, pin_factory=factory)

    def set(self, lit: bool) -> None:
        """Lights it or not; a pin that is right already is left alone."""
        if bool(self._device.value) != lit:
            self._device.value = lit

    def close(self) -> None:
        """Dark, then the pin is released."""
        if not self._device.closed:
            self._device.value = False
            self._device.close()


class StatusLight:
    """Three LEDs in one cap: eight colours, black among them."""

    def __init__(self, pins: StatusPins, factory: Factory) -> None:
        self._lights: list[SeatLight] = []
        try:
            for pin in (pins.red, pins.green, pins.blue):
                self._lights.append(SeatLight(pin, factory))
        except BaseException:
            self.close()
            raise

    def set(self, colour: tuple[bool, bool, bool]) -> None:
        """Shows a colour: red, green and blue on or off."""
        for light, lit in zip(self._lights, colour, strict=True):
            light.set(lit)

    def close(self) -> None:
        """Dark, then the pins are released."""
        for light in self._lights:
            light.close()
