"""The panel of a simulated box: presses its buttons and reads its lights by driving and reading mock pins."""

from collections import deque
from collections.abc import Callable
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPWMPin

from companion.demo.button_box import BoxState
from companion.errors import BadInput
from companion.words import _
from firmware.plan import BoxPlan, Pull

KEPT_STATES = 16  # Mock pins remember all earlier levels; a lamp that blinks all evening would fill the memory.
PI_4B = "c03115"


class PanelPin(MockPWMPin):  # type: ignore[misc]  # gpiozero has no types.
    """A mock pin that only remembers its last levels."""

    def clear_states(self) -> None:
        super().clear_states()
        self.states: Any = deque(self.states, maxlen=KEPT_STATES)


def panel_factory() -> MockFactory:
    """Mock pins, as those of a Pi 4."""
    return MockFactory(revision=PI_4B, pin_class=PanelPin)


class Panel:
    """The buttons, LEDs and buzzer of a box as a person sees and presses them.

    is_blinking     whether the LED of that name is meant to blink now
    on_change       called after a button was pressed or released
    """

    def __init__(
        self,
        plan: BoxPlan,
        factory: MockFactory,
        is_blinking: Callable[[str], bool],
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self._plan = plan
        self._factory = factory
        self._is_blinking = is_blinking
        self._on_change = on_change
        self._buttons = {name: pin for name, _, _, pin in plan.named_buttons()}

    def press(self, name: str) -> None:
        """Presses a button; raises BadInput if there is none of that name."""
        self._drive(name, high=self._plan.pull is Pull.DOWN)

    def release(self, name: str) -> None:
        """Releases a button; raises BadInput if there is none of that name."""
        self._drive(name, high=self._plan.pull is Pull.UP)

    def _drive(self, name: str, *, high: bool) -> None:
        if name not in self._buttons:
            raise BadInput(
                _("The box has no button {name!r}. It has {names}.", name=name, names=", ".join(self._buttons))
            )
        pin = self._factory.pin(self._buttons[name])
        if high:
            pin.drive_high()
        else:
            pin.drive_low()
        self._on_change()

    def state(self) -> BoxState:
        leds = {f"seat-{seat}": pins.led for seat, pins in enumerate(self._plan.seats, start=1)}
        if self._plan.status is not None:
            leds |= {
                "status-red": self._plan.status.red,
                "status-green": self._plan.status.green,
                "status-blue": self._plan.status.blue,
            }
        released = self._plan.pull is Pull.UP
        return BoxState(
            leds=tuple(self._led(name, pin) for name, pin in leds.items()),
            tone_hz=self._tone_hz(),
            buttons=tuple(self._buttons),
            pressed=tuple(name for name, pin in self._buttons.items() if bool(self._level(pin)) != released),
        )

    def _led(self, name: str, pin: int) -> tuple[str, float, bool]:
        return (name, 1.0, True) if self._is_blinking(name) else (name, self._level(pin), False)

    def _tone_hz(self) -> float | None:
        if self._plan.buzzer is None:
            return None
        pin = self._factory.pin(self._plan.buzzer.pin)
        return float(pin.frequency or 0) if pin.state else None

    def _level(self, pin: int) -> float:
        return float(self._factory.pin(pin).state)
