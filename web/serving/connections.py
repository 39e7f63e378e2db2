"""The open connections: their time limits, how many there may be, and https.

uvicorn's `H11Protocol` speaks HTTP. A `Connection` stands between it and the transport as soon as a connection is
accepted, so the time limits hold for a device that sends nothing, or a byte at a time, too; and what arrives is read
in turns (`parsing`), the bytes of TLS as well as those of HTTP.
"""

import asyncio
import contextlib
import socket
import ssl
import struct
from asyncio.sslproto import SSLProtocol
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import h11
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol

from companion.network.addresses import Network, network_of
from companion.network.peers import Grounds, peer_of
from web.serving.parsing import PIECE_BYTES, Reading
from web.serving.proxies import is_named

WAIT_S = 10.0  # for the whole head of the next request, or for a handshake
TAKEN_BYTES = 16_000  # of a long answer that a device must take in each WAIT_S
USER_TIMEOUT_S = 20.0  # of TCP: a device that acknowledges nothing for so long is asleep
TLS_SHUTDOWN_S = 3_600.0  # practically no limit: WAIT_S closes a connection that takes and sends nothing
SEND_BUFFER = 16_384  # bytes that the kernel keeps for a sleeping page, instead of megabytes
MOST = 2_000  # connections: a thousand streams, and as many requests
MOST_OF_ONE = 128  # connections of one device: its streams and what its browser keeps open
MOST_UNSENT = 64_000_000  # bytes of answers that no device has taken yet
MOST_UNREAD = 16_384  # bytes of a body that nobody has asked for yet; then no more of it is received
RESET = struct.pack("ii", 1, 0)  # the kernel tells the other side that the connection broke off (SO_LINGER)
CONNECTION = "connection"  # the key of the `Connection` in the state of a request

SSLProtocol.max_size = 16_384  # bytes that asyncio has ready for each connection; 256 kB times MOST is half a gigabyte


class Connections:
    """All open connections; used on the event loop alone.

    secure_port     the port of this machine that is encrypted by `tls`
    screen_user     the id of the user whose programs are the table's own screen, too
    proxies         those who speak for many devices, as this machine does
    """

    def __init__(
        self,
        secure_port: int | None = None,
        tls: ssl.SSLContext | None = None,
        screen_user: int | None = None,
        proxies: Sequence[Network] = (),
    ) -> None:
        self.screen_user, self._proxies = screen_user, proxies
        self._secure_port, self._tls = secure_port, tls
        self._open: dict[Connection, None] = {}  # oldest first
        self._by_device: dict[str, dict[Connection, None]] = {}  # the same, of each device
        self.reading = Reading()
        self.piece = memoryview(bytearray(PIECE_BYTES))  # where each connection receives, just before it is copied

    def protocol(self, **settings: Any) -> "Connection":
        """A new connection; `settings` are those that uvicorn gives to its own protocol."""
        return Connection(self, **settings)

    def add(self, new: "Connection") -> None:
        """Adds a connection. Where there are too many, closes the oldest that waits, or the new one if none does."""
        of_one = self._by_device.setdefault(new.device, {})
        if new.device and len(of_one) >= MOST_OF_ONE:
            next((one for one in of_one if one.is_waiting), new).abort()
        if len(self._open) >= MOST:
            next((one for one in self._open if one.is_waiting), new).abort()
        of_one[new] = self._open[new] = None

    def remove(self, old: "Connection") -> None:
        """Removes a closed connection."""
        if old in self._open:
            del self._open[old], self._by_device[old.device][old]
            if not self._by_device[old.device]:
                del self._by_device[old.device]

    def limit_unsent(self) -> None:
        """Closes connections until MOST_UNSENT holds: the oldest of the device with most unsent bytes first."""
        unsent = {one: size for one in self._open if (size := one.unsent)}
        while sum(unsent.values()) > MOST_UNSENT:
            by_device: Counter[str] = Counter()
            for one, size in unsent.items():
                by_device[one.device] += size
            slowest = max(by_device, key=by_device.__getitem__)
            oldest = next(one for one in unsent if one.device == slowest)
            del unsent[oldest]
            oldest.abort()

    def abort(self, *, waiting: bool) -> None:
        """Closes all connections; with `waiting` only those that wait for a request and have taken their answers."""
        for one in tuple(self._open):
            if not waiting or (one.is_waiting and not one.unsent):
                one.abort()

    def device_at(self, address: str) -> str:
        """The name under which connections from an address are counted: `device_of`, "" for a named proxy, too."""
        return "" if is_named(address, self._proxies) else device_of(address)

    def tls_at(self, port: int) -> ssl.SSLContext | None:
        """The TLS context for that port of this machine, None where connections are not encrypted."""
        return self._tls if port == self._secure_port else None


