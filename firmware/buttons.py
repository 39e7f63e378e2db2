"""Buttons: each change of a pin's level becomes an edge on a queue, with the kernel's stamp."""

from dataclasses import dataclass
from queue import SimpleQueue

from gpiozero import InputDevice
from gpiozero.pins import Factory

from firmware.plan import Pull


@dataclass(frozen=True)
class Edge:
    """A change of the level of a button's pin.

    name        of the button: "seat-1", "start", …
    stamp_s     its time, in seconds of the kernel's monotonic clock
    """

    name: str
    pressed: bool
    stamp_s: float


class TableButton:
    """One button, open from the moment it is made until `close`."""

    def __init__(self, name: str, pin: int, pull: Pull, factory: Factory, edges: "SimpleQueue[Edge | None]") -> None:
        self.name = name
        self._pressed_level = pull is Pull.DOWN
        self._edges = edges
        self._device = InputDevice(pin, pull_up=pull is Pull.UP, pin_factory=factory)
        self._device.pin.bounce = None  # The kernel's own debouncing would hide short taps and delay every stamp.
        self._device.pin.edges = "both"
        self._device.pin.when_changed = self._on_change

    def _on_change(self, stamp_s: float, level: int) -> None:
        # This runs on lgpio's only thread: an exception or a pause here would stop every button of the table.
        self._edges.put(Edge(self.name, bool(level) == self._pressed_level, stamp_s))

    def is_pressed(self) -> bool:
        """Whether the button is down right now, without debouncing."""
        return bool(self._device.pin.state) == self._pressed_level

    def close(self) -> None:
        if not self._device.closed:
            self._device.pin.when_changed = None
            self._device.close()
