"""The pages on a thread of its own, with one event loop."""

import asyncio
import contextlib
import logging
import math
import socket
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial

from companion.periodic import PeriodicThread
from web.serving.connections import Connection, Connections
from web.serving.front import Front

BACKLOG = 4_096  # connections that wait to be accepted; the kernel lets one that finds no room wait a second
ACCEPTED = 32  # of them in one round of the event loop
BEAT_S, SILENT_S = 1.0, 15.0  # the event loop's heartbeat; without one for so long it hangs
END_S, ABORT_S = 1.5, 0.7  # for requests in progress, when the server stops; after that, for the aborted ones
MOST_FAILED = 4  # times in a row before the service ends, and is started again

log = logging.getLogger(__name__)


class PageServer:
    """Serves the pages from `start` to `stop`.

    sockets     bound already; the server closes them when it stops
    on_end      called when it has ended, on its own thread
    """

    def __init__(
        self, front: Front, connections: Connections, sockets: Sequence[socket.socket], on_end: Callable[[], None]
    ) -> None:
        self._front, self._connections, self._sockets, self._on_end = front, connections, sockets, on_end
        self._loop = asyncio.new_event_loop()
        self._is_ending = asyncio.Event()
        self._beat_s = 0.0
        self._started = threading.Event()
        self._serving: asyncio.Task[bool] | None = None
        self._thread = PeriodicThread("pages", self._serve_on, hung_s=math.inf, works=self._beats, is_needed=True)

    def start(self) -> None:
        """Starts the thread; returns when the event loop runs."""
        self._thread.start()
        self._started.wait()

    def stop(self) -> bool:
        """Stops serving; returns whether every request was finished in time."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._is_ending.set)
        self._thread.join(2 * (END_S + ABORT_S))
        self._thread.stop()
        self._front.close()
        return self._loop.is_closed()

    def _beats(self) -> bool:
        """Whether the event loop still turns."""
        return time.monotonic() - self._beat_s < SILENT_S

    def _serve_on(self) -> None:
        """Turns the event loop until the server ends. Where the loop itself has failed, its connections go on."""
        try:
            if self._serving is None or self._serving.done():
                self._serving = self._loop.create_task(self._serve())
            if self._loop.run_until_complete(self._serving):
                self._loop.close()
        except BaseException:
            if self._thread.in_a_row < MOST_FAILED and not self._is_ending.is_set():
                raise
            log.exception("the pages are not served any more")
        self._started.set()
        self._on_end()

    async def _serve(self) -> bool:
        """Serves until it ends; returns whether every request was finished in time."""
        connect = partial(Connection, self._connections, self._front)
        listening = [await self._loop.create_server(connect, sock=each, backlog=ACCEPTED) for each in self._sockets]
        for each in self._sockets:  # asyncio makes the kernel's backlog as short as its own
            each.listen(BACKLOG)
        while not self._is_ending.is_set():
            self._beat_s = time.monotonic()
            self._started.set()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._is_ending.wait(), BEAT_S)
        for server in listening:
            server.close()
        self._connections.is_ending = True
        for limit_s, is_first in ((END_S, True), (ABORT_S, False)):
            for one in tuple(self._connections.open):
                if not is_first or (one.is_waiting and not one.unsent):
                    one.abort()
            if going_on := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(going_on, timeout=limit_s)
        return len(asyncio.all_tasks()) == 1
