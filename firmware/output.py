"""The interface of all lights and the buzzer: each is set to how it must be at a moment, again and again."""

from dataclasses import dataclass
from typing import Protocol

from companion.game.box import BoxLook
from firmware.signs import PhaseSign, Signs


@dataclass(frozen=True)
class Moment:
    """All that decides how the box must look at one instant.

    look         the game's look
    entered_us   table time at which its phase began
    now_us       the instant, in table time
    silent       no tones
    rung_us      table time at which the hall's staff had the box ring last, None for never
    """

    signs: Signs
    look: BoxLook
    entered_us: int
    now_us: int
    silent: bool
    rung_us: int | None = None

    @property
    def sign(self) -> PhaseSign:
        return self.signs.phases[self.look.phase]


class Output(Protocol):
    """A light or the buzzer, off when opened and when closed."""

    def show(self, moment: Moment) -> int | None:
        """Sets its pins for that moment; returns the table time of its next change, or None for never."""

    def close(self) -> None:
        """Switches it off and releases its pins."""
