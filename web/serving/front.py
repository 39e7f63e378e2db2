"""The front of the pages, a WSGI application: runs them on threads, and sends their answers.

A thread starts on a request when its body is there, and is free when the answer is made, or the next piece of one
without a length. So who sends or takes slowly keeps no thread, and an event stream needs none.
"""

import asyncio
import contextlib
import logging
import re
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from email.utils import formatdate
from typing import Any
from urllib.parse import unquote_to_bytes

import h11

from companion.errors import CompanionError
from companion.network.addresses import Network, device_of
from web.access.gate import PASSED_ON, PEER
from web.access.proxies import believe
from web.live.streams import OFFER, STREAMS, Offer, Streams
from web.serving.body import Body
from web.serving.connections import Connection
from web.serving.turns import Turns
from web.serving.workers import Workers

THREADS = 64  # that answer requests; an open page keeps none
MOST_OF_ONE = 16  # requests of one device at once; a browser makes six
MOST_SENDING, MOST_SENDING_OF_ONE = 32, 4  # whose bodies are still coming: each keeps a thread for as long as they take
KEPT_BYTES = 350_000  # that an unfinished answer keeps in memory, at most, while its device does not take it
# as long as the game, or searched for: two at once take twice the memory and no less time
LONG = re.compile(r"/(s|api/sessions)/[^/]+/(dice|export|history|history/list|result|result\.csv|result\.svg)")
COSTLY = (LONG, re.compile(r"/s/[^/]+/(correct/[^/]+/)?advice/[^/]+"))
MOST_UNFINISHED = 4  # answers as long as a game that one device has not taken yet
MOST_HEADERS = 100  # of one request
VERSIONS = (b"1.0", b"1.1")  # of HTTP
CLOSE = ("Connection", "close")  # once the stream that follows has ended
FRAMING = (b"content-length", b"transfer-encoding")  # a request with a body has one of these headers

Headers = list[tuple[str, str]]
Pages = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
Pieces = Generator[bytes, None, None]
Answer = tuple[str, Headers, bytes, Pieces | None]  # (status, headers, beginning, the pieces that follow if any)

log = logging.getLogger(__name__)


