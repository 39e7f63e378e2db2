"""The buzzer: one tone at a time, or none."""

from collections.abc import Callable

from gpiozero import DigitalOutputDevice, PWMOutputDevice
from gpiozero.pins import Factory

from firmware.output import Moment
from firmware.plan import BuzzerKind, BuzzerPin
from firmware.signs import chime_at, tone_at

DUTY_CYCLE = 0.5  # A passive buzzer is loudest with it.


class Buzzer:
    """The buzzer: a passive one plays the given pitch, an active one its own. Silent when opened and closed.

    on_change   called after the tone has changed
    """

    def __init__(self, plan: BuzzerPin, factory: Factory, on_change: Callable[[], None] = lambda: None) -> None:
        self._on_change = on_change
        self._tone_hz: int | None = None
        self._device: PWMOutputDevice | DigitalOutputDevice
        if plan.kind is BuzzerKind.PASSIVE:
            self._device = PWMOutputDevice(plan.pin, initial_value=0, pin_factory=factory)
        else:
            self._device = DigitalOutputDevice(plan.pin, initial_value=False, pin_factory=factory)

    @property
    def tone_hz(self) -> int | None:
        """The pitch that sounds now, None for silence."""
        return self._tone_hz

    def show(self, moment: Moment) -> int | None:
        """Plays the note of the phase's tune that is due, or of the chime while it lasts; see `Output.show`."""
        rung = None if moment.rung_us is None else chime_at(moment.signs.chime, moment.rung_us, moment.now_us)
        tone_hz, until_us = rung or tone_at(moment.sign, moment.entered_us, moment.now_us)
        before_hz = self._tone_hz
        self.play(None if moment.silent else tone_hz)
        if self._tone_hz != before_hz:
            self._on_change()
        return until_us

    def play(self, tone_hz: int | None) -> None:
        """Plays a pitch until the next call; None for silence."""
        if tone_hz == self._tone_hz:
            return
        if tone_hz is not None and isinstance(self._device, PWMOutputDevice):
            self._device.frequency = tone_hz
        self._device.value = 0 if tone_hz is None else DUTY_CYCLE if isinstance(self._device, PWMOutputDevice) else 1
        self._tone_hz = tone_hz  # It comes last: a pin that failed is set again.

    def close(self) -> None:
        if self._device.closed:
            return
        self.play(None)
        if isinstance(self._device, PWMOutputDevice):
            # lgpio leaves the pin at its last level; a transistor that stays open hums and gets warm.
            self._device.frequency = None
            self._device.pin.state = 0
        self._device.close()
