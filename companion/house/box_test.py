"""Trying out the box: while somebody does, a button lights its own LED, and no press reaches a game."""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.game.box import BoxLook, Device, Light, Phase, Signal, label_of
from companion.house.status import Status
from companion.words import _, listed

TRIAL_US = 6_000_000  # A tablet that is laid aside must not keep the box.

# A button without an LED shows a phase instead, which tries out the status light and the tunes, too.
PHASES: Mapping[Device, Phase] = {Device.START: Phase.RUNNING, Device.UNDO: Phase.WRONG, Device.CONFIRM: Phase.OVER}
AT_REST = Phase.WAITING

MOST_SEATS = 8
PART = "buttons"
Button = tuple[Device, int | None]
"""A device and its seat, None for a button that no seat has."""


@dataclass(frozen=True)
class TrialPresses:
    """The presses since the trial began: how often each button, and which buttons are down now.

    asked   the button to be pressed now, None once all have been
    instead the button that came in its place last
    """

    counts: Mapping[Button, int]
    down: frozenset[Button]
    asked: Button | None = None
    instead: Button | None = None


class Trial:
    """A trial of the box, which lasts as long as a page keeps asking. Thread-safe.

    It asks for each button in turn. One in whose place another one came is asked for once more, as people mistake
    buttons; if the same came again, and likewise the other way round, the status line says that they are swapped.
    """

    def __init__(self, status: Status) -> None:
        self._status = status
        self._buttons: Sequence[Button] = ()
        self._came: dict[Button, tuple[Button, ...]] = {}
        """The last two that came when a button was asked for."""
        self._lock = threading.Lock()
        self._until_us: int | None = None
        self._counts: Counter[Button] = Counter()
        self._down: set[Button] = set()

    def watch(self, now_us: int, buttons: Sequence[Button] = ()) -> TrialPresses:
        """The presses so far; begins the trial of these buttons, or prolongs it."""
        with self._lock:
            self._buttons = buttons
            if not self._is_on(now_us):
                self._came.clear()
                self._counts.clear()
                self._down.clear()
            self._until_us = now_us + TRIAL_US
            asked = self._asked()
            came = self._came.get(asked, ()) if asked else ()
            return TrialPresses(dict(self._counts), frozenset(self._down), asked, came[-1] if came else None)

    def is_on(self, now_us: int) -> bool:
        """Whether somebody is trying the box out at table time `now_us`."""
        with self._lock:
            return self._is_on(now_us)

    def end(self) -> None:
        with self._lock:
            self._until_us = None

    def hear(self, signal: Signal) -> None:
        """Records that a button went down or came up."""
        button = (signal.device, signal.seat)
        with self._lock:
            if signal.pressed:
                if asked := self._asked():
                    self._came[asked] = (*self._came.get(asked, ())[-1:], button)
                    self._tell_of_swapped()
                self._counts[button] += 1
                self._down.add(button)
            else:
                self._down.discard(button)

    def look(self, seats: int) -> BoxLook:
        """The look of the box: a lit LED at each seat whose button is down."""
        with self._lock:
            down = set(self._down)
        phase = next((phase for device, phase in PHASES.items() if (device, None) in down), AT_REST)
        lights = (Light.ON if (Device.SEAT, seat) in down else Light.OFF for seat in range(1, seats + 1))
        return BoxLook(phase, tuple(lights))

    def _asked(self) -> Button | None:
        """The first button of which it is not sure yet what comes when it is pressed."""
        return next((button for button in self._buttons if self._lands_at(button) is None), None)

    def _lands_at(self, button: Button) -> Button | None:
        """The button that comes when this one is pressed, None while that is not sure."""
        came = self._came.get(button, ())
        return came[-1] if came and (came[-1] == button or came[:-1] == came[1:] != ()) else None

    def _tell_of_swapped(self) -> None:
        lands = {button: self._lands_at(button) for button in self._buttons}
        wrong = {button for button, at in lands.items() if at not in (None, button)}
        if swapped := [button for button in self._buttons if button in wrong and lands[button] in wrong]:
            names = listed(_("“{button}”", button=label_of(*button)) for button in swapped)
            text = _("The buttons {names} are swapped: swap their plugs, or their pins in table.toml.", names=names)
            self._status.set(PART, "warn", text)
        elif None not in lands.values():
            self._status.clear(PART)

    def _is_on(self, now_us: int) -> bool:
        return self._until_us is not None and now_us < self._until_us
