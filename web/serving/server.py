"""uvicorn, on a thread of its own: one event loop, which never waits for a page."""

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

BACKLOG = 128
KEEP_ALIVE_S = 3_600  # a `Connection` sees to that, and knows who is still busy with an answer
BEAT_S = 1  # between two signs of life of the loop
SILENT_S = 15.0  # a loop that gives none for so long hangs
END_S = 1.5  # for the answers that are under way
REST_S = 0.7  # then, for what was cut off

log = logging.getLogger(__name__)


class PageServer:
    """Serves from `start` to `stop`.

    sockets     bound; they are closed at the end
    on_end      called when it ends, on whichever thread
    """

    def __init__(
        self, front: Front, connections: Connections, sockets: Sequence[socket.socket], on_end: Callable[[], None]
    ) -> None:
        self._connections, self._sockets, self._on_end = connections, list(sockets), on_end
        self._server = uvicorn.Server(
            uvicorn.Config(
                front,
                interface="asgi3",
                http=connections.protocol,  # type: ignore[arg-type]  # whatever makes a protocol will do
                ws="none",
                lifespan="off",
                loop="asyncio",
                log_config=None,
                log_level="error",  # its warnings are of strangers who send no HTTP, and may ask for other protocols
                access_log=False,
                proxy_headers=False,
                server_header=False,
                backlog=BACKLOG,
                timeout_keep_alive=KEEP_ALIVE_S,
                callback_notify=self._beat,
                timeout_notify=0,
            )
        )
        self._loop = asyncio.new_event_loop()
        self._beat_s = 0.0
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pages", daemon=True)

    def start(self) -> None:
        """Begins, and returns when requests are taken."""
        self._thread.start()
        self._begun.wait()

    def is_alive(self) -> bool:
        """Whether the loop turns."""
        return self._thread.is_alive() and time.monotonic() - self._beat_s < SILENT_S

    def stop(self) -> bool:
        """Ends; whether every request was finished in time."""
        self._server.should_exit = True
        self._call(lambda: self._connections.abort(waiting=True))
        self._thread.join(END_S)
        if self._thread.is_alive():
            self._call(lambda: self._connections.abort(waiting=False))
            self._thread.join(REST_S)
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
            self._begun.set()
            self._on_end()

    async def _beat(self) -> None:
        self._beat_s = time.monotonic()
        self._begun.set()
