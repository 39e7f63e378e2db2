"""A service in a process of its own, for the benches that ask it as a page does."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

from companion.cameras.set_up import SCENE
from companion.errors import BadInput

PATIENCE_S = 30.0


@dataclass(frozen=True)
class Service:
    """A service, and how its pages are opened.

    pid     of the process that holds its state
    data    its folder
    token   of the ticket that the pages show, "" for the machine itself
    homes   the addresses that they come from, in turn
    """

    port: int
    pid: int
    data: Path = Path()
    token: str = ""
    homes: tuple[str, ...] = ("127.0.0.1",)

    def memory_mb(self) -> float:
        """The process's own memory (Pss) in MB."""
        for line in Path(f"/proc/{self.pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def processor_s(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wakeups(self) -> int:
        """How often its threads have waited for something."""
        statuses = [path.read_text(encoding="ascii") for path in Path(f"/proc/{self.pid}/task").glob("*/status")]
        return sum(int(text.partition("\nvoluntary_ctxt_switches:")[2].split()[0]) for text in statuses)

    def children(self) -> list[int]:
        """The processes that it has started, on whichever of its threads."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/children")
        return [int(pid) for task in tasks for pid in task.read_text(encoding="ascii").split()]

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def handles(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))


@contextmanager
def service_apart(
    *arguments: str,
    scene: Mapping[str, Any] | None = None,
    host: str = "127.0.0.1",
    program: Sequence[str] = (sys.executable, "-m", "companion"),
) -> Iterator[Service]:
    """A service with an empty journal, on a core of its own where there are two.

    scene   of the camera above, None for one that nobody has set up
    host    the address on which it listens
    program what is run with the command's words
    """
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="bench-web-") as folder:
        if scene is not None:
            (Path(folder) / SCENE).write_text(json.dumps(scene), encoding="utf-8")
        command = [*program, "run", "--port", "0", "--host", host]
        process = subprocess.Popen(
            [*command, *arguments, "--data", folder],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: os.sched_setaffinity(0, {cores[0]}),
        )
        assert process.stdout
        try:
            os.sched_setaffinity(0, set(cores[1:]) or set(cores))
            ready = next((line for line in process.stdout if line.startswith("Ready at ")), None)
            if ready is None:
                raise BadInput("The service did not start: try companion run, it says why.")
            yield Service(int(ready.rsplit(":", 1)[1]), process.pid, Path(folder))
        except (EOFError, HTTPException, OSError) as error:  # Connections that break off raise these.
            raise BadInput("The service hung up, or was silent for too long: measure on a quieter machine.") from error
        finally:
            os.sched_setaffinity(0, set(cores))
            process.terminate()  # It ends its own processes.
            process.wait(timeout=PATIENCE_S)
            process.stdout.close()


class HttpConnection:
    """A kept-alive connection for one request at a time, reopened when the service has closed it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, path: str, body: Any = None) -> bytes:
        """The body of the response to a GET, or to a POST of `body` as JSON; raises BadInput when it is refused."""
        while True:
            before, self._streams = (
                self._streams,
                self._streams or await asyncio.open_connection("127.0.0.1", self._port),
            )
            try:
                return await self._exchange(*self._streams, path, body)
            except (asyncio.IncompleteReadError, ConnectionError):
                self.close()
                if before is None:
                    raise

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: Any
    ) -> bytes:
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\nHost: localhost\r\n"
        writer.write(f"{head}Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        response = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        text = await reader.readexactly(int(response.partition("content-length: ")[2].partition("\r\n")[0]))
        if response.split()[1][0] != "2":
            raise BadInput(f"The service refused {path}: {text.decode()}")
        return text

    def close(self) -> None:
        if self._streams:
            self._streams[1].close()
        self._streams = None