class Connection(asyncio.BufferedProtocol):
    """One open connection. It waits for a request as soon as it is accepted, and again after each answer.

    device      under which it is counted (`device_of`); "" for this machine and named proxies, which speak for many
    is_waiting  whether none of its requests is being answered
    kept        bytes of an answer that is made as it is taken, which wait in the program; until the answer is whole
    lost        a future that is done when the connection is closed
    peer        who holds the other end of a connection over loopback; called on the thread that answers. The kernel
                is asked once, when a request has come: by then a proxy has heard from whom it speaks for
    """

    peer: Callable[[], Grounds]

    def __init__(self, connections: Connections, **settings: Any) -> None:
        self._connections = connections
        self._http = H11Protocol(**settings | {"app_state": {CONNECTION: self}})
        self._loop = asyncio.get_running_loop()
        self.lost: asyncio.Future[None] = self._loop.create_future()
        self.device = ""
        self.kept = 0
        self.is_waiting = True
        self._timer: asyncio.TimerHandle | None = None
        self._received = bytearray()  # as it came
        self._text = bytearray()  # decrypted, and not read as HTTP yet
        self._is_due = False  # whether it waits for its turn to be read
        self._speaks_http = False
        self._handshake: asyncio.Task[None] | None = None
        self._tls: asyncio.BufferedProtocol | None = None  # asyncio's, which decrypts

    # called by Front and Streams

    def await_request(self) -> None:
        """Starts the time limit for the head of the next request."""
        self.is_waiting = True
        self._start_timer()
        if self.unsent:
            self._connections.limit_unsent()

    async def drain(self) -> None:
        """Waits until the answer to a pipelined request before this one has been taken; its time limit runs on."""
        await self._http.flow.drain()

    def on_head(self) -> None:
        """Stops the time limit: the head of a request is there, and its body has a limit of its own (`Body`)."""
        if self._timer:
            self._timer.cancel()

    def on_request(self) -> None:
        """Marks that a whole request is there, which is now answered."""
        self.is_waiting = False

    @property
    def unsent(self) -> int:
        """Bytes that the other side has not taken yet, without those in the kernel's buffer."""
        found = self._tcp.get_write_buffer_size() + self.kept
        return found if self._transport is self._tcp else found + self._transport.get_write_buffer_size()

    def shrink_buffer(self) -> None:
        """Makes the kernel's send buffer small."""
        set_option(self._tcp, socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)

    def abort(self) -> None:
        """Closes the connection at once; an answer that has no end yet is torn, as its end may be that of HTTP/1.0."""
        if self.kept:
            set_option(self._tcp, socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self._tcp.abort()

    # called by asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._tcp = self._transport = transport
        address, own = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        self.device = self._connections.device_at(address[0]) if address else ""
        self.peer = cache(partial(peer_of, (address or ("", 0))[:2], own[:2], self._connections.screen_user))
        set_option(self._tcp, socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        set_option(self._tcp, socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(USER_TIMEOUT_S * 1000))
        self._connections.add(self)
        self._start_timer()
        if tls := self._connections.tls_at(own[1]):
            transport.pause_reading()  # until TLS reads it
            self._handshake = self._loop.create_task(self._encrypt(tls))
        else:
            self._start_http()

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._connections.piece

    def buffer_updated(self, nbytes: int) -> None:
        self._received += self._connections.piece[:nbytes]
        self._tcp.pause_reading()  # the kernel keeps the rest
        self._await_turn()

    def eof_received(self) -> bool | None:
        return self._tls.eof_received() if self._tls else None

    def pause_writing(self) -> None:
        (self._tls or self._http).pause_writing()

    def resume_writing(self) -> None:
        (self._tls or self._http).resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.lost.done():  # TLS and TCP may both say so
            return
        self.lost.set_result(None)
        if self._timer:
            self._timer.cancel()
        self._connections.remove(self)
        if self._tls:
            self._tls.connection_lost(exc)
            self._transport = self._tcp  # asyncio's for TLS has nothing more to tell
        if self._speaks_http:
            self._http.connection_lost(exc)

    # called by Reading

    def read_piece(self) -> bool:
        """Reads a piece of what has arrived; returns whether there is another one."""
        if self._text and self._speaks_http:
            text = bytes(self._text[:PIECE_BYTES])
            del self._text[: len(text)]
            self._parse(text)
        elif received := bytes(self._received):
            self._received.clear()
            if self._tls:
                memoryview(self._tls.get_buffer(len(received)))[: len(received)] = received
                self._tls.buffer_updated(len(received))
            else:
                self._text += received
        self._is_due = bool(self._received or (self._text and self._speaks_http))
        self.receive_on()
        return self._is_due

    def receive_on(self) -> None:
        """Receives again, unless something waits to be read or nobody has asked for what was read."""
        if self._is_due or self._tcp.is_closing():
            return
        if self._speaks_http:
            cycle = self._http.cycle
            if self._http.flow.read_paused or (cycle and len(cycle.body) > MOST_UNREAD):
                return
        self._tcp.resume_reading()

    # called by Decrypted

    def decrypted(self, data: bytes) -> None:
        """Takes what TLS has decrypted."""
        self._text += data
        self._await_turn()

    def _await_turn(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._connections.reading.add(self)

    def _parse(self, text: bytes) -> None:
        if self._transport.is_closing():
            return
        try:
            self._http.data_received(text)
        except h11.LocalProtocolError:  # bytes that are no HTTP while an answer is sent: no 400 can be sent any more
            self.abort()

    async def _encrypt(self, tls: ssl.SSLContext) -> None:
        """Does the TLS handshake, then starts HTTP."""
        starting = self._loop.create_task(
            self._loop.start_tls(
                self._tcp,
                Decrypted(self.decrypted, self._http),
                tls,
                server_side=True,
                ssl_handshake_timeout=WAIT_S,
                ssl_shutdown_timeout=TLS_SHUTDOWN_S,
            )
        )
        await asyncio.sleep(0)  # meanwhile asyncio's protocol takes our place
        theirs = self._tcp.get_protocol()
        if theirs is not self:
            assert isinstance(theirs, asyncio.BufferedProtocol)
            self._tls = theirs
            self._tcp.set_protocol(self)  # so that it gets what has arrived in turns
        try:
            encrypted = await starting
        except OSError as error:  # it disconnected, was too slow, or does not trust our certificate
            self.connection_lost(error)
            return
        if encrypted is None or self._tcp.is_closing():
            self.connection_lost(None)
            return
        self._transport = encrypted
        self._start_http()

    def _start_http(self) -> None:
        self._speaks_http = True
        self._http.connection_made(self._transport)
        self._http.flow = Flow(self._transport, self.receive_on)
        if self._text:
            self._await_turn()

    def _start_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = self._loop.call_later(WAIT_S, self._on_timeout, self.unsent)

    def _on_timeout(self, unsent: int) -> None:
        """Closes the connection, unless the other side is still taking a long answer.

        unsent  bytes that it had not taken when the timer started
        """
        if unsent - self.unsent >= TAKEN_BYTES:
            self._start_timer()
        else:
            self.abort()


class Flow(FlowControl):
    """uvicorn's flow control of one connection, which also has the connection receive on."""

    def __init__(self, transport: asyncio.Transport, receive_on: Callable[[], None]) -> None:
        super().__init__(transport)
        self._receive_on = receive_on

    def resume_reading(self) -> None:
        super().resume_reading()
        self._receive_on()


class Decrypted(asyncio.Protocol):
    """What TLS tells of a connection: what it has decrypted, and whether HTTP may write more."""

    def __init__(self, take: Callable[[bytes], None], http: H11Protocol) -> None:
        self._take, self._http = take, http

    def data_received(self, data: bytes) -> None:
        self._take(data)

    def pause_writing(self) -> None:
        self._http.pause_writing()

    def resume_writing(self) -> None:
        self._http.resume_writing()


def set_option(transport: asyncio.Transport, level: int, option: int, value: int | bytes) -> None:
    """Sets an option of a connection's socket."""
    with contextlib.suppress(OSError):  # the other side may have disconnected already
        transport.get_extra_info("socket").setsockopt(level, option, value)


def device_of(address: str) -> str:
    """The name under which an address is counted: its `network_of`, "" for this machine."""
    device = network_of(address)
    return "" if device == "::1" or device.startswith("127.") else device