class Front:
    """Has the pages answer the requests that come in.

    proxies     whose headers about a request are believed
    """

    def __init__(self, pages: Pages, streams: Streams, proxies: Sequence[Network] = ()) -> None:
        self._pages, self._streams, self._proxies = pages, streams, proxies
        self._threads = Workers("requests", THREADS)
        self._all = Turns(THREADS, MOST_OF_ONE)  # so that the devices take turns at the threads, too
        self._sending = Turns(MOST_SENDING, MOST_SENDING_OF_ONE)
        self._costly = [(paths, Turns(1)) for paths in COSTLY]
        self._unfinished = Turns(sys.maxsize, MOST_UNFINISHED)

    def close(self) -> None:
        """Ends the threads that have nothing to do any more."""
        self._threads.shutdown()

    async def __call__(self, connection: Connection, request: h11.Request) -> None:
        """Answers one request; raises RemoteProtocolError where a proxy may read it as another, or it is too long."""
        framing = [name for name, _ in request.headers if name in FRAMING]
        if request.http_version not in VERSIONS or len(framing) > 1 or len(request.headers) > MOST_HEADERS:
            raise h11.RemoteProtocolError("no request that we take")
        if offer := await self._answer(connection, request, Body(connection, is_over=not framing)):
            await self._streams.keep(offer, connection)  # by now the body is freed

    async def _answer(self, connection: Connection, request: h11.Request, body: Body) -> Offer | None:
        """Sends the pages' answer; returns the stream that they offer to follow it, if any."""
        await body.receive_ahead()
        environ = environment(request, connection, body) | {STREAMS: self._streams, PEER: connection.peer}
        believe(environ, self._proxies)
        device = device_of(environ["REMOTE_ADDR"]) if PASSED_ON in environ else connection.device
        turns = [self._all]
        for paths, costly in self._costly:
            if paths.fullmatch(environ["PATH_INFO"]):
                turns.insert(0, costly)  # Who waits for it holds up no other page.
        if not body.is_over:
            turns.insert(0, self._sending)

        async def in_turn(work: Callable[..., Any], *arguments: object) -> Any:
            async with contextlib.AsyncExitStack() as kept:
                for each in turns:
                    await kept.enter_async_context(each.turn(device, connection.lost))
                connection.is_waiting = False
                return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

        is_long = LONG.fullmatch(environ["PATH_INFO"])
        async with self._unfinished.turn(device if is_long else "", connection.lost):
            status, headers, content, pieces = await in_turn(answer_of, self._pages, environ)
            offer: Offer | None = environ.get(OFFER)
            headers += [("Date", formatdate(usegmt=True)), *([CLOSE] if offer else [])]
            code, _, reason = status.partition(" ")
            fields = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
            connection.send(h11.Response(status_code=int(code), headers=fields, reason=reason))
            is_unread = not (offer or pieces or body.is_over)  # Most likely it is too large.
            connection.send_piece(content, is_last=not (offer or pieces or is_unread))
            if is_unread:
                connection.is_waiting = True  # Where too many connections are open, this one may go.
                await body.receive_rest()
                connection.send(h11.EndOfMessage())
            try:
                while pieces and content:
                    connection.kept, connection.is_waiting = KEPT_BYTES, True
                    await connection.taken()
                    content = await in_turn(next, pieces, b"")
                    connection.send_piece(content, is_last=not content)
                connection.kept = 0
            except CompanionError as why:
                log.warning("An answer was broken off: %s", why)
                connection.abort()
            finally:
                if pieces:
                    await asyncio.get_running_loop().run_in_executor(self._threads, pieces.close)
        return offer


def environment(request: h11.Request, connection: Connection, body: Body) -> dict[str, Any]:
    """The WSGI environment of a request (PEP 3333)."""
    path, _, query = request.target.partition(b"?")
    if not path.startswith(b"/") and b"://" in path:  # the whole address, as for a proxy (RFC 9112, 3.2.2)
        path = b"/" + path.partition(b"://")[2].partition(b"/")[2]
    found: dict[str, Any] = {
        "REQUEST_METHOD": request.method.decode(),
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query.decode("latin-1"),
        "SERVER_NAME": connection.server[0],
        "SERVER_PORT": str(connection.server[1]),
        "SERVER_PROTOCOL": f"HTTP/{request.http_version.decode()}",
        "REMOTE_ADDR": connection.client[0],
        "REMOTE_PORT": str(connection.client[1]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "https" if connection.tls else "http",
        "wsgi.input": body,
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in request.headers:
        # X_Y would be taken for X-Y, and h11 has decoded the chunks already
        if b"_" in name or name == b"transfer-encoding":
            continue
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in ("CONTENT_LENGTH", "CONTENT_TYPE") else f"HTTP_{key}"
        text = value.decode("latin-1")
        found[key] = f"{found[key]},{text}" if key in found else text
    return found


def answer_of(pages: Pages, environ: dict[str, Any]) -> Answer:
    """The pages' answer: whole if it has a length, or if a stream follows it."""
    environ["wsgi.input"].begin()
    started: list[Any] = []

    def start(*told: Any) -> None:
        started[:] = told

    pieces = pieces_of(pages(environ, start))
    content = next(pieces, b"")
    status, headers = started[:2]
    is_whole = not content or OFFER in environ or any(name.lower() == "content-length" for name, _ in headers)
    if is_whole:
        content += b"".join(pieces)
    return status, headers, content, None if is_whole else pieces


def pieces_of(chunks: Iterable[bytes]) -> Pieces:
    """What a WSGI application gives, without empty pieces; closes it in the end."""
    try:
        yield from filter(None, chunks)
    finally:
        getattr(chunks, "close", lambda: None)()
