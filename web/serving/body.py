"""The body of a request: it comes in good time, or whoever reads it hears why not."""

import asyncio
import io
from collections.abc import Awaitable, Callable
from typing import Any

from werkzeug.exceptions import ClientDisconnected, HTTPException, RequestTimeout

BODY_S = 10.0  # and as much longer as what has come takes at the slowest
SLOWEST_BYTES_S = 16_000
AHEAD_BYTES = 16_384  # of a body that must be there before a thread is asked to answer; most are shorter

Receive = Callable[[], Awaitable[Any]]


class Body(io.RawIOBase):
    """The body that `receive` of ASGI brings, as a file for a thread."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._loop = asyncio.get_running_loop()
        self._until_s = self._loop.time() + BODY_S
        self._came = bytearray()  # and not read yet
        self._is_over = False
        self._why: HTTPException | None = None  # there will be no more, though it is not whole

    async def begin(self) -> None:
        """Waits, on the event loop, for as much of it as must be there before a thread is needed."""
        while not self._is_over and len(self._came) < AHEAD_BYTES:
            await self._more()

    @property
    def is_broken_off(self) -> bool:
        """Whether the device went before it had sent all of it."""
        return isinstance(self._why, ClientDisconnected)

    async def _more(self) -> None:
        """Waits for more of it."""
        try:
            async with asyncio.timeout_at(self._until_s):
                message = await self._receive()
        except TimeoutError:
            self._is_over, self._why = True, RequestTimeout()
            return
        if message["type"] == "http.disconnect":
            self._is_over, self._why = True, ClientDisconnected()
            return
        data = message.get("body", b"")
        self._came += data
        self._until_s += len(data) / SLOWEST_BYTES_S
        self._is_over = not message.get("more_body", False)

    # for the thread

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Waits for the next bytes; raises the reason when there will be none though some are missing."""
        while not (self._came or self._is_over):
            asyncio.run_coroutine_threadsafe(self._more(), self._loop).result()
        if not self._came and self._why:
            raise self._why
        found = self._came[: len(buffer)]
        buffer[: len(found)] = found
        del self._came[: len(found)]
        return len(found)
