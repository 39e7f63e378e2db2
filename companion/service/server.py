"""The service: one process, its pages on threads of their own, and what the terminal shows when they can be opened."""

import contextlib
import ipaddress
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING

from companion.access.access import Access
from companion.errors import JournalUnusable
from companion.journal.data_folder import claim
from companion.network.addresses import own_address
from companion.network.certificate import HouseCertificate
from companion.network.https import Https
from companion.network.mdns import own_addresses
from companion.service.assembly import Running
from companion.service.plan import Plan
from companion.service.systemd import READY, Systemd, take_over
from companion.service.terminal_code import drawn

if TYPE_CHECKING:
    from web.serving.server import PageServer

HANDLES = 4_096  # open files: every page keeps a connection, and many systems allow a thousand unless asked


def serve(plan: Plan, listener: socket.socket, secure: socket.socket | None = None) -> None:
    """Serves the pages until the process is told to end; raises one sentence when it cannot begin.

    secure  where https is served besides, with the certificate of the house
    """
    sockets = [each for each in (listener, secure) if each]
    endings: SimpleQueue[bool] = SimpleQueue()  # whether somebody wanted it
    with claim(plan.data):
        allow_handles()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: endings.put(True))
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # its terminal has gone; the table is played at all the same
        systemd = take_over()
        for each in sockets:
            each.listen()
        https = Https(HouseCertificate(plan.data), own_addresses) if secure else None
        running = Running(plan, systemd)
        try:
            running.start()
            pages = pages_of(running, sockets, https, on_end=lambda: endings.put(False))
            address, port = listener.getsockname()[:2]
            if not ipaddress.ip_address(address).is_loopback:  # else nobody could come who heard the name
                running.announce(port)
            pages.start()
            if secure and https:
                https.start()
                say(f"Encrypted at https://localhost:{secure.getsockname()[1]}")
            say_ready(port, running.host.access, systemd)
            wanted = endings.get()
            running.host.live.close()  # streams end first
            is_done = pages.stop()
        finally:
            running.close()
    if not (wanted and is_done):  # the thread of a request would keep the process for as long as it likes
        sys.stdout.flush()
        os._exit(0 if wanted else 1)


def pages_of(
    running: Running, sockets: list[socket.socket], https: Https | None, on_end: Callable[[], None]
) -> "PageServer":
    """What serves the pages at these sockets, of which the second is encrypted."""
    from web.app import create_app
    from web.live.streams import Streams
    from web.serving.connections import Connections
    from web.serving.front import Front
    from web.serving.server import PageServer

    app = create_app(running.host, running.plan.names, running.plan.public)
    app.extensions["certificate"] = HouseCertificate(running.plan.data)
    streams = Streams(running.host.live)
    streams.start()
    secure_port = sockets[1].getsockname()[1] if https else None
    connections = Connections(secure_port, https.context if https else None)
    pages = PageServer(Front(app, streams), connections, sockets, on_end)
    running.beside += (streams, pages)
    return pages


def allow_handles() -> None:
    """Lets this process and its children have HANDLES files open, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = HANDLES if hard == resource.RLIM_INFINITY else min(HANDLES, hard)
    if soft < allowed:
        with contextlib.suppress(OSError, ValueError):  # a hardened unit may forbid even that
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def say_ready(port: int, access: Access, systemd: Systemd) -> None:
    """Tells systemd and the terminal: the address, the host's one-time link, and the PIN of a new house.

    What opens the door is shown on a terminal alone: a log would keep it for whoever may read that.
    """
    systemd.tell(READY)
    say(f"Ready at http://localhost:{port}")
    if sys.stdout is None or not sys.stdout.isatty():
        return
    try:
        if address := own_address():
            link = f"http://{address}:{port}/join/{access.links.start_link()}"
            say(f"To be the host on another device, once: {link}")
            if code := drawn(link, sys.stdout):
                say(code)
        if not access.pin.is_set():  # below the code, which fills a small screen: it must not leave at its top
            say(f"The host's PIN, shown this once: {access.pin.renew()}")
    except JournalUnusable as why:  # what is there can be looked at all the same; every page says it, too
        print(why, file=sys.stderr, flush=True)


def say(words: str) -> None:
    """Tells whoever started the table, which is played at though nobody listens: the terminal has gone, or the disk of
    the log is full."""
    try:
        print(words, flush=True)
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # where what waits to be written goes, at the end at the latest
        os.close(nowhere)
