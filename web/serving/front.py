"""The ASGI application: runs the pages, a WSGI application, on threads.

A thread starts on a request when its body is there (`body`), and is free when the answer is made. So a device that
sends or reads slowly keeps no thread. An answer may offer an event stream, which then needs no thread either.

A device has a few requests answered at once, and the house a single one that takes long (COSTLY) and some whose bodies
are still coming. The others wait for their turn (`turns`), without a thread.

An answer without a length is made in pieces, each in its turn and once the device has taken the ones before. So it is
never in memory as a whole, and a device that takes it slowly keeps neither a thread nor a turn.
"""

import asyncio
import contextlib
import logging
import re
import sys
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeVar

from companion.errors import CompanionError
from companion.network.addresses import Network
from web.access.gate import PASSED_ON, PEER
from web.live.streams import OFFER, STREAMS, Offer, Streams
from web.serving.body import Body, Receive
from web.serving.connections import CONNECTION, Connection, device_of
from web.serving.proxies import believe
from web.serving.turns import Turns, TurnsOfDevices

THREADS = 64  # that answer requests; an open page keeps none
MOST_OF_ONE = 16  # requests of one device at once; a browser makes six
MOST_SENDING = 32  # whose bodies are still coming: each keeps a thread for as long as they take
MOST_SENDING_OF_ONE = 4
MOST_UNFINISHED = 4  # answers as long as a game that one device has not taken yet
KEPT_BYTES = 350_000  # that such an answer keeps in memory, at most, while its device does not take it
# as long as the game: two at once take twice the memory, many times that of their text, and no less time
LONG = re.compile(r"/(s|api/sessions)/[^/]+/(dice|export|history|history/list|result|result\.csv|result\.svg)")
COSTLY = (
    LONG,
    re.compile(r"/s/[^/]+/(correct/[^/]+/)?advice/[^/]+"),  # searched for
)
MOST_HEADERS = 100  # of one request
VERSIONS = ("1.0", "1.1")  # of HTTP

