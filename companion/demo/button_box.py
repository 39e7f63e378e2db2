"""The demo's button box: fingers on its buttons, eyes and ears for its lights and its buzzer."""

from dataclasses import dataclass
from typing import Protocol

from companion.errors import BadInput
from companion.words import _


@dataclass(frozen=True)
class BoxState:
    """What can be seen and heard of the button box.

    leds        (name, brightness 0..1, whether it is blinking); one that blinks has the brightness of its lit moments
    tone_hz     what the buzzer plays, None for silence
    buttons     the names of all buttons; `pressed` those that are down
    """

    leds: tuple[tuple[str, float, bool], ...]
    tone_hz: float | None
    buttons: tuple[str, ...]
    pressed: tuple[str, ...] = ()


class Panel(Protocol):
    """Fingers and eyes for a simulated box; the firmware has one."""

    def press(self, name: str) -> None:
        """A finger pushes the button down."""
        ...

    def release(self, name: str) -> None:
        """The finger lets it go."""
        ...

    def state(self) -> BoxState:
        """What can be seen and heard."""
        ...


class Buttons:
    """The buttons of a simulated box; BadInput where the table has none."""

    def __init__(self, panel: Panel | None) -> None:
        self.panel = panel  # where the box has been opened

    def press(self, name: str) -> None:
        """A finger pushes a button of the box down."""
        self._fingers().press(name)

    def release(self, name: str) -> None:
        """The finger lets it go."""
        self._fingers().release(name)

    def box_state(self) -> BoxState:
        """What can be seen and heard of the box."""
        return self._fingers().state()

    def _fingers(self) -> Panel:
        if self.panel is None:
            raise BadInput(_("This table has no simulated button box: press the real one."))
        return self.panel
