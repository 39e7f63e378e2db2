"""The demo's button box: its buttons to press, its lights and its buzzer to look at."""

from dataclasses import dataclass
from typing import Protocol

from companion.errors import BadInput
from companion.words import _


@dataclass(frozen=True)
class BoxState:
    """All that can be seen and heard of the button box.

    leds        (name, brightness 0..1, whether it is blinking); a blinking one has the brightness of its lit moments
    tone_hz     pitch of the buzzer, None for silence
    buttons     the names of all buttons; `pressed` those that are down
    """

    leds: tuple[tuple[str, float, bool], ...]
    tone_hz: float | None
    buttons: tuple[str, ...]
    pressed: tuple[str, ...] = ()


class Panel(Protocol):
    """The panel of a simulated box, as a person presses and sees it; the firmware has one."""

    def press(self, name: str) -> None:
        """Presses the button."""
        ...

    def release(self, name: str) -> None:
        """Releases the button."""
        ...

    def state(self) -> BoxState:
        """The present state of the box."""
        ...


class Buttons:
    """The buttons of a simulated box. Methods raise BadInput if the table has none."""

    def __init__(self, panel: Panel | None) -> None:
        self.panel = panel  # It is set once the box is open.

    def press(self, name: str) -> None:
        """Presses a button of the box."""
        self._open_panel().press(name)

    def release(self, name: str) -> None:
        """Releases the button."""
        self._open_panel().release(name)

    def box_state(self) -> BoxState:
        """The present state of the box."""
        return self._open_panel().state()

    def _open_panel(self) -> Panel:
        if self.panel is None:
            raise BadInput(_("This table has no virtual button box. Press the real one."))
        return self.panel
