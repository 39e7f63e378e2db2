"""Starting helper processes: as a child of this process, or of another one that may open what this one may not.

The service's unit has no camera, and the cameras' unit no network and no games. `companion cameras SOCKET` runs in the
latter, starts a process that watches a camera when the service asks for it, and ends it when the service asks or ends.
"""

import contextlib
import importlib
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing import connection as pipes
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Client, Connection, Listener
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import recv_handle, send_handle
from pathlib import Path
from typing import Any, Protocol

from companion.app.service.messages import receive
from companion.app.service.systemd import READY, Systemd
from companion.cameras.names import camera_here
from companion.errors import BadInput
from companion.periodic import begin

END_S = 2.0  # A helper that was told to end has so long before it is killed.
ANSWER_S = 5.0  # The cameras' process has nothing else to do.
LOOK_S = 60.0  # The cameras' process may have to load a Pi's camera library.
THERE_S = 20.0  # The socket may come late, as both units start together.
PAUSE_S = 0.1
CAMERA_TARGET = "vision.process.main:watch_without_network"  # The cameras' process knows no other target.

Target = Callable[..., None] | str


class Helper(Protocol):
    """A helper process that runs or has run.

    pid       its process id
    sentinel  ready for `multiprocessing.connection.wait` once it has ended
    """

    pid: int | None
    sentinel: Any

    def end(self, wait_s: float) -> None:
        """Waits up to `wait_s` for it to end by itself, then ends it; nothing is left of it afterwards."""


Start = Callable[[str, Target, tuple[Any, ...]], tuple[Connection, Helper]]


class Child:
    """A helper that is a child of this process."""

    def __init__(self, process: BaseProcess) -> None:
        self._process = process
        self.pid = process.pid
        self.sentinel: Any = process.sentinel

    def end(self, wait_s: float) -> None:
        self._process.join(wait_s)
        for end in (self._process.terminate, self._process.kill):
            if self._process.exitcode is None:
                end()
                self._process.join(END_S)
        with contextlib.suppress(ValueError):  # It still waits in the kernel, where no signal reaches it.
            self._process.close()


def start_here(name: str, target: Target, arguments: tuple[Any, ...]) -> tuple[Connection, Child]:
    """Starts a helper in a fresh interpreter; returns our end of its pipe, and the helper. Raises OSError."""
    ours, theirs = get_context("spawn").Pipe()
    try:
        return ours, _child(name, theirs, target, arguments)
    except OSError:
        ours.close()
        raise
    finally:
        theirs.close()


def _child(name: str, theirs: Connection, target: Target, arguments: tuple[Any, ...]) -> Child:
    spawn = get_context("spawn")  # A fork would inherit open pins, locks and the journal.
    process = spawn.Process(
        target=_helper_main, args=(theirs, target, arguments), name=f"companion {name}", daemon=True
    )
    process.start()
    return Child(process)


