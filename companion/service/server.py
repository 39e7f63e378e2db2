"""The service: gunicorn, its one worker, and what the terminal shows when the pages can be opened."""

import contextlib
import ipaddress
import os
import resource
import socket
import sys
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.errors import AppImportError

from companion.access.access import Access
from companion.errors import CompanionError, JournalUnusable
from companion.journal.data_folder import JOURNAL, claim
from companion.journal.store import Journal
from companion.network.addresses import own_address
from companion.network.certificate import HouseCertificate
from companion.network.https import Https
from companion.network.mdns import own_addresses
from companion.service.assembly import Running
from companion.service.plan import Plan
from companion.service.systemd import READY, Systemd, take_over
from companion.service.terminal_code import drawn

THREADS = 64  # of requests; an open page keeps none (web.live.pump)
HANDLES = 4_096  # open files: every page keeps a connection, and many systems allow a thousand unless asked


def serve(plan: Plan, listener: socket.socket, secure: socket.socket | None = None) -> None:
    """Serves the pages until the process is told to end; raises one sentence when it cannot begin.

    secure  where https is served besides, with the certificate of the house
    """
    with claim(plan.data):
        Journal(plan.data / JOURNAL).close()  # what is wrong with it is said here, once, before anything starts
        allow_handles()
        application = Application(plan, listener, secure)
        own_pid = os.getpid()  # the worker leaves by here, too
        try:
            application.run()
        except SystemExit as end:
            refused = end.code == Arbiter.APP_LOAD_ERROR and os.getpid() == own_pid
            sys.exit(1 if refused else end.code)


class Application(BaseApplication):  # type: ignore[misc]
    """gunicorn with one worker: the state lives in one place."""

    def __init__(self, plan: Plan, listener: socket.socket, secure: socket.socket | None) -> None:
        self._plan = plan
        self._address, self._port = listener.getsockname()[:2]
        self._listeners = [each for each in (listener, secure) if each]
        for each in self._listeners:
            each.listen(128)
        self._secure: Any = secure.getsockname() if secure else None
        self._https = Https(HouseCertificate(plan.data), own_addresses) if secure else None
        self._systemd = take_over()
        self._running: Running | None = None  # in the worker
        super().__init__()

    def load_config(self) -> None:
        """What gunicorn is told, as far as this version of it knows."""
        for name, value in {
            "bind": [f"fd://{each.fileno()}" for each in self._listeners],
            "workers": 1,
            "worker_class": "web.live.worker.Worker",
            "threads": THREADS,
            "graceful_timeout": 3,
            "timeout": 60,
            "keepalive": 5,
            "loglevel": "warning",
            "post_worker_init": self._open,
            "worker_exit": lambda server, worker: self._end(),
            "control_socket_disable": True,
        }.items():
            if name in self.cfg.settings:
                self.cfg.set(name, value)

    def load(self) -> Any:
        """The pages, and all that runs beside them: in the worker."""
        from web.app import create_app
        from web.live.pump import Pump

        try:
            running = self._running = Running(self._plan, self._systemd)
        except CompanionError as refusal:
            raise AppImportError(str(refusal)) from refusal  # what gunicorn ends with a sentence
        running.start()
        pump = Pump(running.host.live)
        pump.start()
        running.beside.append(pump)
        if not ipaddress.ip_address(self._address).is_loopback:  # else nobody could come who heard the name
            running.announce(self._port)
        app = create_app(running.host, self._plan.names, self._plan.public, pump)
        app.extensions["certificate"] = HouseCertificate(self._plan.data)
        return app

    def _open(self, worker: Any) -> None:
        """The worker takes requests from now on."""
        if self._https:
            worker.encrypt[self._secure] = self._https.encrypted
            self._https.start()
            say(f"Encrypted at https://localhost:{self._secure[1]}")
        if self._running:
            say_ready(self._port, self._running.host.access, self._systemd)

    def _end(self) -> None:
        if self._running:
            self._running.close()


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
