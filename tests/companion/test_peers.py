"""Who is the host over loopback: the service asks the kernel who holds the other end.

A stand-in service asks a `Looker` of each connection that it accepts, as the real one does at a connection's first
request. Other programs are processes of their own, as proxies are.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from companion.network import peers
from tests.service import halt

pytestmark = pytest.mark.skipif(not peers.can_tell(), reason="this kernel does not tell who holds a connection")

EVERYBODYS = shutil.which("python3", path="/usr/bin:/bin")  # the tests' own may lie in a home that is closed to others

BEGIN = """
import os, socket, sys
service, other = int(sys.argv[1]), int(sys.argv[2])
def to(port):
    return socket.create_connection(("127.0.0.1", port))
"""
ASK = """
asking = to(service)
print(asking.getsockname()[1], flush=True)
sys.stdin.read()
"""
LISTEN = 'heard = socket.create_server(("127.0.0.1", 0))\n'
VISIT = "visitor = socket.create_connection(heard.getsockname())\nforward, _ = heard.accept()\n"


@pytest.fixture
def service() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


HOLD = """
import os, socket
heard = socket.create_server(("127.0.0.1", 0))
if program := os.fork():
    print(program, heard.getsockname()[1], flush=True)
    os._exit(0)
os.close(1)
kept = []
while True:
    kept.append(heard.accept())
"""


@pytest.fixture
def elsewhere() -> Iterator[int]:
    """The port of a server that holds what it accepts; its parent has ended, so it is no child of the service."""
    begun = subprocess.run([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True, check=True)
    program, port = map(int, begun.stdout.split())
    until(lambda: not peers.is_child(program))
    yield port
    with contextlib.suppress(ProcessLookupError):  # A test may have ended it.
        os.kill(program, signal.SIGKILL)


def own(service: socket.socket, code: str, other: int = 0, user: int | None = None, screen: int | None = None) -> bool:
    """What the service says of a connection that another program, which runs this code, has opened."""
    python = sys.executable if user is None else EVERYBODYS
    command = [python or "", "-S", "-c", BEGIN + code + ASK, str(service.getsockname()[1]), str(other)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, user=user, **pipes) as process:  # type: ignore[call-overload]
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline(), "it did not get as far as its connection"
        connection, client = service.accept()
        with connection:
            found = peers.Looker(screen).peer_of(client, connection.getsockname()).are_own
        process.stdin.close()
    return found


def program_at(port: int) -> int:
    """The program that listens at a port."""
    (inode,) = (end.inode for end in peers.open_ends() if end.is_listening and end.here[1] == port)
    return next(program for program, sockets in peers.sockets_by_program() if inode in sockets)


def until(holds: Callable[[], bool]) -> None:
    """Waits until something holds, generously: the kernel's tables are never late by much."""
    end_s = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end_s
        time.sleep(0.02)


def test_a_program_that_talks_with_the_service_alone_is_used_here(service):
    assert own(service, "")


def test_the_service_itself_is_used_here(service):
    with socket.create_connection(service.getsockname()) as asking:
        connection, client = service.accept()
        with connection:
            assert peers.Looker().peer_of(client, connection.getsockname()).are_own
            assert client == asking.getsockname()


def test_a_program_that_listens_may_speak_for_others(service):
    assert not own(service, LISTEN)
    assert not own(service, LISTEN + VISIT)


def test_a_forwarder_in_a_thread_of_the_asking_program_is_a_stranger(service):
    thread = "import threading\nthreading.Thread(target=heard.accept, daemon=True).start()\n"
    assert not own(service, LISTEN + thread)


@pytest.mark.parametrize(
    "more",
    [
        "heard = socket.socket(socket.AF_UNIX)\nheard.bind(place)\nheard.listen()\n",
        "heard = socket.socket(socket.AF_UNIX)\nheard.bind(place)\nheard.listen()\n"
        "visit = socket.socket(socket.AF_UNIX)\nvisit.connect(place)\ntaken, _ = heard.accept()\nheard.close()\n",
        "heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\nheard.bind(place)\n",
        "heard = socket.socket(socket.AF_UNIX)\nheard.bind('\\0' + place)\nheard.listen()\n",
        "heard = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nheard.bind(('0.0.0.0', 0))\n",
        "out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nout.connect(('127.0.0.1', 9))\n",
    ],
    ids=[
        "a UNIX socket that listens",
        "one that has stopped listening",
        "UNIX datagrams",
        "an abstract name",
        "UDP",
        "UDP to one visitor",
    ],
)
def test_a_program_that_can_be_asked_otherwise_than_by_tcp_may_speak_for_others(service, tmp_path, more):
    assert not own(service, f"place = {str(tmp_path / 'heard')!r}\n{more}")


def test_a_program_that_uses_a_server_at_a_unix_socket_is_used_here(service, tmp_path):
    """As many a program of a desktop does, with its bus."""
    with socket.socket(socket.AF_UNIX) as bus:
        bus.bind(str(tmp_path / "bus"))
        bus.listen()
        called = f"out = socket.socket(socket.AF_UNIX)\nout.connect({str(tmp_path / 'bus')!r})\n"
        assert own(service, called)
        asks_for_a_name = "out.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)\nout.connect"
        assert own(service, called.replace("out.connect", asks_for_a_name))


