"""Trying out the box: while somebody does, a button lights its own LED, and no press reaches a game."""

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from companion.game.box import BoxLook, Device, Light, Phase, Signal

TRIAL_US = 6_000_000  # A tablet that is laid aside must not keep the box.

# A button without an LED shows a phase instead, which tries out the status light and the tunes, too.
PHASES: Mapping[Device, Phase] = {Device.START: Phase.RUNNING, Device.UNDO: Phase.WRONG, Device.CONFIRM: Phase.OVER}
AT_REST = Phase.WAITING

MOST_SEATS = 8
Button = tuple[Device, int | None]
"""A device and its seat, None for a button that no seat has."""


@dataclass(frozen=True)
class TrialPresses:
    """The presses since the trial began: how often each button, and which buttons are down now."""

    counts: Mapping[Button, int]
    down: frozenset[Button]


class Trial:
    """A trial of the box, which lasts as long as a page keeps asking. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until_us: int | None = None
        self._counts: Counter[Button] = Counter()
        self._down: set[Button] = set()

    def watch(self, now_us: int) -> TrialPresses:
        """The presses so far; begins the trial, or prolongs it."""
        with self._lock:
            if not self._is_on(now_us):
                self._counts.clear()
                self._down.clear()
            self._until_us = now_us + TRIAL_US
            return TrialPresses(dict(self._counts), frozenset(self._down))

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

    def _is_on(self, now_us: int) -> bool:
        return self._until_us is not None and now_us < self._until_us