def _helper_main(theirs: Connection, target: Target, arguments: tuple[Any, ...]) -> None:
    """The main function of the fresh interpreter: calls the target, with a guard that ends it with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal; the parent decides.
    begin("guard", _end_with_parent)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):  # The parent has gone.
        resolve(target)(theirs, *arguments)


def resolve(target: Target) -> Callable[..., None]:
    """The function of a target, which may be named as "package.module:function"."""
    if not isinstance(target, str):
        return target
    module, _, function = target.partition(":")
    result: Callable[..., None] = getattr(importlib.import_module(module), function)
    return result


def _end_with_parent() -> None:
    """Ends this process as soon as its parent has ended, for whatever reason and whatever else hangs here."""
    parent = parent_process()
    if parent is not None:
        pipes.wait([parent.sentinel])
        os._exit(0)


@dataclass(frozen=True)
class CameraAsked:
    """Asks the cameras' process for the machine's camera; answered with its name or None."""


@dataclass(frozen=True)
class Watch:
    """Asks it to watch a camera, with the arguments of CAMERA_TARGET; our pipe's other end follows. Answered with a
    pid.
    """

    name: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class End:
    """Tells it to end the helper that was started on this connection."""


class CamerasElsewhere:
    """The cameras' process, reached through its socket."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def look(self, there_s: float = THERE_S) -> str | None:
        """The name of the machine's camera, or None; raises OSError if nobody answers."""
        until_s = time.monotonic() + there_s
        while True:
            try:
                with self._line() as line:
                    line.send(CameraAsked())
                    result: str | None = _answer(line, LOOK_S)
                    return result
            except (FileNotFoundError, ConnectionRefusedError):
                if time.monotonic() > until_s:
                    raise
                time.sleep(PAUSE_S)

    def start(self, name: str, target: Target, arguments: tuple[Any, ...]) -> tuple[Connection, "Elsewhere"]:
        """Like `start_here`, but starts a child of the cameras' process, which knows only one target."""
        assert target == CAMERA_TARGET
        line = self._line()
        ours, theirs = get_context("spawn").Pipe()
        try:
            line.send(Watch(name, arguments))
            send_handle(line, theirs.fileno(), None)
            return ours, Elsewhere(line, _answer(line, ANSWER_S))
        except OSError:
            ours.close()
            line.close()
            raise
        finally:
            theirs.close()

    def _line(self) -> Connection:
        result: Connection = Client(str(self.path), "AF_UNIX")
        return result


class Elsewhere:
    """A helper that is a child of the cameras' process. The connection to that is open as long as the helper lives."""

    def __init__(self, line: Connection, pid: int) -> None:
        self._line = line
        self.pid: int | None = pid
        self.sentinel: Any = line

    def end(self, wait_s: float) -> None:
        with contextlib.suppress(OSError):
            if not self._line.poll(wait_s):
                self._line.send(End())
                self._line.poll(3 * END_S)  # The helper is told to end, then killed.
        self._line.close()


def _answer(line: Connection, within_s: float) -> Any:
    """The answer on a connection; raises OSError if none comes in time or the other side has gone."""
    try:
        return receive(line, within_s)
    except EOFError as error:
        raise ConnectionResetError("the cameras' process has gone") from error


def serve_cameras(path: Path, systemd: Systemd) -> None:
    """Serves requests through the socket at `path` for ever. Raises BadInput if the socket cannot be made."""
    with _listener(path) as listener:
        systemd.tell(READY)
        while True:
            with contextlib.suppress(OSError, RuntimeError):  # The client has gone again, or there are too many.
                line = listener.accept()
                begin("line", partial(_serve, line))


def _listener(path: Path) -> Listener:
    """A listener at `path` for this user only, in place of a socket that a killed process left; raises BadInput."""
    with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
        probe.connect(str(path))
        raise BadInput(f"Another process already has the cameras at {path}: stop it, or name another socket.")
    if path.is_socket():
        path.unlink()
    before = os.umask(0o177)
    try:
        return Listener(str(path), "AF_UNIX", backlog=8)
    except OSError as error:
        raise BadInput(f"There can be no socket at {path} ({error.strerror or error}): name another place.") from error
    finally:
        os.umask(before)


def _serve(line: Connection) -> None:
    """Serves one connection: a look, or a helper from its start to its end."""
    with line, contextlib.suppress(EOFError, OSError):  # The service has gone, and its helper with it.
        match receive(line, ANSWER_S):
            case CameraAsked():
                line.send(camera_here())
            case Watch(name, arguments):
                line.poll(ANSWER_S)
                theirs = Connection(recv_handle(line))
                try:
                    helper = _child(name, theirs, CAMERA_TARGET, arguments)
                finally:
                    theirs.close()
                try:
                    line.send(helper.pid)
                    pipes.wait([line, helper.sentinel])
                finally:
                    helper.end(0)
