"""The open connections: what comes and goes on each, their time limits, and how many there may be.

What arrives is read in small pieces, one in each round of the event loop, and devices take turns: handshakes and
bodies in one-byte chunks take the loop's time.
"""

import asyncio
import contextlib
import logging
import socket
import ssl
import struct
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from http import HTTPStatus

import h11

from companion.network.addresses import Network, device_of
from companion.network.peers import Grounds, Looker
from web.access.proxies import is_named
from web.serving.turns import Turns

WAIT_S = 10.0  # for the whole head of the next request, with the handshake before the first
TAKEN_BYTES = 16_000  # of a long answer that a device must take in each WAIT_S
USER_TIMEOUT_S = 20.0  # of TCP: a device that acknowledges nothing for so long is asleep
PIECE_BYTES = 4_096  # received at a time; the kernel keeps the rest
HEAD_BYTES = 16_384  # of the head of a request, of a chunk and of trailers: four times what browsers send
MOST = 2_000  # connections: a thousand streams, and as many requests
MOST_OF_ONE = 128  # connections of one device: its streams and what its browser keeps open
MOST_UNSENT = 64_000_000  # bytes of answers that no device has taken yet
RESET = struct.pack("ii", 1, 0)  # the kernel tells the other side that the connection broke off (SO_LINGER)

log = logging.getLogger(__name__)


@dataclass(eq=False)
class Connections:
    """All open connections; used on the event loop alone.

    secure_port     the port of this machine that is encrypted by `tls`
    looker          tells who holds the other end of those over loopback
    proxies         those who speak for many devices, as this machine does
    is_ending       whether a connection is closed once its request has been answered
    """

    secure_port: int | None = None
    tls: ssl.SSLContext | None = None
    looker: Looker = field(default_factory=Looker)
    proxies: Sequence[Network] = ()
    is_ending: bool = False
    open: dict["Connection", None] = field(default_factory=dict)  # oldest first
    reading: Turns = field(default_factory=lambda: Turns(1))
    piece: memoryview = field(default_factory=lambda: memoryview(bytearray(PIECE_BYTES)))  # where each one receives

    def add(self, new: "Connection") -> None:
        """Adds a connection. Where there are too many, closes the oldest that waits, or the new one if none does."""
        of_one = [one for one in self.open if one.device == new.device] if new.device else []
        for there, most in ((of_one, MOST_OF_ONE), (self.open, MOST)):
            if len(there) >= most:
                next((one for one in there if one.is_waiting), new).abort()
        self.open[new] = None

    def limit_unsent(self) -> None:
        """Closes connections until MOST_UNSENT holds: the oldest of the device with most unsent bytes first."""
        while True:
            unsent: Counter[str] = Counter()
            for one in self.open:
                unsent[one.device] += one.unsent
            if unsent.total() <= MOST_UNSENT:
                return
            slowest, _ = unsent.most_common(1)[0]
            next(one for one in self.open if one.device == slowest and one.unsent).abort()


