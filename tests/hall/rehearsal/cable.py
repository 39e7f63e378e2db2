"""The cable between a table and its hub, which can be pulled: a port that passes on what comes, or takes nobody.

    python cable.py PORT

It is a process of its own: whoever passes connections on is no host of the hub any more. It says the port on which it
listens; the lines `pull` and `plug` tell it what to do, and it says `refused` for each try while the cable is out.
"""

import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

PIECE = 65_536


class Cable:
    """A cable that leads to a port of this machine."""

    def __init__(self, port: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout
        self._said = self._process.stdout
        self.url = f"http://127.0.0.1:{int(self._said.readline())}"

    def pull(self) -> None:
        """From now on nothing comes through."""
        self._tell("pull")

    def plug(self) -> None:
        self._tell("plug")

    def wait_for_tries(self, count: int) -> None:
        """Returns once the table has tried so often in vain since the cable was pulled."""
        for _number in range(count):
            assert self._said.readline() == "refused\n", "the cable is gone"

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()
        self._said.close()

    def _tell(self, what: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()


class Plug:
    """The end that listens."""

    def __init__(self, hub_port: int) -> None:
        self._hub_port = hub_port
        self.is_out = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    def serve(self) -> None:
        while True:
            table, _address = self._listener.accept()
            if self.is_out:
                table.close()
                print("refused", flush=True)
            else:
                threading.Thread(target=self._join, args=(table,), daemon=True).start()

    def _join(self, table: socket.socket) -> None:
        with table, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._hub_port)) as hub:
            back = threading.Thread(target=pass_on, args=(hub, table), daemon=True)
            back.start()
            pass_on(table, hub)
            back.join()


def pass_on(source: socket.socket, target: socket.socket) -> None:
    """Hands on what comes until the source hangs up."""
    with contextlib.suppress(OSError):
        for piece in pieces(source):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)


def pieces(source: socket.socket) -> Iterator[bytes]:
    while piece := source.recv(PIECE):
        yield piece


if __name__ == "__main__":
    plug = Plug(int(sys.argv[1]))
    print(plug.port, flush=True)
    threading.Thread(target=plug.serve, daemon=True).start()
    for line in sys.stdin:
        plug.is_out = line == "pull\n"
