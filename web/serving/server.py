"""uvicorn on a thread of its own, with one event loop."""

import asyncio
import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable, Sequence

import uvicorn

from web.serving.connections import Connections
from web.serving.front import Front

BACKLOG = 4_096  # connections that wait to be accepted; the kernel lets one that finds no room wait a second
ACCEPTED = 32  # of them in one turn of the event loop
KEEP_ALIVE_S = 3_600  # practically never: `Connection` has the limit, for it knows whose answer is still being sent
HEAD_BYTES = 16_384  # of the head of a request, of a chunk and of trailers: four times what browsers send
SILENT_S = 15.0  # without a heartbeat of the event loop: it hangs
END_S = 1.5  # for requests in progress, when the server stops
ABORT_S = 0.7  # after that, for the aborted ones

log = logging.getLogger(__name__)


class PageServer:
    """Serves the pages from `start` to `stop`.

    sockets     bound already; the server closes them when it stops
    on_end      called when it has ended, on its own thread
    """

    def __init__(
        self, front: Front, connections: Connections, sockets: Sequence[socket.socket], on_end: Callable[[], None]
    ) -> None:
        self._connections, self._sockets, self._on_end = connections, list(sockets), on_end
        self._server = uvicorn.Server(
            uvicorn.Config(
                front,
                interface="asgi3",
                http=connections.protocol,  # type: ignore[arg-type]  # any factory of protocols will do
                ws="none",
                lifespan="off",
                loop="asyncio",
                log_config=None,
                log_level="error",  # it warns of every stranger that sends no HTTP or asks for another protocol
                access_log=False,
                proxy_headers=False,
                server_header=False,
                backlog=ACCEPTED,
                timeout_keep_alive=KEEP_ALIVE_S,
                callback_notify=self._beat,
                timeout_notify=0,
                h11_max_incomplete_event_size=HEAD_BYTES,
            )
        )
        self._loop = asyncio.new_event_loop()
        self._beat_s = 0.0
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pages", daemon=True)

    def start(self) -> None:
        """Starts the thread; returns when the event loop runs."""
        self._thread.start()
        self._started.wait()

    def is_alive(self) -> bool:
        """Whether the event loop still turns."""
        return self._thread.is_alive() and time.monotonic() - self._beat_s < SILENT_S

    def stop(self) -> bool:
        """Stops serving; returns whether every request was finished in time."""
        self._server.should_exit = True
        self._call(lambda: self._connections.abort(waiting=True))
        self._thread.join(END_S)
        if self._thread.is_alive():
            self._call(lambda: self._connections.abort(waiting=False))
            self._thread.join(ABORT_S)
        return not self._thread.is_alive()

    def _call(self, act: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(act)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._server.serve(self._sockets))
            self._loop.close()
        except BaseException:
            log.exception("the pages are not served any more")
        finally:
            self._started.set()
            self._on_end()

    async def _beat(self) -> None:
        self._beat_s = time.monotonic()
        if not self._started.is_set():
            for listening in self._sockets:  # asyncio makes the kernel's backlog as short as its own
                listening.listen(BACKLOG)
            self._started.set()