class Connection(asyncio.BufferedProtocol):
    """One open connection.

    answer      answers a request of it
    device      under which it is counted (`device_of`); "" for this machine and named proxies, which speak for many
    http        where its requests and answers stand
    is_waiting  whether none of its requests is being answered
    kept        bytes of an answer that is made as it is taken, which wait in the program; until the answer is whole
    lost        a future that is done when the connection is closed
    peer        who holds the other end of a connection over loopback; called on the thread that answers. The kernel
                is asked once, when a request has come: by then a proxy has heard from whom it speaks for
    """

    peer: Callable[[], Grounds]

    def __init__(self, ours: Connections, answer: Callable[["Connection", h11.Request], Awaitable[None]]) -> None:
        self._ours, self._answer = ours, answer
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.http = h11.Connection(h11.SERVER, HEAD_BYTES)
        self.kept, self.is_waiting = 0, True
        self._received = b""  # and not read yet
        self._has_received, self._has_taken = asyncio.Event(), asyncio.Event()
        self._is_dry = True  # whether nothing more can be understood before more is received

    # called by Front, Body and Streams

    async def event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """The next part of a request; raises ConnectionError, SSLError or RemoteProtocolError where none can come."""
        while True:
            if self._is_dry:
                await self._has_received.wait()
            async with self._ours.reading.turn(self.device or id(self)):
                if self.lost.done():
                    raise ConnectionResetError
                if self._is_dry:
                    self._read()
                event = self.http.next_event()
            self._is_dry = event is h11.NEED_DATA
            if not self._is_dry:
                return event

    def send(self, *events: h11.Event) -> None:
        """Sends parts of an answer, and what TLS has to say by itself."""
        text = memoryview(b"".join(filter(None, map(self.http.send, events))))
        if self.tls:
            while text:
                text = text[self.tls.write(text) :]
            text = memoryview(self._encrypted.read())
        if text and not self._transport.is_closing():
            self._transport.write(text)

    def send_piece(self, content: bytes, *, is_last: bool) -> None:
        """Sends a piece of the body of an answer."""
        self.send(h11.Data(data=content), *([h11.EndOfMessage()] if is_last else ()))

    async def taken(self) -> None:
        """Waits until the device has taken all it was sent, or is lost; raises TimeoutError if it is too slow."""
        if self.unsent:
            self._ours.limit_unsent()
        while unsent := self._transport.get_write_buffer_size():
            try:
                async with asyncio.timeout(WAIT_S):
                    await self._has_taken.wait()
            except TimeoutError:
                if unsent - self._transport.get_write_buffer_size() < TAKEN_BYTES:
                    raise

    @property
    def unsent(self) -> int:
        """Bytes that the other side has not taken yet, without those in the kernel's buffer."""
        return self._transport.get_write_buffer_size() + self.kept

    def abort(self) -> None:
        """Closes the connection at once; an answer that has no end yet is torn, as its end may be that of HTTP/1.0."""
        if self.kept:
            self._set_option(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.kept, self.is_waiting = 0, False  # so that it is no more among those that may be closed
        self._transport.abort()

    # called by asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.set_write_buffer_limits(0)  # so that pause_writing and resume_writing say what has been taken
        self._transport = transport
        self.client: tuple[str, int] = (transport.get_extra_info("peername") or ("", 0))[:2]  # none if it has gone
        self.server: tuple[str, int] = transport.get_extra_info("sockname")[:2]
        named = self.client[0] and is_named(self.client[0], self._ours.proxies)
        self.device = "" if named else device_of(self.client[0])
        self.peer = cache(partial(self._ours.looker.peer_of, self.client, self.server))
        tls = self._ours.tls if self.server[1] == self._ours.secure_port else None
        self._to_decrypt, self._encrypted = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = tls and tls.wrap_bio(self._to_decrypt, self._encrypted, server_side=True)
        self._set_option(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._set_option(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(USER_TIMEOUT_S * 1000))
        self._ours.add(self)
        self._conversation = asyncio.get_running_loop().create_task(self._converse())

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._ours.piece

    def buffer_updated(self, nbytes: int) -> None:
        self._received += self._ours.piece[:nbytes]
        # The kernel keeps the rest. Below that it goes on, so that an end is noticed.
        if len(self._received) >= PIECE_BYTES:
            self._transport.pause_reading()
        self._has_received.set()

    def pause_writing(self) -> None:
        self._has_taken.clear()

    def resume_writing(self) -> None:
        self._has_taken.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost.set_result(None)
        self._has_received.set()
        self._has_taken.set()
        del self._ours.open[self]

    # what goes on

    async def _converse(self) -> None:
        """Has one request after the other answered."""
        try:
            try:
                while not self._ours.is_ending and self.http.our_state in (h11.IDLE, h11.DONE):
                    async with asyncio.timeout(WAIT_S):
                        request = await self._request()
                    await self._answer(self, request)
                    self.is_waiting = True
                    await self.taken()
            except h11.RemoteProtocolError:
                self._refuse(HTTPStatus.BAD_REQUEST, b"Invalid HTTP request received.")
            except OSError:
                raise
            except Exception:
                log.exception("A request was not answered.")
                self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, b"The companion could not answer.")
            if self.tls:
                with contextlib.suppress(ssl.SSLError):  # that the other side has not said farewell, too
                    self.tls.unwrap()
            self.send()
            await self.taken()
        except OSError:  # The device was too slow, has gone, or speaks no TLS.
            pass
        finally:
            self.abort()

    def _refuse(self, status: HTTPStatus, text: bytes) -> None:
        headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(text))), ("Connection", "close")]
        with contextlib.suppress(h11.LocalProtocolError):  # Part of an answer may have been sent already.
            self.send(h11.Response(status_code=status, headers=headers, reason=status.phrase))
            self.send_piece(text, is_last=True)

    async def _request(self) -> h11.Request:
        """The head of the next request; throws away what comes of a body before that."""
        while True:
            if self.http.our_state is self.http.their_state is h11.DONE:
                self.http.start_next_cycle()
            if isinstance(event := await self.event(), h11.Request):
                return event

    def _read(self) -> None:
        """Reads what was received, and receives on."""
        text, self._received = self._received, b""
        self._has_received.clear()
        self._transport.resume_reading()
        if self.tls:
            self._to_decrypt.write(text)
            text = b""
            with contextlib.suppress(ssl.SSLWantReadError):  # the handshake comes before the first text, by itself
                while more := self.tls.read(4 * PIECE_BYTES):
                    text += more
            self.send()
        if text:
            self.http.receive_data(text)

    def _set_option(self, level: int, option: int, value: int | bytes) -> None:
        with contextlib.suppress(OSError):  # the other side may have disconnected already
            self._transport.get_extra_info("socket").setsockopt(level, option, value)
