"""Every open connection: how long it may take to ask for something, how many there may be, and https.

uvicorn's `H11Protocol` speaks HTTP. A `Connection` stands between it and the transport, from the moment at which the
connection was accepted: a device that says nothing, or a byte at a time, has no request yet and costs no thread.
"""

import asyncio
import contextlib
import ipaddress
import socket
import ssl
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

WAIT_S = 10.0  # for the whole head of the next request, or for a handshake
TAKEN_BYTES = 16_000  # of a long answer, again and again within that time
ASLEEP_S = 20.0  # a device that takes nothing for so long sleeps
FAREWELL_S = 3_600.0  # to end an encryption: who takes no answer or says no word meanwhile is cut off within WAIT_S
SEND_BUFFER = 16_384  # bytes that the kernel keeps for a sleeping page, instead of megabytes
MOST = 2_000  # connections: a thousand streams, and as many that ask
MOST_OF_ONE = 128  # of one device: its streams and what its browser keeps open
MOST_UNSENT = 64_000_000  # bytes of answers that nobody has taken yet
CONNECTION = "connection"  # in the state of each request


class Connections:
    """All that are open; belongs to the event loop.

    secure_port     the port of this machine where connections are encrypted, with `tls`
    """

    def __init__(self, secure_port: int | None = None, tls: ssl.SSLContext | None = None) -> None:
        self._secure_port, self._tls = secure_port, tls
        self._open: dict[Connection, None] = {}  # in the order in which they came

    def protocol(self, **uvicorns: Any) -> "Connection":
        """A new connection, made as uvicorn makes its protocol."""
        return Connection(self, **uvicorns)

    def add(self, new: "Connection") -> None:
        """One more; where there are too many, the oldest one that waits goes, or the new one where none does."""
        of_one = [one for one in self._open if one.device == new.device]
        for others, most in ((of_one if new.device else [], MOST_OF_ONE), (list(self._open), MOST)):
            if len(others) >= most:
                next((one for one in others if one.is_waiting), new).abort()
        self._open[new] = None

    def remove(self, old: "Connection") -> None:
        """One less."""
        self._open.pop(old, None)

    def bound(self) -> None:
        """Where too much waits to be taken, the device that lets most of it wait loses its oldest connections."""
        unsent = {one: size for one in self._open if (size := one.unsent)}
        while sum(unsent.values()) > MOST_UNSENT:
            of_devices: Counter[str] = Counter()
            for one, size in unsent.items():
                of_devices[one.device] += size
            slowest = max(of_devices, key=of_devices.__getitem__)
            oldest = next(one for one in unsent if one.device == slowest)
            del unsent[oldest]
            oldest.abort()

    def abort(self, *, waiting: bool) -> None:
        """Closes all, or only those that wait and have taken their answers."""
        for one in tuple(self._open):
            if not waiting or (one.is_waiting and not one.unsent):
                one.abort()

    def tls_at(self, port: int) -> ssl.SSLContext | None:
        """The TLS context for connections to that port of this machine."""
        return self._tls if port == self._secure_port else None


class Connection(asyncio.Protocol):
    """One of them. It waits for a request from its first moment on, and again after each answer.

    device      the address it comes from; "" for this machine, where a proxy speaks for many
    is_waiting  whether no whole request of it is there to be answered
    lost        is done when it is closed
    """

    def __init__(self, connections: Connections, **uvicorns: Any) -> None:
        self._connections = connections
        self._http = H11Protocol(**uvicorns | {"app_state": {CONNECTION: self}})
        self._loop = asyncio.get_running_loop()
        self.lost = self._loop.create_future()
        self.device = ""
        self.is_waiting = True
        self._timer: asyncio.TimerHandle | None = None
        self._early: bytearray | None = bytearray()  # what comes before HTTP is spoken, None from then on
        self._encrypting: asyncio.Task[None] | None = None

    # what the front and the streams want of it

    def waits(self) -> None:
        """The next request may come, in good time."""
        self.is_waiting = True
        self._give_time()
        if self.unsent:
            self._connections.bound()

    async def taken(self) -> None:
        """Waits until the other side has taken the answer before, in good time: it may have asked ahead."""
        await self._http.flow.drain()

    def sends(self) -> None:
        """A request comes, whose body has a time of its own."""
        if self._timer:
            self._timer.cancel()

    def asks(self) -> None:
        """A whole request is there."""
        self.is_waiting = False

    @property
    def unsent(self) -> int:
        """Bytes that the other side has not taken yet, without those that the kernel keeps for it."""
        found = self._plain.get_write_buffer_size()
        return found if self._line is self._plain else found + self._line.get_write_buffer_size()

    def hold_little(self) -> None:
        """From now on the kernel keeps little for it."""
        self._set(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)

    def abort(self) -> None:
        """Closes it at once."""
        self._line.abort()

    # what asyncio tells it

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._plain = self._line = transport
        address, own = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        self.device = device_of(address[0]) if address else ""
        self._set(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._set(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(ASLEEP_S * 1000))
        self._connections.add(self)
        self._give_time()
        if tls := self._connections.tls_at(own[1]):
            transport.pause_reading()  # until there is somebody who understands it
            self._encrypting = self._loop.create_task(self._encrypt(tls))
        else:
            self._begin()

    def data_received(self, data: bytes) -> None:
        if self._early is not None:
            self._early += data
            return
        try:
            self._http.data_received(data)
        except h11.LocalProtocolError:  # no HTTP, in the midst of an answer: it cannot be told any more
            self.abort()

    def eof_received(self) -> None:
        if self._early is None:
            self._http.eof_received()

    def pause_writing(self) -> None:
        if self._early is None:
            self._http.pause_writing()

    def resume_writing(self) -> None:
        if self._early is None:
            self._http.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self.sends()  # nothing is waited for any more
        self._connections.remove(self)
        if not self.lost.done():
            self.lost.set_result(None)
        if self._early is None:
            self._http.connection_lost(exc)

    # and how that is done

    async def _encrypt(self, tls: ssl.SSLContext) -> None:
        """The handshake; then HTTP is spoken."""
        try:
            line = await self._loop.start_tls(
                self._plain,
                self,
                tls,
                server_side=True,
                ssl_handshake_timeout=WAIT_S,
                ssl_shutdown_timeout=FAREWELL_S,
            )
        except OSError as error:  # gone, too slow, or no friend of our certificate: nothing to answer
            self.connection_lost(error)
            return
        if line is None or self._plain.is_closing():
            self.connection_lost(None)
            return
        self._line = line
        self._begin()

    def _begin(self) -> None:
        early, self._early = self._early, None
        self._http.connection_made(self._line)
        if early:
            self.data_received(bytes(early))

    def _give_time(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = self._loop.call_later(WAIT_S, self._look, self.unsent)

    def _look(self, unsent: int) -> None:
        """Its time is over, unless it is still busy with taking a long answer.

        unsent  how much of it there was when the time began
        """
        if unsent - self.unsent >= TAKEN_BYTES:
            self._give_time()
        else:
            self.abort()

    def _set(self, level: int, option: int, value: int) -> None:
        with contextlib.suppress(OSError):  # it may have gone already
            self._plain.get_extra_info("socket").setsockopt(level, option, value)


def device_of(address: str) -> str:
    """Whom an address stands for, "" for this machine."""
    return "" if ipaddress.ip_address(address).is_loopback else address
