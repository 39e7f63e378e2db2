"""Who comes through a real `ssh -R` or `-L` of the table's own user is a stranger.

An sshd of the test's own, as this user and by key alone. A tunnel whose ssh speaks through a ProxyCommand's pipes is
not noticed: SECURITY.md says so.
"""

import contextlib
import os
import pwd
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from companion.network import peers
from tests.processes.test_passed_on import ASKED, free_port, port_of, started, status_at, status_over
from tests.service import Service, running

PATH = f"/usr/sbin:/sbin:{os.environ.get('PATH', '')}"
SSHD, SSH = shutil.which("sshd", path=PATH), shutil.which("ssh", path=PATH)
ANYBODY = Path("/run/sshd")  # where an sshd of root shuts away whoever has not logged in yet
MOST_TRIES = 5  # of a request that ssh brings

pytestmark = [
    pytest.mark.skipif(not peers.can_tell(), reason="this kernel does not tell who holds a connection"),
    pytest.mark.skipif(
        not (SSHD and SSH), reason="sshd is not installed: that ssh's own tunnels make strangers is not shown here"
    ),
]


@dataclass(frozen=True)
class Login:
    """How to log in at the test's own sshd.

    key     the file of the private key that alone lets in
    """

    port: int
    key: Path

    def command(self, *words: str) -> list[str]:
        """The command of an ssh that logs in there; it asks nobody and reads nobody's settings."""
        asks_nobody = ("BatchMode=yes", "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null")
        options = [word for each in (*asks_nobody, "ExitOnForwardFailure=yes") for word in ("-o", each)]
        who = f"{pwd.getpwuid(os.getuid()).pw_name}@127.0.0.1"
        return [str(SSH), "-F", "/dev/null", "-i", str(self.key), *options, "-p", str(self.port), *words, who]


@pytest.fixture(scope="module")
def service(tmp_path_factory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("tunnels"), "--camera", "none") as found:
        yield found


@pytest.fixture(scope="module")
def login(tmp_path_factory) -> Iterator[Login]:
    folder = tmp_path_factory.mktemp("sshd")
    if os.getuid() == 0:
        try:
            pwd.getpwnam("sshd")
        except KeyError:
            pytest.skip("an sshd of root needs the user sshd, whom its package makes")
        ANYBODY.mkdir(mode=0o755, exist_ok=True)
    for name in ("host", "key"):
        made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(made, check=True, capture_output=True)
    port = free_port()
    (folder / "config").write_text(
        f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/key.pub\n"
        f"PidFile {folder}/pid\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
        "KbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n"
    )
    with started([str(SSHD), "-D", "-f", str(folder / "config"), "-E", str(folder / "log")], port):
        yield Login(port, folder / "key")


@contextlib.contextmanager
def tunnel(login: Login, *words: str) -> Iterator[subprocess.Popen[str]]:
    """An ssh that does nothing but forward, to the end of the context."""
    with subprocess.Popen(login.command("-N", *words), stderr=subprocess.PIPE, text=True) as ssh:
        try:
            yield ssh
        finally:
            ssh.terminate()


def test_who_comes_by_a_port_that_ssh_opens_far_away_is_a_stranger(service, login):
    with tunnel(login, "-R", f"127.0.0.1:0:127.0.0.1:{port_of(service)}") as ssh:
        assert ssh.stderr
        told = (re.search(r"Allocated port (\d+)", line) for line in ssh.stderr)
        far = next(int(found[1]) for found in told if found)
        assert status_over(socket.create_connection(("127.0.0.1", far))) == 403
        assert status_at(f"{service.url}/house") == 200


def test_who_comes_by_a_port_that_ssh_opens_here_is_a_stranger(service, login):
    near = free_port()
    with tunnel(login, "-v", "-L", f"127.0.0.1:{near}:127.0.0.1:{port_of(service)}") as ssh:
        assert ssh.stderr
        assert any("Entering interactive session" in line for line in ssh.stderr), "it ended before it forwarded"
        assert status_over(socket.create_connection(("127.0.0.1", near))) == 403
        assert status_at(f"{service.url}/house") == 200


def asked_through(login: Login, to: int) -> tuple[bytes, bytes]:
    """The first line of /house at that port of this machine, asked through a login, and what ssh says of it."""
    command = login.command("-W", f"127.0.0.1:{to}")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ssh:
        assert ssh.stdin
        assert ssh.stdout
        assert ssh.stderr
        ssh.stdin.write(ASKED)
        ssh.stdin.flush()  # and stays open: ssh ends with it
        line = ssh.stdout.readline()
        ssh.terminate()
        return line, ssh.stderr.read()


def test_who_asks_through_a_login_here_is_a_stranger(service, login):
    """As one who jumps over this machine: sshd itself calls the table.

    The table closes a connection on which no request has come for ten seconds, and ssh then says nothing. On a machine
    so busy that ssh takes longer to bring one, it is asked again.
    """
    for _ in range(MOST_TRIES):
        line, told = asked_through(login, port_of(service))
        if line:
            break
    assert line.split()[1:2] == [b"403"], told
