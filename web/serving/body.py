"""The body of a request, read with a time limit."""

import asyncio
import contextlib
import io
from typing import Any

import h11
from werkzeug.exceptions import ClientDisconnected, HTTPException, RequestTimeout

from web.serving.connections import Connection

BODY_S = 10.0  # for a whole body, and a second more for each SLOWEST_BYTES_S that have arrived
SLOWEST_BYTES_S = 16_000
MOST_LEFT_BYTES, LEFT_S = 100_000_000, 60.0  # received of a body that was answered before it had come
AHEAD_BYTES = 16_384  # received before a thread starts on the answer; most bodies are shorter


class Body(io.RawIOBase):
    """A request's body as a file: the event loop receives it, a thread reads it.

    is_over     whether nothing more of it will come
    """

    def __init__(self, connection: Connection, *, is_over: bool) -> None:
        self._connection, self.is_over = connection, is_over
        self._loop = asyncio.get_running_loop()
        self.begin()
        self._unread = bytearray()  # received, and not read yet
        self._error: HTTPException | None = None  # why the body is not whole

    def begin(self) -> None:
        """Starts the time limit; once more where a body has waited for a thread, which is not its device's fault."""
        self._until_s = self._loop.time() + BODY_S

    async def receive_ahead(self) -> None:
        """Waits, on the event loop, for the whole body or its first AHEAD_BYTES; raises as `Connection.event`."""
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

    async def _receive_more(self) -> None:
        if self._connection.http.they_are_waiting_for_100_continue:
            self._connection.send(h11.InformationalResponse(status_code=100, headers=[], reason="Continue"))
        try:
            async with asyncio.timeout_at(self._until_s):
                event = await self._connection.event()
        except TimeoutError:
            self.is_over, self._error = True, RequestTimeout()
            return
        self.is_over = not isinstance(event, h11.Data)
        if isinstance(event, h11.Data):
            self._unread += event.data
            self._until_s += len(event.data) / SLOWEST_BYTES_S

    # called on the thread that answers

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Waits for the next bytes; raises RequestTimeout or ClientDisconnected where the rest did not come."""
        try:
            while not (self._unread or self.is_over):
                asyncio.run_coroutine_threadsafe(self._receive_more(), self._loop).result()
        except (OSError, h11.RemoteProtocolError):
            self.is_over, self._error = True, ClientDisconnected()
        if not self._unread and self._error:
            raise self._error
        found = self._unread[: len(buffer)]
        buffer[: len(found)] = found
        del self._unread[: len(found)]
        return len(found)
