"""gunicorn's threaded worker, but that it gives away a connection whose response says so (`pump`), and encrypts
those of some sockets.

Nor does it let one device have all threads, by asking for much at once or by asking so slowly that nothing ever ends;
and what waits for a device (a handshake, a farewell) waits on the thread of its request, so that nobody else does.
"""

import ipaddress
import logging
import socket
import ssl
import struct
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from gunicorn.http.errors import NoMoreData
from gunicorn.workers.gthread import TConn, ThreadWorker

from companion.network.https import SLOW_S
from web.live.pump import HandedOver

MOST_OF_ONE = 16  # requests of one device at once; a browser makes six

Encrypt = Callable[[socket.socket], socket.socket]


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn says no types
    """Forgets a connection that was handed over or closed, instead of closing it itself when its request ends."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.encrypt: dict[Any, Encrypt] = {}  # listening address → what makes its connections encrypted
        self.busy: Counter[str] = Counter()  # device → its requests that have a thread or wait for one
        logging.getLogger("gunicorn.error").addFilter(is_for_the_log)

    # these two run on the worker's own thread

    def enqueue_req(self, conn: Any) -> None:
        device = device_of(conn)
        if device and self.busy[device] >= MOST_OF_ONE:
            self.nr_conns -= 1
            conn.close()
            return
        self.busy[device] += 1
        super().enqueue_req(conn)

    def finish_request(self, conn: Any, fs: Future[Any]) -> None:
        device = device_of(conn)
        self.busy[device] -= 1
        if not self.busy[device]:
            del self.busy[device]
        if getattr(conn, "over", False):
            self.nr_conns -= 1
        else:
            super().finish_request(conn, fs)

    # and these on the thread of a request

    def handle(self, conn: Any) -> Any:
        patience = struct.pack("ll", SLOW_S, 0)  # the kernel's, for gunicorn takes off a timeout of Python's
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            conn.sock.setsockopt(socket.SOL_SOCKET, option, patience)
        if encrypt := self.encrypt.get(conn.server):
            conn.init = partial(begin_encrypted, conn, encrypt)
        stays = super().handle(conn)
        if not stays and not getattr(conn, "over", False):
            part(conn)
        return stays

    def handle_request(self, req: Any, conn: Any) -> Any:
        if isinstance(
            conn.sock, ssl.SSLSocket
        ):  # by companion.network.https; gunicorn's own setting would be for every socket
            req.scheme = "https"
        try:
            return super().handle_request(req, conn)
        except HandedOver as handed:
            conn.over = True
            handed.take(conn.sock)
            return False


def begin_encrypted(conn: Any, encrypt: Encrypt) -> None:
    """What gunicorn does with a connection once its first bytes have come, after the handshake."""
    if not conn.initialized:
        try:
            conn.sock = encrypt(conn.sock)
        except OSError as error:  # gone, too slow, or no friend of our certificate: nothing to answer
            raise NoMoreData from error
    TConn.init(conn)


def part(conn: Any) -> None:
    """Closes a connection. That takes a while where the other side does not: gunicorn would let everybody wait."""
    conn.over = True
    try:
        conn.close(graceful=True)
    except OSError:  # it has gone already
        conn.close()


def device_of(conn: Any) -> str:
    """The address that a connection comes from, "" for this machine: a proxy here speaks for many."""
    address = str(conn.client[0])
    return "" if ipaddress.ip_address(address).is_loopback else address


def is_for_the_log(record: logging.LogRecord) -> bool:
    """Whether a line of gunicorn's is written; it then names no device, and no address, which may be a ticket's link.

    That a device was too slow is no error of ours.
    """
    if record.exc_info and isinstance(record.exc_info[1], BlockingIOError | TimeoutError):
        return False
    if str(record.msg).startswith("Invalid request from"):
        record.msg, record.args = "A device sent what is no request of HTTP.", ()
    elif str(record.msg).startswith("Error handling request"):
        record.msg, record.args = "A request could not be handled.", ()
    return True