@pytest.mark.parametrize("end", [b"\n", b"\x0c", b"\x1c", "\u2028".encode(), b"\n\n: "], ids=repr)
def test_a_socket_may_have_the_end_of_a_line_in_its_name(service, end):
    """Any program of this machine can make one: the kernel lists a name as it is, and so one line may become two."""
    with socket.socket(socket.AF_UNIX) as odd:
        odd.bind(b"\0" + end.join([b"table", str(os.getpid()).encode(), b"odd"]))
        odd.listen()
        assert own(service, "")
        assert os.fstat(odd.fileno()).st_ino in set(peers.sockets_beside_tcp())


def test_a_program_that_has_called_out_may_speak_for_others(service, elsewhere):
    assert not own(service, "out = to(other)\n", elsewhere)


def test_a_server_that_has_not_accepted_a_connection_yet_may_speak_for_others(service, elsewhere):
    halt(program_at(elsewhere))  # it accepts nothing any more
    assert not own(service, "out = to(other)\n", elsewhere)


def test_a_program_that_has_stopped_listening_still_speaks_for_its_visitor(service, elsewhere):
    out = "out = to(other)\nheard.close()\n"
    assert not own(service, LISTEN + out, elsewhere)


def test_a_pair_with_which_a_program_wakes_its_own_thread_is_harmless(service):
    assert own(service, LISTEN + VISIT + "heard.close()\n")


def test_a_server_that_the_service_itself_uses_is_harmless(service, elsewhere):
    with socket.create_connection(("127.0.0.1", elsewhere)):
        assert own(service, "out = to(other)\n", elsewhere)


def test_a_connection_with_nobody_any_more_is_harmless(service):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]

        def end() -> None:
            gone.accept()[0].close()

        thread = threading.Thread(target=end)
        thread.start()
        assert own(service, "out = to(other)\nout.recv(1)\n", port)
        thread.join()


def test_a_connection_that_has_ended_is_nobodys(service):
    asking = socket.create_connection(service.getsockname())
    connection, client = service.accept()
    asking.close()
    with connection:
        until(lambda: not any(end.inode for end in peers.open_ends() if end.here == client))
        assert not peers.Looker().peer_of(client, connection.getsockname()).are_own


@pytest.mark.skipif(os.getuid() != 0 or not EVERYBODYS, reason="only root may start a program as another user")
def test_another_users_program_is_a_stranger_unless_that_user_runs_the_screen(service):
    nobody = peers.user_id("nobody")
    assert not own(service, "", user=nobody)
    assert own(service, "", user=nobody, screen=nobody)


def test_a_browser_may_have_other_connections(service, elsewhere, monkeypatch):
    monkeypatch.setattr(peers, "BROWSERS", {peers.name_of(os.getpid())})
    assert own(service, "out = to(other)\n", elsewhere)


def test_ipv6_and_addresses_of_ipv4_in_it():
    if not socket.has_dualstack_ipv6():
        pytest.skip("this machine has no IPv6")
    with contextlib.closing(socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)) as both:
        port = both.getsockname()[1]
        for address in ("127.0.0.1", "::1"):
            try:
                asking = socket.create_connection((address, port))
            except OSError:
                continue  # no loopback of IPv6
            connection, client = both.accept()
            with asking, connection:
                assert peers.Looker().peer_of(client[:2], connection.getsockname()[:2]).are_own


def test_addresses_as_the_kernel_writes_them():
    if sys.byteorder == "little":  # the words of man 5 proc on a little-endian machine
        assert peers.end_of("0100007F:1F90") == ("127.0.0.1", 8080)
        assert peers.end_of("00000000000000000000000001000000:1F90") == ("::1", 8080)
        assert peers.end_of("0000000000000000FFFF00000100007F:1F90") == ("127.0.0.1", 8080)


def test_a_server_that_ends_during_the_look_is_harmless(service, elsewhere, monkeypatch):
    """As a table does that is stopped while another one of this machine is asked."""
    server, command_of = program_at(elsewhere), peers.command_of

    def ended(program: int) -> tuple[str, ...]:
        os.kill(server, signal.SIGKILL)
        until(lambda: not peers.name_of(server))
        monkeypatch.setattr(peers, "command_of", command_of)
        return command_of(program)

    monkeypatch.setattr(peers, "command_of", ended)
    assert own(service, "out = to(other)\n", elsewhere)


@pytest.mark.parametrize("is_gone", [True, False])
def test_a_connection_that_ends_during_the_look_is_harmless(monkeypatch, is_gone):
    """The kernel's list and the lists of programs are read one after the other."""
    here, there = ("127.0.0.1", 50_001), ("127.0.0.1", 8_000)
    asking = peers.End(here, there, False, True, os.getuid(), 11)
    closing = peers.End(there, here, False, True, os.getuid(), 12)
    look = peers.Look((asking, closing))
    look.sockets_of = {999_999: frozenset({11})}
    monkeypatch.setattr(peers, "name_of", lambda _program: "script")
    monkeypatch.setattr(peers, "open_ends", lambda: iter(() if is_gone else (asking, closing)))
    assert look.is_used_here(999_999) is is_gone
