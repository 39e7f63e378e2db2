"""A camera's view on a page: the vision process is asked to look for as long as the page asks for pictures."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from companion.clock import Clock

WATCHED_US = 3_000_000  # after the page's last request: a page that sleeps must not keep the camera from the game

Wish = TypeVar("Wish")  # the command: what to look for, and until when
Seen = TypeVar("Seen")  # the answer of the vision process


class Looking(Generic[Wish, Seen]):
    """The view while somebody looks. Thread-safe.

    send    takes commands for the vision process
    told    called with whether somebody looks through the camera
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
        """Looks for three more seconds; returns what was seen last, or None if nothing was yet.

        wish    (end in table time, earlier command) → the command
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
        """Changes the command, if somebody looks."""
        with self._lock:
            if self._wish is not None:
                self._wish = changed(self._wish)
                self._send(self._wish)

    def newest(self) -> Seen | None:
        """The newest message of the camera, or None while nobody looks."""
        with self._lock:
            return self._seen

    def hear(self, seen: Seen) -> None:
        """Takes what the vision process has seen."""
        with self._lock:
            self._seen, self._seen_us = seen, self._clock.now_us()

    def end_if_unwatched(self) -> None:
        """Ends the view when no page has asked for three seconds."""
        with self._lock:
            if self._wish is None or self._clock.now_us() <= self._until_us:
                return
            self._wish, self._seen = None, None
        self._told(False)
