"""The ASGI application: runs the pages, a WSGI application, on threads.

A thread starts on a request when its body is there (`body`), and is free when the answer is made. So a device that
sends or reads slowly keeps no thread. An answer may offer an event stream, which then needs no thread either.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

from web.access.gate import OWN_PEER
from web.live.streams import OFFER, STREAMS, Offer, Streams
from web.serving.body import Body, Receive
from web.serving.connections import CONNECTION, Connection

THREADS = 64  # that answer requests; an open page keeps none
MOST_OF_ONE = 16  # requests of one device at once; a browser makes six
VERSIONS = ("1.0", "1.1")  # of HTTP

Scope = MutableMapping[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Headers = list[tuple[str, str]]
Pages = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Front:
    """The ASGI application that uvicorn serves."""

    def __init__(self, pages: Pages, streams: Streams) -> None:
        self._pages, self._streams = pages, streams
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="requests")
        self._busy: Counter[str] = Counter()  # device → its requests that have a thread or wait for one

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        connection: Connection = scope["state"][CONNECTION]
        await connection.drain()
        connection.on_head()
        try:
            if not is_unambiguous(scope):
                await refuse(send)
            elif offer := await self._answer(scope, receive, send, connection):  # a call, so that the body is freed
                await self._streams.keep(offer, connection, receive, send)
        finally:
            connection.await_request()

    async def _answer(self, scope: Scope, receive: Receive, send: Send, connection: Connection) -> Offer | None:
        """Sends the pages' answer; returns the stream that they offer to follow it, if any."""
        body = Body(receive)
        await body.receive_ahead()
        connection.on_request()
        if body.is_disconnected:
            await connection.lost
            return None
        device = connection.device
        if device and self._busy[device] >= MOST_OF_ONE:
            connection.abort()
            await connection.lost
            return None
        environ = environment(scope, body) | {STREAMS: self._streams, OWN_PEER: connection.is_own}
        self._busy[device] += 1
        try:
            loop = asyncio.get_running_loop()
            status, headers, content = await loop.run_in_executor(self._threads, answer_of, self._pages, environ)
        finally:
            self._busy[device] -= 1
            if not self._busy[device]:
                del self._busy[device]
        offer: Offer | None = environ.get(OFFER)
        if offer:
            headers.append(("Connection", "close"))  # once the stream has ended
        encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await send({"type": "http.response.start", "status": status, "headers": encoded})
        await send({"type": "http.response.body", "body": content, "more_body": offer is not None})
        return offer


def is_unambiguous(scope: Scope) -> bool:
    """Whether a proxy would read the request as we do: a known version of HTTP, and one header for the length."""
    lengths = {name for name, _ in scope["headers"]} & {b"content-length", b"transfer-encoding"}
    return scope["http_version"] in VERSIONS and len(lengths) < 2


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


def answer_of(pages: Pages, environ: dict[str, Any]) -> tuple[int, Headers, bytes]:
    """(status, headers, body) of the pages' answer."""
    started: list[tuple[str, Headers]] = []

    def start(status: str, headers: Headers, _error: object = None) -> None:
        started.append((status, headers))

    chunks = pages(environ, start)
    try:
        body = b"".join(chunks)
    finally:
        getattr(chunks, "close", lambda: None)()
    status, headers = started[-1]
    return int(status.partition(" ")[0]), headers, body
