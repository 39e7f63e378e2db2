"""The distribution's Mosquitto as a child of the hub: the broker by which tables show themselves live.

It takes what tables say of themselves, and nothing else; who signed it, the hub checks. The hub alone may read there,
by a password of this start. It keeps nothing on the disk.
"""

import base64
import contextlib
import hashlib
import ipaddress
import logging
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import time
from pathlib import Path

from companion.app.service.mqtt import Broker
from companion.errors import BadInput
from companion.journal.files import make_private
from companion.letters.live import MOST_BYTES
from companion.network.addresses import own_addresses
from companion.periodic import PeriodicThread
from companion.words import _

PORT = 1883
TRIED_PORTS = 100
START_S, LOOK_S, END_S = 10.0, 2.0, 3.0
MOST_CONNECTIONS = 1_000
HEAD_BYTES = 200  # The head of a packet has its topic.
EAR = "hub"
# Tables say this, and the hub hears it. Nobody else has anything to say or to hear here.
RIGHTS = f"""\
topic write table-companion/+/table
topic write table-companion/+/availability
user {EAR}
topic read table-companion/+/table
"""
PASSWORD_ROUNDS = 101  # As `mosquitto_passwd` has it; nobody gets the file, and the password is random.
CONFIG = """\
{listeners}
allow_anonymous true
acl_file {rights}
password_file {passwords}
persistence false
max_connections {connections}
max_packet_size {bytes}
max_queued_messages 100
log_dest stderr
log_type error
log_type warning
user {user}
"""

log = logging.getLogger(__name__)


def mosquitto() -> str:
    """The program; raises BadInput if it is not installed."""
    program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        raise BadInput(_("The tables aren't shown live: install mosquitto on the hub's computer, then start the hub."))
    return program


class OwnBroker(PeriodicThread):
    """Runs Mosquitto from `start` to `stop`, and starts it again when it has ended.

    port    at which it listens
    ear     as the hub itself reaches it
    """

    def __init__(self, folder: Path, address: str) -> None:
        """folder   for its configuration; address   on which it listens. Raises BadInput if it is not installed."""
        super().__init__("broker", self._look, first_s=LOOK_S, pause_s=LOOK_S)
        self._program = mosquitto()
        self._address = address
        self.port = free_port(address)
        names = ("mosquitto.rights", "mosquitto.passwords", "mosquitto.conf")
        self._rights, self._passwords, self._config = (folder.resolve() / name for name in names)
        self._rights.write_text(RIGHTS, encoding="utf-8")
        password = secrets.token_hex(16)
        make_private(self._passwords)
        self._passwords.write_text(f"{EAR}:{password_hash(password)}\n", encoding="utf-8")
        here = "127.0.0.1" if address == "0.0.0.0" else address
        self.ear = Broker(here, self.port, secure=False, user=EAR, password=password)
        self._process: subprocess.Popen[bytes] | None = None
        self._listened: list[str] = []

    def start(self) -> None:
        """Starts it and waits until it answers; raises BadInput if it does not."""
        self._spawn()
        end_s = time.monotonic() + START_S
        while not self._answers():
            if time.monotonic() > end_s or (self._process and self._process.poll() is not None):
                self._end()
                raise BadInput(_("Mosquitto does not start, so the tables aren't shown live. See the hub's log."))
            time.sleep(0.02)
        super().start()

    def stop(self) -> None:
        super().stop()
        self._end()

    def _look(self) -> float:
        if self._process and (ended := self._process.poll()) is not None:
            self._spawn()
            raise ChildProcessError(f"mosquitto has ended ({ended}), and is started again")
        if any(binds(own, self.port) for own in listened_at(self._address) if own not in self._listened):
            log.info("this machine has another address, so mosquitto is started again")
            self._end()
            self._spawn()
        return LOOK_S

    def _spawn(self) -> None:
        # Mosquitto ends where it cannot listen at one of them.
        others = [own for own in listened_at(self._address) if own != self._address and binds(own, self.port)]
        self._listened = [self._address, *others]
        self._config.write_text(
            CONFIG.format(
                listeners="\n".join(f"listener {self.port} {own}" for own in self._listened),
                rights=self._rights,
                passwords=self._passwords,
                connections=MOST_CONNECTIONS,
                bytes=MOST_BYTES + HEAD_BYTES,
                user=pwd.getpwuid(os.geteuid()).pw_name,  # Started by root, it could not read its files otherwise.
            ),
            encoding="utf-8",
        )
        command = [self._program, "-c", str(self._config)]
        if setpriv := shutil.which("setpriv"):  # A hub that is killed leaves no broker behind.
            command = [setpriv, "--pdeathsig", "TERM", *command]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # A Ctrl+C at the terminal is the hub's, which then ends it.
        )

    def _answers(self) -> bool:
        here = "127.0.0.1" if self._address == "0.0.0.0" else self._address
        with contextlib.suppress(OSError), socket.create_connection((here, self.port), timeout=1):
            return True
        return False

    def _end(self) -> None:
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def password_hash(password: str) -> str:
    """What Mosquitto keeps of a password (PBKDF2 with SHA-512)."""
    salt = secrets.token_bytes(12)
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, PASSWORD_ROUNDS)
    return f"$7${PASSWORD_ROUNDS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def listened_at(address: str) -> list[str]:
    """The addresses at which the broker listens. It is open to whoever reaches it, so of IPv6 it has private ones
    alone: no router hides the others from the Internet."""
    if address != "0.0.0.0":
        return [address]
    return [address, *(own for own in own_addresses() if ":" in own and ipaddress.ip_address(own).is_private)]


def binds(address: str, port: int) -> bool:
    """Whether a program can listen there now."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((address, port))
        return True
    return False


def free_port(address: str) -> int:
    """The first free port from PORT on: often the distribution's own Mosquitto has that one. Raises BadInput."""
    for port in range(PORT, PORT + TRIED_PORTS):
        if binds(address, port):
            return port
    raise BadInput(_("No port is free for Mosquitto. Stop other programs, or start the hub with --no-mqtt."))
