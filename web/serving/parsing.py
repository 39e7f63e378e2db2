"""What arrives is read in small pieces, first of the device whose pieces have taken least time lately.

Reading takes the event loop's time, most of all TLS handshakes and bodies that come in one-byte chunks. So whoever
sends a lot of that waits, and who sends a usual request waits for one piece of somebody else's at most.
"""

import asyncio
import time
from collections import deque
from typing import Protocol

PIECE_BYTES = 4_096
SLICE_S = 0.005  # of reading, before the event loop sends answers and accepts connections
HALF_S, LITTLE_S = 1.0, 0.001  # after so long what pieces took counts half, and so little not at all


class Reader(Protocol):
    """A connection from which something has arrived; device is "" for this machine."""

    device: str

    def read_piece(self) -> bool:
        """Reads a piece; returns whether there is another one."""


class Reading:
    """The connections from which something has arrived that is not read yet; used on the event loop alone."""

    def __init__(self) -> None:
        self._waiting: dict[object, deque[Reader]] = {}  # device → its connections, in turn
        self._took_s: dict[object, float] = {}  # device → time that its pieces have taken, old ones halved
        self._halve_s = 0.0  # when they are halved again
        self._is_due = False

    def add(self, reader: Reader) -> None:
        """Adds a connection that is not in here; it is let go once it has no other piece."""
        whose = reader.device or reader  # a proxy on this machine speaks for many
        self._waiting.setdefault(whose, deque()).append(reader)
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._read)

    def _read(self) -> None:
        now_s = time.monotonic()
        until_s = now_s + SLICE_S
        if now_s >= self._halve_s:
            self._halve_s = now_s + HALF_S
            self._took_s = {whose: took_s / 2 for whose, took_s in self._took_s.items() if took_s > LITTLE_S}
        try:
            while self._waiting and now_s < until_s:
                now_s = self._read_next(now_s)
        finally:
            self._is_due = bool(self._waiting)
            if self._is_due:
                asyncio.get_running_loop().call_soon(self._read)

    def _read_next(self, now_s: float) -> float:
        """Reads one piece; returns the time then."""
        whose = min(self._waiting, key=lambda device: self._took_s.get(device, 0.0))
        others = self._waiting.pop(whose)
        reader = others.popleft()
        if others:
            self._waiting[whose] = others
        if reader.read_piece():
            self.add(reader)
        then_s = time.monotonic()
        self._took_s[whose] = self._took_s.get(whose, 0.0) + then_s - now_s
        return then_s
