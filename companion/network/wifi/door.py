"""The helper's socket: one line of JSON asks, one answers. What can be asked is listed in `Do`, and nothing else."""

import contextlib
import logging
import socket
import threading
import time
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

import msgspec

from companion.errors import BadInput, HardwareUnavailable
from companion.foreign import Unreadable, read_json
from companion.network.wifi.keeper import Close, Join, Keeper, Open
from companion.network.wifi.values import State, check_choice
from companion.periodic import PeriodicThread, begin, health
from companion.words import _

LONGEST_REQUEST = 2_048  # A name, a password, and room fit into it.
LONGEST_ANSWER = 1_000_000
PATIENCE_S = 5.0
PAUSE_S, SHORTEST_S, LOOK_S = 0.5, 0.001, 0.5
MOST_CALLERS = 8  # at once; the service asks in a moment
FOR_ITS_GROUP = 0o660

log = logging.getLogger(__name__)


class Do(StrEnum):
    """What the service may ask of the helper."""

    TELL = "tell"
    VISIT = "visit"  # Somebody looks at the page from within the table's own network.
    OPEN = "open"
    CLOSE = "close"
    JOIN = "join"


@dataclass(frozen=True)
class Request:
    """A line that asks; `ssid` and `password` are of the network to join."""

    do: Do
    ssid: bytes = b""
    password: str = ""


class Door(PeriodicThread):
    """The helper's end of the socket. Each caller has a thread, and where there are too many, the first one goes."""

    def __init__(self, path: Path, keeper: Keeper) -> None:
        super().__init__("door", self._let_in, pause_s=PAUSE_S, is_needed=True)
        self._keeper = keeper
        self._callers: dict[socket.socket, None] = {}
        self._lock = threading.Lock()  # It guards _callers.
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        path.chmod(FOR_ITS_GROUP)
        self._listener.listen()
        self._listener.settimeout(LOOK_S)

    def stop(self) -> None:
        super().stop()
        self._listener.close()

    def _let_in(self) -> float:
        with contextlib.suppress(TimeoutError):
            caller, _address = self._listener.accept()
            with self._lock:
                first = next(iter(self._callers)) if len(self._callers) >= MOST_CALLERS else None
                if first:
                    del self._callers[first]
                    first.shutdown(socket.SHUT_RDWR)
                self._callers[caller] = None
            begin("caller", partial(self._serve, caller))
        return 0.0

    def _serve(self, caller: socket.socket) -> None:
        try:
            with contextlib.suppress(OSError):  # Whoever has gone hears nothing.
                self._answer(caller)
        except Exception as error:  # The only way to the Wi-Fi stays open, whatever is asked.
            log.error("What was asked failed (%s).", type(error).__name__)
        finally:
            with self._lock:
                self._callers.pop(caller, None)
                caller.close()

    def _answer(self, caller: socket.socket) -> None:
        """Answers one line; one that is none of `Do`, or names a network that there cannot be, gets no answer."""
        try:
            state = self._fulfil(read_json(line_of(caller, LONGEST_REQUEST), Request))
        except (ValueError, BadInput) as refusal:
            log.warning("What was asked is refused (%s).", type(refusal).__name__)
            return
        caller.settimeout(PATIENCE_S)
        caller.sendall(msgspec.json.encode(replace(state, threads=tuple(health().threads))) + b"\n")

    def _fulfil(self, request: Request) -> State:
        match request.do:
            case Do.TELL:
                return self._keeper.state
            case Do.VISIT:
                return self._keeper.visit()
            case Do.OPEN:
                return self._keeper.wish_for(Open())
            case Do.CLOSE:
                return self._keeper.wish_for(Close())
            case Do.JOIN:
                check_choice(request.ssid, request.password, self._keeper.security_of(request.ssid, request.password))
                return self._keeper.wish_for(Join(request.ssid, request.password))


class Wifi:
    """The service's end of the socket."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def is_there(self) -> bool:
        """Whether the helper runs: where there is no NetworkManager, it does not."""
        return self._path.is_socket()

    def ask(self, do: Do, ssid: bytes = b"", password: str = "") -> State:
        """Asks the helper and returns the state; raises HardwareUnavailable if it does not answer."""
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
                line.settimeout(PATIENCE_S)
                line.connect(str(self._path))
                line.sendall(msgspec.json.encode(Request(do, ssid, password)) + b"\n")
                return read_json(line_of(line, LONGEST_ANSWER), State)
        except (OSError, Unreadable, ValueError) as error:
            log.warning("The Wi-Fi helper does not answer (%s).", error)
            raise HardwareUnavailable(
                _("The part of the table that looks after its Wi-Fi doesn't answer. Wait a minute and try again.")
            ) from error


def line_of(line: socket.socket, longest: int) -> bytes:
    """One line within PATIENCE_S, without its end; raises ValueError if it is too long or ends too early."""
    data, until_s = b"", time.monotonic() + PATIENCE_S
    while not data.endswith(b"\n"):
        line.settimeout(max(until_s - time.monotonic(), SHORTEST_S))
        part = line.recv(4_096)
        data += part
        if not part or len(data) > longest:
            raise ValueError("no whole line")
    return data[:-1]
