"""Turns: something that so many may have at once, while the others wait. Devices take turns, each in its own order."""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator


class Turns:
    """So many turns at once; used on the event loop alone."""

    def __init__(self, most: int) -> None:
        self._most = self._free = most
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}  # device → its requests; the first is next

    @property
    def is_idle(self) -> bool:
        """Whether nobody has a turn."""
        return self._free == self._most

    @contextlib.asynccontextmanager
    async def turn(self, device: str, lost: asyncio.Future[None]) -> AsyncIterator[bool]:
        """A turn of this device, waited for; False instead if its connection is lost before."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(device, deque()).append(turn)
        self._hand_out()
        try:
            if not turn.done():
                await asyncio.wait((turn, lost), return_when=asyncio.FIRST_COMPLETED)
            yield turn.done()
        finally:
            if turn.done():
                self._free += 1
                self._hand_out()
            else:
                self._forget(device, turn)

    def _hand_out(self) -> None:
        while self._free and self._waiting:
            device = next(iter(self._waiting))
            others = self._waiting.pop(device)
            others.popleft().set_result(None)
            self._free -= 1
            if others:
                self._waiting[device] = others  # behind the other devices

    def _forget(self, device: str, turn: asyncio.Future[None]) -> None:
        of_one = self._waiting[device]
        of_one.remove(turn)
        if not of_one:
            del self._waiting[device]


class TurnsOfDevices:
    """So many turns at once for each device; used on the event loop alone."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._turns: dict[str, Turns] = {}  # of devices that have a turn or wait for one

    @contextlib.asynccontextmanager
    async def turn(self, device: str, lost: asyncio.Future[None]) -> AsyncIterator[bool]:
        """As in `Turns`; at once for "", which speaks for many devices."""
        if not device:
            yield True
            return
        turns = self._turns.setdefault(device, Turns(self._most))
        try:
            async with turns.turn(device, lost) as has_turn:
                yield has_turn
        finally:
            if turns.is_idle:
                self._turns.pop(device, None)
