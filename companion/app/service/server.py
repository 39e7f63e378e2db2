"""The service: starts the table and its pages, reports to the terminal and systemd, and ends on a signal."""

import contextlib
import ctypes
import ipaddress
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from companion.access.access import Access
from companion.app.service.assembly import Running
from companion.app.service.ending import Ending
from companion.app.service.plan import Plan
from companion.app.service.screen import Screen
from companion.app.service.systemd import READY, STEP, Systemd, take_over
from companion.app.service.terminal_code import draw_code
from companion.errors import JournalUnusable
from companion.journal.backup import copy_older
from companion.journal.data_folder import JOURNAL, claim
from companion.network.addresses import in_url, own_address, own_addresses
from companion.network.certificate import HouseCertificate
from companion.network.https import Https
from companion.network.peers import Looker, can_tell
from companion.network.wifi.door import Wifi

if TYPE_CHECKING:
    from web.live.streams import Streams
    from web.serving.server import PageServer

ENDED_S = 2.0  # for the streams to end by themselves
HANDLES = 4_096  # Every page has a connection, and many systems allow only a thousand by default.
M_ARENA_MAX = -8  # of glibc's malloc.h


def serve(plan: Plan, listener: socket.socket, secure: socket.socket | None = None) -> None:
    """Serves the pages until a signal ends the process; raises CompanionError if it cannot start.

    listener, secure    bound sockets for http and, with the house's certificate, for https
    """
    sockets = [socket_ for socket_ in (listener, secure) if socket_]
    with claim(plan.data), Ending() as ending, contextlib.ExitStack() as held:
        allow_handles()
        share_memory()
        sockets += [held.enter_context(beside) for socket_ in sockets for beside in by_ipv6(socket_)]
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # Play goes on when the terminal is closed.
        systemd = take_over()
        systemd.tell(STEP)
        for socket_ in sockets:
            socket_.listen()
        https = Https(HouseCertificate(plan.data), own_addresses) if secure else None
        copy_older(plan.data / JOURNAL, say)
        running = Running(plan, systemd)
        try:
            systemd.tell(STEP)
            running.start()
            systemd.tell(STEP)
            pages, streams = pages_of(running, sockets, https, ending.pages_have_ended)
            systemd.tell(STEP)
            address, port = listener.getsockname()[:2]
            if not ipaddress.ip_address(address).is_loopback:  # On loopback no other device could open the name.
                running.announce(port)
            pages.start()
            if secure and https:
                https.start()
                say(f"Encrypted at https://localhost:{secure.getsockname()[1]}")
            say_ready(port, running.host.access, systemd)
            if plan.kiosk:
                here = "localhost" if ipaddress.ip_address(address).is_unspecified else in_url(address)
                screen = Screen(plan.kiosk, f"http://{here}:{port}/")
                screen.start()
                held.callback(screen.stop)
            is_asked = ending.wait()
            running.host.live.close()  # The streams end before the other connections.
            streams.join(ENDED_S)
            streams.stop()
            is_done = pages.stop()
        finally:
            running.close()
    if not (is_asked and is_done):  # A request that is not finished would keep the process alive.
        sys.stdout.flush()
        os._exit(0 if is_asked else 1)


def pages_of(
    running: Running, sockets: list[socket.socket], https: Https | None, on_end: Callable[[], None]
) -> "tuple[PageServer, Streams]":
    """The server of the pages, not started yet, and its streams. With `https`, the second socket is encrypted."""
    from web.app import create_app
    from web.live.streams import Streams
    from web.serving.connections import Connections
    from web.serving.front import Front
    from web.serving.server import PageServer

    plan = running.plan
    app = create_app(running.host, plan.names, plan.public, plan.frames)
    app.extensions["certificate"] = HouseCertificate(plan.data)
    app.extensions["wifi"] = Wifi(plan.wifi) if plan.wifi else None
    streams = Streams(running.host.live)
    streams.start()
    secure_port = app.extensions["secure_port"] = sockets[1].getsockname()[1] if https else None
    connections = Connections(secure_port, https.context if https else None, Looker(plan.screen_user), plan.proxies)
    return PageServer(Front(app, streams, plan.proxies), connections, sockets, on_end), streams


def by_ipv6(listener: socket.socket) -> list[socket.socket]:
    """A socket that listens at the same port by IPv6, where `listener` listens on every address and there is IPv6."""
    address, port = listener.getsockname()
    if not ipaddress.ip_address(address).is_unspecified:
        return []
    beside = None
    try:
        beside = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
        beside.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        beside.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        beside.bind(("::", port))
        beside.listen()
    except OSError:
        if beside:
            beside.close()
        return []
    return [beside]


def allow_handles() -> None:
    """Lets this process and its children have HANDLES files open, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = HANDLES if hard == resource.RLIM_INFINITY else min(HANDLES, hard)
    if soft < allowed:
        with contextlib.suppress(OSError, ValueError):  # A hardened unit may forbid even that.
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def share_memory() -> None:
    """Lets all threads allocate from one pool; to be called before they begin.

    Else glibc gives each of 64 request threads a pool of its own, which keeps the memory of its largest page for good.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # only glibc has such pools
    if mallopt is not None:
        mallopt(M_ARENA_MAX, 1)


def say_ready(port: int, access: Access, systemd: Systemd) -> None:
    """Tells systemd that the table is ready; prints the address, the host's one-time link and a new house's PIN.

    Link and PIN are printed on a terminal only: everybody who may read a log could use them.
    """
    systemd.tell(READY)
    say(f"Ready at http://localhost:{port}")
    if sys.stdout is None or not sys.stdout.isatty():
        return
    try:
        address, is_unknown_here = own_address(), not can_tell()
        tokens = access.links.start_links(bool(address) + is_unknown_here)
        if is_unknown_here:
            say(f"To be the host here, once: http://localhost:{port}/join/{tokens.pop()}")
        if address:
            link = f"http://{in_url(address)}:{port}/join/{tokens.pop()}"
            say(f"To be the host on another device, once: {link}")
            if code := draw_code(link, sys.stdout):
                say(code)
        else:
            say("No other device can reach it now: plug in this machine's network cable, or join a Wi-Fi.")
        if not access.pin.is_set():  # It comes last: the QR code would push it off a small screen.
            say(f"The host's PIN, shown this once: {access.pin.renew()}")
    except JournalUnusable as why:  # The games can still be shown, and every page reports this, too.
        print(why, file=sys.stderr, flush=True)


def say(sentence: str) -> None:
    """Prints a line. Play goes on if that fails, as when the terminal is closed or the log's disk is full."""
    try:
        print(sentence, flush=True)
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # Otherwise Python would fail again to flush the line when it exits.
        os.close(nowhere)
