"""Programs that begin at once: a process that has loaded them forks one for each that a test begins.

    python -m tests.nursery SOCKET MODULE…

Each start would load them anew, for a second of the processor. What is begun has a session, arguments, an environment
and a folder of its own, and ends as a program does; its children load for themselves what they need.
"""

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MOST = 1_000_000  # bytes of a message


class Nursling:
    """A program that a nursery has begun, with the words of `subprocess.Popen`. `wait` closes what is open for it."""

    def __init__(self, nursery: "Nursery", pid: int, handle: int, stdout: int) -> None:
        self.pid = pid
        self.stdout = os.fdopen(stdout)
        self.returncode: int | None = None
        self._nursery, self._handle = nursery, handle

    def send_signal(self, number: int) -> None:
        """Sends a signal, unless the program has ended."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status, once it has ended: that of a signal is negative."""
        if self.returncode is None:
            end = select.poll()
            end.register(self._handle, select.POLLIN)
            if not end.poll(None if timeout is None else timeout * 1000):
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
            os.close(self._handle)
            (self.returncode,), _ = self._nursery.ask({"ended": self.pid})
        return self.returncode


class Nursery:
    """The process that forks. What it has begun outlives it."""

    def __init__(self, *modules: str) -> None:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = threading.Lock()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(theirs.fileno()), *modules],
                pass_fds=[theirs.fileno()],
                cwd=ROOT,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # a Ctrl-C is for the tests, which then close it
            )

    def begin(self, target: str, *arguments: str) -> Nursling:
        """Begins "module:function", which finds the arguments in `sys.argv`. Its standard error is that of the test."""
        program = {"arguments": arguments, "environment": dict(os.environ), "folder": os.getcwd(), "target": target}
        read, write = os.pipe()
        try:
            (pid,), handles = self.ask(program, write, 2)
        finally:
            os.close(write)
        return Nursling(self, pid, handles[0], read)

    def ask(self, message: dict[str, Any], *handles: int) -> tuple[list[int], list[int]]:
        """The nursery's answer to a message."""
        with self._lock:
            socket.send_fds(self._line, [json.dumps(message).encode()], handles)
            answer, theirs, _, _ = socket.recv_fds(self._line, MOST, 1)
        assert answer, "the nursery has ended"
        return json.loads(answer), theirs

    def close(self) -> None:
        """Ends it."""
        self._line.close()
        self._process.wait()


@functools.cache
def nursery(*modules: str) -> Nursery:
    """The nursery of this process that has loaded these modules."""
    found = Nursery(*modules)
    atexit.register(found.close)
    return found


def wait_for_one(line: socket.socket) -> Callable[[], None]:
    """Forks a program for each that is asked for; returns only in these, what is to be called there."""
    while True:
        message, handles, _, _ = socket.recv_fds(line, MOST, 2)
        if not message:
            sys.exit()
        asked = json.loads(message)
        if "ended" in asked:
            _, status = os.waitpid(asked["ended"], 0)
            line.send(json.dumps([os.waitstatus_to_exitcode(status)]).encode())
            continue
        if not (pid := os.fork()):
            line.close()
            return begun(asked, handles)
        handle = os.pidfd_open(pid)
        socket.send_fds(line, [json.dumps([pid]).encode()], [handle])
        for each in (handle, *handles):
            os.close(each)


def begun(asked: dict[str, Any], handles: list[int]) -> Callable[[], None]:
    """Makes this process the program that was asked for; returns its main function."""
    os.setsid()
    for ours, handle in enumerate(handles, start=1):
        os.dup2(handle, ours)
        os.close(handle)
    sys.stdout = os.fdopen(1, "w", closefd=False)  # the nursery's own know by now what they write to
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    module, _, function = asked["target"].partition(":")
    program = sys.modules["__main__"] = importlib.import_module(module)  # its children load this, not the nursery
    sys.argv = [str(program.__file__), *asked["arguments"]]
    main: Callable[[], None] = getattr(program, function)
    return main


if __name__ == "__main__":
    for name in sys.argv[2:]:
        importlib.import_module(name)
    assert threading.active_count() == 1  # a fork takes only the thread that forks
    gc.freeze()
    wait_for_one(socket.socket(fileno=int(sys.argv[1])))()
