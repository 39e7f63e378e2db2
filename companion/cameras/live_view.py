"""Somebody looks through a camera on a page: it is told so for as long as the page asks, and what it saw is kept."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from companion.clock import Clock

WATCHED_US = 3_000_000  # after the page's last question: one that sleeps must not keep the camera from the game

Wish = TypeVar("Wish")  # a command: what is looked for, and until when
Seen = TypeVar("Seen")  # what the vision process answers


class Looking(Generic[Wish, Seen]):
    """Safe from several threads.

    send    takes commands for the vision process
    told    hears whether somebody looks through the camera
    """

    def __init__(self, send: Callable[[object], None], clock: Clock, told: Callable[[bool], None]) -> None:
        self._send = send
        self._clock = clock
        self._told = told
        self._lock = threading.Lock()
        self._wish: Wish | None = None
        self._until_us = 0
        self._seen: Seen | None = None
        self._seen_us = 0

    def ask(self, wish: Callable[[int, Wish | None], Wish]) -> Seen | None:
        """Looks, and goes on for three seconds; what was seen last, None while nothing was yet.

        wish    (until when in table time, what was wished before) → what is wished now
        """
        with self._lock:
            now_us = self._clock.now_us()
            self._until_us = now_us + WATCHED_US
            self._wish = wish(self._until_us, self._wish)
            self._send(self._wish)
            seen = self._seen if now_us - self._seen_us < WATCHED_US else None
        self._told(True)
        return seen

    def change(self, changed: Callable[[Wish], Wish]) -> None:
        """What is wished becomes another; nothing where nobody looks."""
        with self._lock:
            if self._wish is not None:
                self._wish = changed(self._wish)
                self._send(self._wish)

    def newest(self) -> Seen | None:
        """What was seen last, None while nobody looks."""
        with self._lock:
            return self._seen

    def hear(self, seen: Seen) -> None:
        """The vision process has looked."""
        with self._lock:
            self._seen, self._seen_us = seen, self._clock.now_us()

    def end_if_unwatched(self) -> None:
        """Says so when nobody looks any more."""
        with self._lock:
            if self._wish is None or self._clock.now_us() <= self._until_us:
                return
            self._wish, self._seen = None, None
        self._told(False)
