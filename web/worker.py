"""gunicorn's threaded worker, but that it gives away a connection whose response says so (`web.pump`).

Nor does it let one device have all threads, by asking for much at once or by asking so slowly that nothing ever ends.
"""

import ipaddress
import logging
import socket
import ssl
import struct
from collections import Counter
from concurrent.futures import Future
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

from web.pump import HandedOver

MOST_OF_ONE = 16  # requests of one device at once; a browser makes six
SLOW_S = 10  # for the next bytes of a request, or for a device to take the next of an answer


class Worker(ThreadWorker):
    """Forgets a connection that was handed over, instead of closing it when its request ends."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
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
        if getattr(conn, "handed_over", False):
            self.nr_conns -= 1
        else:
            super().finish_request(conn, fs)

    # and these on the thread of a request

    def handle(self, conn: Any) -> Any:
        patience = struct.pack("ll", SLOW_S, 0)  # the kernel's, for gunicorn takes off a timeout of Python's
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            conn.sock.setsockopt(socket.SOL_SOCKET, option, patience)
        return super().handle(conn)

    def handle_request(self, req: Any, conn: Any) -> Any:
        if isinstance(conn.sock, ssl.SSLSocket):  # by companion.https; gunicorn's own setting would be for every socket
            req.scheme = "https"
        try:
            return super().handle_request(req, conn)
        except HandedOver as handed:
            conn.handed_over = True
            handed.take(conn.sock)
            return False


def device_of(conn: Any) -> str:
    """The address that a connection comes from, "" for this machine: a proxy here speaks for many."""
    address = str(conn.client[0])
    return "" if ipaddress.ip_address(address).is_loopback else address


def is_for_the_log(record: logging.LogRecord) -> bool:
    """Whether a line of gunicorn's is written; it then names no device, and no address, which may be a ticket's link.

    That a device was too slow is no error of ours.
    """
    if record.exc_info and isinstance(record.exc_info[1], BlockingIOError):
        return False
    if str(record.msg).startswith("Invalid request from"):
        record.msg, record.args = "A device sent what is no request of HTTP.", ()
    elif str(record.msg).startswith("Error handling request"):
        record.msg, record.args = "A request could not be handled.", ()
    return True
