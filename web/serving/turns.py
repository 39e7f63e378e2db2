"""Turns: what only so many may have at once, while the others wait. Devices take turns, each in its own order."""

import asyncio
import contextlib
import sys
from collections import Counter, deque
from collections.abc import AsyncIterator, Hashable


class Turns:
    """So many turns at once, and so many of one device; used on the event loop alone."""

    def __init__(self, most: int, of_one: int = sys.maxsize) -> None:
        self._free, self._of_one = most, of_one
        self._held: Counter[Hashable] = Counter()
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}  # of each device; the first one is next

    @contextlib.asynccontextmanager
    async def turn(self, device: Hashable, lost: asyncio.Future[None] | None = None) -> AsyncIterator[None]:
        """A turn of this device, waited for; "" speaks for many, and may have as many as there are.

        Raises ConnectionResetError if the device's connection is lost before.
        """
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.setdefault(device, deque()).append(turn)
        loop.call_soon(self._hand_out)  # not at once: who else has asked by then may come first
        try:
            await (asyncio.wait((turn, lost), return_when=asyncio.FIRST_COMPLETED) if lost else turn)
            if lost and lost.done():
                raise ConnectionResetError
            yield
        finally:
            if not (turn.cancel() or turn.cancelled()):  # it was handed out
                self._held -= Counter((device,))
                self._free += 1
                self._hand_out()

    def _hand_out(self) -> None:
        ready = (one for one in self._waiting if not one or self._held[one] < self._of_one)
        while self._free and (device := next(ready, None)) is not None:
            others = self._waiting.pop(device)
            turn = others.popleft()
            if others:
                self._waiting[device] = others  # behind the other devices
            if not turn.cancelled():
                turn.set_result(None)
                self._held[device] += 1
                self._free -= 1
            ready = (one for one in self._waiting if not one or self._held[one] < self._of_one)
