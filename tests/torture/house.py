"""The real service on one folder, to be started and killed again and again, and called as a tablet calls it."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

READY_S = 60.0  # a limit, never a pause
ANSWER_S = 10.0
GONE_S = 10.0  # until the last process of a killed service is gone
GONE = (OSError, http.client.HTTPException, json.JSONDecodeError)  # errors of a request to a service that dies
ROOT = Path(__file__).parents[2]


class House:
    """`companion run` on one data folder. Each `start` begins a new life of the service.

    wrapped     a command that runs the service, such as `prlimit`
    """

    def __init__(
        self,
        data: Path,
        *arguments: str,
        environment: dict[str, str] | None = None,
        wrapped: tuple[str, ...] = (),
    ) -> None:
        self.data = data
        self.url = ""
        self.complaints: list[str] = []  # standard error of every life
        self.lives = 0
        self.python = sys.executable
        self._command = [
            *wrapped, sys.executable, "-m", "companion", "run", "--port", "0", "--host", "127.0.0.1",
            "--data", str(data), *arguments,
        ]  # fmt: skip
        self._environment = os.environ | (environment or {})
        self._process: subprocess.Popen[str] | None = None
        self._ready = threading.Event()
        self._listeners: list[threading.Thread] = []

    def start(self) -> None:
        """Begins a life; returns at once."""
        self.lives += 1
        self.url = ""
        self._ready = threading.Event()
        self._process = subprocess.Popen(
            self._command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=self._environment,
            cwd=ROOT,
        )
        self._listeners = [
            threading.Thread(target=listen, args=(pipe, self._ready), daemon=True)
            for listen, pipe in ((self._hear, self._process.stdout), (self._hear_complaints, self._process.stderr))
        ]
        for listener in self._listeners:
            listener.start()

    def wait_until_ready(self) -> bool:
        """Whether the service says that it is ready; False when it ended instead."""
        self._ready.wait(READY_S)
        return bool(self.url)

    @property
    def pid(self) -> int:
        """The id of the process that serves the pages."""
        assert self._process is not None
        return self._process.pid

    def exit_status(self) -> int:
        """Waits until the service has ended by itself; returns its exit status."""
        assert self._process is not None
        status = self._process.wait(READY_S)
        for listener in self._listeners:
            listener.join(GONE_S)
        return status

    def kill(self) -> None:
        """Sends SIGKILL to every process of the service at once."""
        assert self._process is not None
        self.url = ""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for listener in self._listeners:
            listener.join(GONE_S)  # a pipe ends when the last process that holds it is gone

    def kill_alone(self) -> None:
        """Sends SIGKILL to the process that serves the pages, and to none of its children."""
        assert self._process is not None
        self.url = ""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """Ends the service with SIGTERM, then kills what is left of it."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(15)
        self.kill()

    def call(self, path: str, body: Any = None, timeout_s: float = ANSWER_S) -> tuple[int, Any]:
        """(status, JSON) of a request: a GET, or a POST of `body`. Raises one of GONE when the service is gone."""
        status, text = self.text(path, body, timeout_s)
        return status, json.loads(text or "null")

    def text(self, path: str, body: Any = None, timeout_s: float = ANSWER_S) -> tuple[int, str]:
        """(status, text) of a request: a GET, or a POST of `body` as JSON, or as it is if it is bytes."""
        if not self.url:
            raise ConnectionError("the service is not up")
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=timeout_s) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.read().decode()

    def _hear(self, pipe: Any, ready: threading.Event) -> None:
        with pipe:
            for line in pipe:
                if line.startswith("Ready at "):
                    self.url = line.removeprefix("Ready at ").strip().replace("localhost", "127.0.0.1")
                    ready.set()
        ready.set()

    def _hear_complaints(self, pipe: Any, _ready: threading.Event) -> None:
        with pipe:
            self.complaints.extend(line.rstrip() for line in pipe)


def children(pid: int) -> list[int]:
    """The processes that `pid` has started, on whichever of its threads."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(child) for child in task.read_text().split()]
    return found