Scope = MutableMapping[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Headers = list[tuple[str, str]]
Pages = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
Pieces = Generator[bytes, None, None]
T = TypeVar("T")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Asked:
    """A request: its path, the device it came from, "" for this machine, and whether its body is still coming."""

    path: str
    device: str
    is_sending: bool


@dataclass(frozen=True)
class Answer:
    """An answer as far as it is made: its beginning, and the pieces that follow it, None where it is whole."""

    status: int
    headers: Headers
    content: bytes
    pieces: Pieces | None


class Front:
    """The ASGI application that uvicorn serves.

    proxies     whose headers about a request are believed
    """

    def __init__(self, pages: Pages, streams: Streams, proxies: Sequence[Network] = ()) -> None:
        self._pages, self._streams, self._proxies = pages, streams, proxies
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="requests")
        self._all = Turns(THREADS)  # so that the devices take turns at the threads, too
        self._of_device = TurnsOfDevices(MOST_OF_ONE)
        self._sending, self._sending_of_device = Turns(MOST_SENDING), TurnsOfDevices(MOST_SENDING_OF_ONE)
        self._unfinished = TurnsOfDevices(MOST_UNFINISHED)
        self._costly = [(paths, Turns(1)) for paths in COSTLY]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        connection: Connection = scope["state"][CONNECTION]
        await connection.drain()
        connection.on_head()
        try:
            if not is_acceptable(scope):
                await refuse(send)
            elif offer := await self._answer(scope, receive, send, connection):  # a call, so that the body is freed
                await self._streams.keep(offer, connection, receive, send)
        finally:
            connection.await_request()

    async def _answer(self, scope: Scope, receive: Receive, send: Send, connection: Connection) -> Offer | None:
        """Sends the pages' answer; returns the stream that they offer to follow it, if any."""
        body = Body(receive)
        await body.receive_ahead()
        if body.is_disconnected:
            await connection.lost
            return None
        environ = environment(scope, body) | {STREAMS: self._streams, PEER: connection.peer}
        believe(environ, self._proxies)
        device = device_of(environ["REMOTE_ADDR"]) if PASSED_ON in environ else connection.device
        asked = Asked(environ["PATH_INFO"], device, is_sending=not body.is_over)
        async with self._unfinished_turn(asked, connection) as has_turn:
            made = await self._in_turn(asked, connection, answer_of, self._pages, environ) if has_turn else None
            if made is None:
                return None
            offer: Offer | None = environ.get(OFFER)
            if offer:
                made.headers.append(("Connection", "close"))  # once the stream has ended
            encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in made.headers]
            await send({"type": "http.response.start", "status": made.status, "headers": encoded})
            is_whole = offer is None and made.pieces is None
            await send(
                {"type": "http.response.body", "body": made.content, "more_body": not is_whole or not body.is_over}
            )
            if is_whole and not body.is_over:  # Most likely it is too large.
                await self._receive_rest(body, connection)
                await send({"type": "http.response.body", "body": b""})
            if made.pieces is not None:
                await self._send_pieces(asked, made.pieces, send, connection)
        return offer

    async def _receive_rest(self, body: Body, connection: Connection) -> None:
        """Receives the rest of a body whose answer is sent; where too many connections are open, this one may go."""
        connection.await_request()
        connection.on_head()  # The body has a time limit of its own.
        await body.receive_rest()

    async def _send_pieces(self, asked: Asked, pieces: Pieces, send: Send, connection: Connection) -> None:
        """Sends the rest of an answer; breaks the connection off where no more of it can be made."""
        connection.kept = KEPT_BYTES
        try:
            while True:
                connection.await_request()  # starts the time limit for what the device has not taken
                await connection.drain()
                connection.on_head()
                if connection.lost.done():
                    return
                piece = await self._in_turn(asked, connection, next, pieces, b"")
                if piece is None:
                    return
                await send({"type": "http.response.body", "body": piece, "more_body": piece != b""})
                if not piece:
                    return
        except CompanionError as why:
            log.warning("An answer was broken off: %s", why)
            connection.abort()
            await connection.lost
        except Exception:
            connection.abort()  # uvicorn logs it and would end the answer as a whole one
            raise
        finally:
            connection.kept = 0
            await asyncio.get_running_loop().run_in_executor(self._threads, pieces.close)

    async def _in_turn(
        self, asked: Asked, connection: Connection, work: Callable[..., T], *arguments: object
    ) -> T | None:
        """What `work` gives on a thread, when it is this request's turn; None if the device disconnected before."""
        async with contextlib.AsyncExitStack() as kept:
            for turns in self._turns(asked):
                if not await kept.enter_async_context(turns.turn(asked.device, connection.lost)):
                    return None
            connection.on_request()
            return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    def _unfinished_turn(self, asked: Asked, connection: Connection) -> contextlib.AbstractAsyncContextManager[bool]:
        """A turn that lasts until a long answer has been sent, as in `Turns.turn`: each may hold a part of its game."""
        return self._unfinished.turn(asked.device if LONG.fullmatch(asked.path) else "", connection.lost)

    def _turns(self, asked: Asked) -> Iterator[Turns | TurnsOfDevices]:
        """The turns that a request waits for.

        First those of the house, as who waits for them holds up no other page. Who has them never waits long for those
        of the device, as no device has MOST_OF_ONE bodies that are still coming.
        """
        if asked.is_sending:
            yield self._sending_of_device
            yield self._sending
        for paths, turns in self._costly:
            if paths.fullmatch(asked.path):
                yield turns
        yield self._of_device
        yield self._all


def is_acceptable(scope: Scope) -> bool:
    """Whether a proxy would read the request as we do (a known version, one header for the length), and is short."""
    lengths = {name for name, _ in scope["headers"]} & {b"content-length", b"transfer-encoding"}
    return scope["http_version"] in VERSIONS and len(lengths) < 2 and len(scope["headers"]) <= MOST_HEADERS


async def refuse(send: Send) -> None:
    """Answers 400 with uvicorn's own words for an invalid request."""
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": HTTPStatus.BAD_REQUEST, "headers": headers})
    await send({"type": "http.response.body", "body": b"Invalid HTTP request received."})


def environment(scope: Scope, body: Body) -> dict[str, Any]:
    """The WSGI environment of a request (PEP 3333)."""
    path = scope["path"]
    if not path.startswith("/") and "://" in path:  # the whole address, as for a proxy (RFC 9112, 3.2.2)
        path = "/" + path.partition("://")[2].partition("/")[2]
    server, client = scope["server"], scope["client"]
    found: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": path.encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0] if client else "",
        "REMOTE_PORT": str(client[1]) if client else "",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body,
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
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
    started: list[tuple[str, Headers]] = []

    def start(status: str, headers: Headers, _error: object = None) -> None:
        started.append((status, headers))

    pieces = pieces_of(pages(environ, start))
    content = next(pieces, b"")
    status, headers = started[-1]
    is_whole = not content or OFFER in environ or any(name.lower() == "content-length" for name, _ in headers)
    if is_whole:
        content += b"".join(pieces)
    return Answer(int(status.partition(" ")[0]), headers, content, None if is_whole else pieces)


def pieces_of(chunks: Iterable[bytes]) -> Pieces:
    """What a WSGI application gives, without empty pieces; closes it in the end."""
    try:
        yield from filter(None, chunks)
    finally:
        getattr(chunks, "close", lambda: None)()
