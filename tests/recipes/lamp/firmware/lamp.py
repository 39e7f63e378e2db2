"""A lamp over the table, lit while a round runs."""

from gpiozero.pins import Factory

from companion.game.box import Phase
from firmware.lights import Led
from firmware.output import Moment


class Lamp:
    """Dark when opened and when closed."""

    def __init__(self, pin: int, factory: Factory) -> None:
        self._led = Led(pin, factory)

    def show(self, moment: Moment) -> int | None:
        """Lit while the clock runs."""
        self._led.set(moment.look.phase in (Phase.RUNNING, Phase.LAST_SECONDS))
        return None

    def close(self) -> None:
        """Dark, then the pin is released."""
        self._led.close()
