"""A camera's view on a page: the vision process is asked to look for as long as the page asks for pictures."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from companion.clock import Clock

WATCHED_US = 3_000_000  # A page that sleeps must not keep the camera from the game.

Wish = TypeVar("Wish")
"""The command: what to look for, and until when."""
Message = TypeVar("Message")
"""The answer of the vision process."""


class LiveView(Generic[Wish, Message]):
    """The view while somebody looks. Thread-safe.

    send        takes commands for the vision process
    on_watched  called with whether somebody looks through the camera
    """

    def __init__(self, send: Callable[[object], None], clock: Clock, on_watched: Callable[[bool], None]) -> None:
        self._send = send
        self._clock = clock
        self._on_watched = on_watched
        self._view_lock = threading.Lock()
        self._wish: Wish | None = None
        self._until_us = 0
        self._message: Message | None = None
        self._message_us = 0

    def ask(self, wish: Callable[[int, Wish | None], Wish]) -> Message | None:
        """Looks for three more seconds; returns what was seen last, or None if nothing was yet.

        wish    (end in table time, earlier command) → the command
        """
        with self._view_lock:
            now_us = self._clock.now_us()
            self._until_us = now_us + WATCHED_US
            self._wish = wish(self._until_us, self._wish)
            self._send(self._wish)
            message = self._message if now_us - self._message_us < WATCHED_US else None
        self._on_watched(True)
        return message

    def change(self, change_: Callable[[Wish], Wish]) -> None:
        """Changes the command, if somebody looks."""
        with self._view_lock:
            if self._wish is not None:
                self._wish = change_(self._wish)
                self._send(self._wish)

    def newest(self) -> Message | None:
        """The newest message of the camera, or None while nobody looks."""
        with self._view_lock:
            return self._message

    def hear(self, message: Message) -> None:
        """Takes what the vision process has seen."""
        with self._view_lock:
            self._message, self._message_us = message, self._clock.now_us()

    def end_if_unwatched(self) -> None:
        """Ends the view when no page has asked for three seconds."""
        with self._view_lock:
            if self._wish is None or self._clock.now_us() <= self._until_us:
                return
            self._wish, self._message = None, None
        self._on_watched(False)
