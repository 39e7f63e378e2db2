"""The way of a request to the pages, which are a WSGI application on threads, and of the answer back (ASGI).

A thread is asked only once a request is there, body and all (`body`), and it is done once the answer is: neither who
sends slowly nor who reads slowly keeps one. An answer may offer a stream, which then goes on without a thread.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

from web.live.streams import OFFER, STREAMS, Offer, Streams
from web.serving.body import Body, Receive
from web.serving.connections import CONNECTION, Connection

THREADS = 64  # of requests; an open page keeps none
MOST_OF_ONE = 16  # requests of one device at once; a browser makes six
VERSIONS = ("1.0", "1.1")

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
        await connection.taken()
        connection.sends()
        try:
            if not is_http(scope):
                await refuse(send)
            elif offer := await self._answer(scope, receive, send, connection):  # by now its request is forgotten
                await self._streams.keep(offer, connection, receive, send)
        finally:
            connection.waits()

    async def _answer(self, scope: Scope, receive: Receive, send: Send, connection: Connection) -> Offer | None:
        """Sends what the pages say, and gives the stream that they offer to follow."""
        body = Body(receive)
        await body.begin()
        connection.asks()
        if body.is_broken_off:  # nobody is there to be answered
            await connection.lost
            return None
        device = connection.device
        if device and self._busy[device] >= MOST_OF_ONE:
            connection.abort()
            await connection.lost
            return None
        asked = environment(scope, body) | {STREAMS: self._streams}
        self._busy[device] += 1
        try:
            loop = asyncio.get_running_loop()
            status, headers, said = await loop.run_in_executor(self._threads, answer_of, self._pages, asked)
        finally:
            self._busy[device] -= 1
            if not self._busy[device]:
                del self._busy[device]
        offer: Offer | None = asked.get(OFFER)
        if offer:
            headers.append(("Connection", "close"))  # when the stream is over
        encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await send({"type": "http.response.start", "status": status, "headers": encoded})
        await send({"type": "http.response.body", "body": said, "more_body": offer is not None})
        return offer


def is_http(scope: Scope) -> bool:
    """Whether everybody on the way understands a request alike: of a version that we know, its length said once."""
    lengths = {name for name, _ in scope["headers"]} & {b"content-length", b"transfer-encoding"}
    return scope["http_version"] in VERSIONS and len(lengths) < 2


async def refuse(send: Send) -> None:
    """Says that this was no request of HTTP, as uvicorn does."""
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": HTTPStatus.BAD_REQUEST, "headers": headers})
    await send({"type": "http.response.body", "body": b"Invalid HTTP request received."})


def environment(scope: Scope, body: Body) -> dict[str, Any]:
    """A request as WSGI knows it (PEP 3333)."""
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
        if b"_" in name or name == b"transfer-encoding":  # the first would pass for another, h11 has seen to the second
            continue
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in ("CONTENT_LENGTH", "CONTENT_TYPE") else f"HTTP_{key}"
        text = value.decode("latin-1")
        found[key] = f"{found[key]},{text}" if key in found else text
    return found


def answer_of(pages: Pages, asked: dict[str, Any]) -> tuple[int, Headers, bytes]:
    """(status, headers, body) of the pages' answer."""
    started: list[tuple[str, Headers]] = []

    def start(status: str, headers: Headers, _error: object = None) -> None:
        started.append((status, headers))

    answered = pages(asked, start)
    try:
        body = b"".join(answered)
    finally:
        getattr(answered, "close", lambda: None)()
    status, headers = started[-1]
    return int(status.partition(" ")[0]), headers, body
