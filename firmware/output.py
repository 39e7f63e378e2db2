"""What every device that shows something has in common: it is asked how it must be at a moment, again and again."""

from dataclasses import dataclass
from typing import Protocol

from companion.game.box import BoxLook
from firmware.signs import PhaseSign, Signs


@dataclass(frozen=True)
class Moment:
    """How the box must look at one instant.

    look         what the game asks for
    entered_us   table time at which its phase began
    now_us       the instant, in table time
    silent       no tones
    """

    signs: Signs
    look: BoxLook
    entered_us: int
    now_us: int
    silent: bool

    @property
    def sign(self) -> PhaseSign:
        """How the phase shows itself."""
        return self.signs.phases[self.look.phase]


class Output(Protocol):
    """A light, the buzzer: opened on its pins, closed dark and silent."""

    def show(self, moment: Moment) -> int | None:
        """Sets its pins as they must be at that moment; the table time of its next change, None for never."""

    def close(self) -> None:
        """Dark and silent, then the pins are released."""
