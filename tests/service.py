"""The program in a process of its own, for tests that kill it, restart it, and call its API."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.nursery import Nursling, nursery

COMPANION, REAL = "companion.__main__:main", ("-m", "companion")


def begin(program: str, *arguments: str) -> Nursling | subprocess.Popen[str]:
    """Begins a program: "module:function" in the nursery, anything else by a Python of its own."""
    if ":" in program:
        return nursery("tests.loaded_table").begin(program, *arguments)
    return subprocess.Popen(
        [sys.executable, program, *arguments], stdout=subprocess.PIPE, text=True, start_new_session=True
    )


class Service:
    """`companion run` on a free port.

    program     what runs in place of the companion: "module:function" and its first arguments in the nursery, or
                what Python is told; REAL where the start itself is looked at, or its memory
    token       of a ticket that calls show; a test that passes connections on is no host any more
    """

    def __init__(self, data: Path, *arguments: str, program: tuple[str, ...] = (COMPANION,)) -> None:
        where = ("run", "--port", "0", "--host", "127.0.0.1", "--data", str(data))
        self.process = begin(*program, *where, *arguments)
        assert self.process.stdout
        self.url = self.secure_url = self.token = ""
        for line in self.process.stdout:
            if line.startswith("Encrypted at "):
                self.secure_url = line.removeprefix("Encrypted at ").strip()
            if line.startswith("Ready at "):
                self.url = line.removeprefix("Ready at ").strip()
                break
        assert self.url, "the service ended before it was ready"

    def call(self, path: str, body: Any = None, timeout_s: float = 10) -> tuple[int, Any]:
        """(status, JSON) of a request to the API: a GET, or a POST of `body`."""
        data = None if body is None else json.dumps(body).encode()
        shown = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json", **shown})
        try:
            with urllib.request.urlopen(request, timeout=timeout_s) as response:
                return response.status, json.loads(response.read() or b"null")
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.loads(refusal.read())

    def new_token(self, role: str) -> str:
        """The token in a new link for a device of that role, as the host makes it on `/house`."""
        form = urllib.parse.urlencode({"role": role, "seat": "", "label": "a test"}).encode()
        with urllib.request.urlopen(f"{self.url}/house/link", form, timeout=10) as answer:
            found = re.search(r"/join/([\w.-]+)", answer.read().decode())
        assert found
        return found[1]

    def kill(self) -> None:
        """Sends SIGKILL to every process of the service at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self._wait()

    def stop(self) -> None:
        """Ends the service with SIGTERM."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGTERM)
        self._wait()

    def _wait(self) -> None:
        try:
            self.process.wait(timeout=15)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            if self.process.stdout:
                self.process.stdout.close()


def halt(pid: int, number: int = signal.SIGSTOP) -> None:
    """Stops or kills a process, and waits until none of its threads runs: on a busy machine one might still answer."""
    os.kill(pid, number)
    while any(runs(thread) for thread in Path(f"/proc/{pid}/task").glob("*")):
        time.sleep(0.001)


def runs(thread: Path) -> bool:
    """Whether a thread is neither stopped nor ended."""
    try:
        state = (thread / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "TtZX"


@contextlib.contextmanager
def running(data: Path, *arguments: str, program: tuple[str, ...] = (COMPANION,)) -> Iterator[Service]:
    """Runs the service, and stops it at the end of the context."""
    service = Service(data, *arguments, program=program)
    try:
        yield service
    finally:
        service.stop()
