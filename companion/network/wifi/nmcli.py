"""Speaks with NetworkManager by its own command `nmcli`, with fixed arguments and no shell.

It comes with NetworkManager, so it is there wherever there is something to talk to, and its terse output is made for
programs. Of the libraries for its D-Bus interface one was last published in 2023 and the others would bring a D-Bus
stack into a process of root's. No password is ever an argument: other users can read those. It stands in a file.
"""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from companion.errors import HardwareUnavailable
from companion.network.wifi.values import Network, Result, Security

ANSWER_S = 20.0  # The answer needs no radio.
SCAN_S = 40.0
JOIN_S = 60  # A network must have let the table in and given it an address by then.
USABLE = ("connected", "connecting", "disconnected", "deactivating")  # Such a radio is there and switched on.
WIRELESS = "802-11-wireless"
REASONS = {  # nmcli says this of an attempt that failed, as libnm has it.
    "Secrets were required, but not provided": Result.WRONG_PASSWORD,
    "802.1X supplicant disconnected": Result.WRONG_PASSWORD,
    "802.1X supplicant took too long to authenticate": Result.WRONG_PASSWORD,
    "The Wi-Fi network could not be found": Result.OUT_OF_REACH,
    "IP configuration could not be reserved": Result.NO_ADDRESS,
    "DHCP client": Result.NO_ADDRESS,
}


class ManagerSilent(HardwareUnavailable):
    """NetworkManager is not there, does not answer, or refuses."""


@dataclass(frozen=True)
class Device:
    """A device as NetworkManager has it; `state` without what stands in brackets after it."""

    name: str
    kind: str
    state: str


@dataclass(frozen=True)
class Profile:
    """A saved connection."""

    uuid: str
    name: str
    kind: str
    connects_itself: bool


class NetworkManager:
    """NetworkManager, by its command."""

    def __init__(self, program: str = "nmcli") -> None:
        self._program = program

    def devices(self) -> list[Device]:
        rows = self._table("DEVICE,TYPE,STATE", "device", "status")
        return [Device(name, kind, state.partition(" ")[0]) for name, kind, state in rows]

    def profiles(self) -> list[Profile]:
        rows = self._table("UUID,NAME,TYPE,AUTOCONNECT", "connection", "show")
        return [Profile(uuid, name, kind, itself == "yes") for uuid, name, kind, itself in rows]

    def networks(self, radio: str) -> tuple[Network, ...]:
        """The networks that the radio hears, the strongest first, each name once; it listens anew for it."""
        rows = self._table(
            "SSID-HEX,SIGNAL,SECURITY", "device", "wifi", "list", "ifname", radio, "--rescan", "yes", wait_s=SCAN_S
        )
        networks: dict[bytes, Network] = {}
        for ssid, signal, security in rows:
            name = bytes.fromhex(ssid) if ssid != "--" else b""
            if name.strip(b"\0") and (name not in networks or networks[name].signal < int(signal)):
                networks[name] = Network(name, int(signal), security_of(security))
        return tuple(sorted(networks.values(), key=lambda network: (-network.signal, network.ssid)))

    def joined(self, radio: str) -> bytes:
        """The name of the network that the radio is in, b"" for none."""
        rows = self._table("ACTIVE,SSID-HEX", "device", "wifi", "list", "ifname", radio, "--rescan", "no")
        return next((bytes.fromhex(ssid) for active, ssid in rows if active == "yes" and ssid != "--"), b"")

    def load(self, file: Path) -> None:
        """Has it read the file of a profile."""
        self._run("connection", "load", str(file))

    def join(self, uuid: str, radio: str) -> Result:
        """Begins a connection and waits for how it ends."""
        command = ("--wait", str(JOIN_S), "connection", "up", "uuid", uuid, "ifname", radio)
        try:
            self._run(*command, wait_s=JOIN_S + ANSWER_S)
        except ManagerSilent as silent:
            return next((result for output, result in REASONS.items() if output in silent.sentence), Result.FAILED)
        return Result.JOINED

    def leave(self, uuid: str) -> None:
        self._run("connection", "down", "uuid", uuid)

    def keep(self, uuid: str) -> None:
        """Lets a profile connect by itself from now on."""
        self._run("connection", "modify", "uuid", uuid, "connection.autoconnect", "yes")

    def delete(self, uuid: str) -> None:
        self._run("connection", "delete", "uuid", uuid)

    def _table(self, fields: str, *arguments: str, wait_s: float = ANSWER_S) -> list[list[str]]:
        """The rows of a table, each with the fields that were asked for."""
        output = self._run("--fields", fields, *arguments, wait_s=wait_s)
        return [list(parts_of(line)) for line in output.splitlines() if line]

    def _run(self, *arguments: str, wait_s: float = ANSWER_S) -> str:
        """What it says; raises ManagerSilent with its own sentence."""
        command = [self._program, "--terse", "--colors", "no", *arguments]
        english = {"LC_ALL": "C.UTF-8", "PATH": os.environ.get("PATH", os.defpath)}
        try:
            process = subprocess.run(
                command, env=english, stdin=subprocess.DEVNULL, capture_output=True, timeout=wait_s, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ManagerSilent(f"NetworkManager does not answer: {error}") from error
        if process.returncode:
            raise ManagerSilent(
                process.stderr.decode(errors="replace").strip() or f"nmcli ended with {process.returncode}"
            )
        return process.stdout.decode(errors="replace")


def parts_of(line: str) -> Iterator[str]:
    """The fields of a terse line: a colon ends a field, a backslash takes the next character as it is."""
    field, letters = "", iter(line)
    for letter in letters:
        if letter == ":":
            yield field
            field = ""
        else:
            field += next(letters, "") if letter == "\\" else letter
    yield field


def security_of(words: str) -> Security:
    """How a network is protected, by nmcli's column SECURITY, such as "WPA1 WPA2" or "WPA2 802.1X"."""
    words_ = set(words.split()) - {"--"}
    if not words_ or words_ <= {"OWE", "OWE-TM"}:
        return Security.OPEN
    if "802.1X" in words_ or "WEP" in words_:
        return Security.OTHER
    if words_ & {"WPA1", "WPA2"}:
        return Security.PASSWORD
    return Security.PASSWORD_3 if "WPA3" in words_ else Security.OTHER
