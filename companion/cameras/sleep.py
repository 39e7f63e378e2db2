"""The house sleeps once nobody has played for half an hour: cameras closed, lights out, until a tap or a press."""

import threading
import time
from collections.abc import Callable

from companion.journal.settings import SLEEPS
from companion.journal.store import Journal

AFTER_S = 1800.0


class Sleep:
    """Whether the house sleeps. Thread-safe.

    on_change   called with whether it sleeps now
    """

    def __init__(self, journal: Journal, on_change: Callable[[bool], object]) -> None:
        self.is_on = False
        self._journal = journal
        self._on_change = on_change
        self._stirred_s = time.monotonic()
        self._lock = threading.Lock()

    def stir(self) -> None:
        """Notes that somebody taps, presses or plays, which wakes the house."""
        self._stirred_s = time.monotonic()
        self._turn(False)

    def look(self) -> None:
        """Falls asleep if it is time, and people want that."""
        if self.is_on or time.monotonic() < self._stirred_s + AFTER_S:
            return
        if SLEEPS.of(self._journal):
            self._turn(True)
        else:
            self.stir()

    def _turn(self, is_on: bool) -> None:
        with self._lock:
            if self.is_on != is_on:
                self.is_on = is_on
                self._on_change(is_on)
