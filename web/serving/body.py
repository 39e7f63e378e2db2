"""The body of a request, read with a time limit."""

import asyncio
import contextlib
import io
from collections.abc import Awaitable, Callable
from typing import Any

from werkzeug.exceptions import ClientDisconnected, HTTPException, RequestTimeout

BODY_S = 10.0  # for a whole body, and a second more for each SLOWEST_BYTES_S that have arrived
SLOWEST_BYTES_S = 16_000
MOST_LEFT_BYTES, LEFT_S = 100_000_000, 60.0  # received of a body that was answered before it had come
AHEAD_BYTES = 16_384  # received before a thread starts on the answer; most bodies are shorter

Receive = Callable[[], Awaitable[Any]]


class Body(io.RawIOBase):
    """A request's body as a file: the event loop receives it through ASGI's `receive`, a thread reads it.

    is_over     whether nothing more of it will come
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._loop = asyncio.get_running_loop()
        self.begin()
        self._unread = bytearray()  # received, and not read yet
        self.is_over = False
        self._error: HTTPException | None = None  # why the body is not whole

    def begin(self) -> None:
        """Starts the time limit; once more where a body has waited for a thread, which is not its device's fault."""
        self._until_s = self._loop.time() + BODY_S

    async def receive_ahead(self) -> None:
        """Waits, on the event loop, for the whole body or its first AHEAD_BYTES."""
        while not self.is_over and len(self._unread) < AHEAD_BYTES:
            await self._receive_more()

    async def receive_rest(self) -> None:
        """Receives what nobody reads any more, within limits: a sender that is cut off never sees its answer."""
        left = MOST_LEFT_BYTES
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LEFT_S):
                while not self.is_over and left > 0:
                    await self._receive_more()
                    left -= len(self._unread)
                    self._unread.clear()

    @property
    def is_disconnected(self) -> bool:
        """Whether the device disconnected before it had sent the whole body."""
        return isinstance(self._error, ClientDisconnected)

    async def _receive_more(self) -> None:
        try:
            async with asyncio.timeout_at(self._until_s):
                message = await self._receive()
        except TimeoutError:
            self.is_over, self._error = True, RequestTimeout()
            return
        if message["type"] == "http.disconnect":
            self.is_over, self._error = True, ClientDisconnected()
            return
        data = message.get("body", b"")
        self._unread += data
        self._until_s += len(data) / SLOWEST_BYTES_S
        self.is_over = not message.get("more_body", False)

    # called on the thread that answers

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Waits for the next bytes; raises RequestTimeout or ClientDisconnected where the rest did not come."""
        while not (self._unread or self.is_over):
            asyncio.run_coroutine_threadsafe(self._receive_more(), self._loop).result()
        if not self._unread and self._error:
            raise self._error
        found = self._unread[: len(buffer)]
        buffer[: len(found)] = found
        del self._unread[: len(found)]
        return len(found)
