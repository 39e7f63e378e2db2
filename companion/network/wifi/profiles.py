"""Files for NetworkManager, in the form of nm-settings-keyfile(5): the table's own network, and those it may join."""

import contextlib
import logging
import os
import uuid
from dataclasses import dataclass
from pathlib import Path

from companion.network.wifi.values import ADDRESS, NAME, NETWORK, Security

OWN_UUID = "2d0f7a2e-5a0c-4d5c-9a55-7461626c6531"  # The table's own network has it on every table.
CHOSEN = "table chose "  # The names of profiles that were chosen on the page begin so.
FILE_SUFFIX = ".nmconnection"
LEADS = "table-setup.conf"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Folders:
    """Where NetworkManager reads files.

    lasting     profiles that stay
    passing     profiles that a restart forgets
    names       what the name server of a network that is shared is told besides
    """

    lasting: Path = Path("/etc/NetworkManager/system-connections")
    passing: Path = Path("/run/NetworkManager/system-connections")
    names: Path = Path("/etc/NetworkManager/dnsmasq-shared.d")


def write_own_network(folders: Folders, radio: str, password: str) -> Path:
    """Writes the profile of the table's own network; the next start of the machine has forgotten it."""
    text = f"""\
[connection]
id={NAME}
uuid={OWN_UUID}
type=wifi
interface-name={radio}
autoconnect=false

[wifi]
mode=ap
band=bg
ssid={ssid_text(NAME.encode())}

[wifi-security]
key-mgmt=wpa-psk
proto=rsn;
pairwise=ccmp;
group=ccmp;
psk={escaped(password)}

[ipv4]
method=shared
address1={NETWORK}

[ipv6]
method=disabled
"""
    return write(folders.passing / f"{NAME}{FILE_SUFFIX}", text)


def write_chosen_network(
    folders: Folders, ssid: bytes, password: str, security: Security, *, is_hidden: bool
) -> tuple[str, Path]:
    """Writes the profile of a network that somebody chose; returns its UUID and its file.

    It does not connect by itself: only once it has been joined it is told to, so a mistyped password is never
    taken for a network of the house.
    """
    name = str(uuid.uuid4())
    parts = [
        f"[connection]\nid={CHOSEN}{ssid.hex()}\nuuid={name}\ntype=wifi\nautoconnect=false\n",
        f"[wifi]\nmode=infrastructure\nssid={ssid_text(ssid)}\n" + ("hidden=true\n" if is_hidden else ""),
        "[ipv4]\nmethod=auto\n\n[ipv6]\nmethod=auto\n",
    ]
    if security is not Security.OPEN:
        key = "sae" if security is Security.PASSWORD_3 else "wpa-psk"
        parts.insert(2, f"[wifi-security]\nkey-mgmt={key}\npsk={escaped(password)}\n")
    file, text = f"table-{name}{FILE_SUFFIX}", "\n".join(parts)
    try:
        return name, write(folders.lasting / file, text)
    except OSError as error:  # The disk cannot be written: until the next restart is better than not at all.
        log.warning("The Wi-Fi that was chosen will be forgotten by a restart: %s", error)
        return name, write(folders.passing / file, text)


def lead_every_name_here(folders: Folders) -> None:
    """Has whoever is in the table's own network led to the table whatever they ask for: phones then open the page."""
    write(folders.names / LEADS, f"address=/#/{ADDRESS}\n")


def lead_nobody(folders: Folders) -> None:
    """Takes that back: a network that the house shares through this machine is none of the table's business."""
    leads = folders.names / LEADS
    try:
        leads.unlink(missing_ok=True)
    except OSError as error:  # A disk that cannot be written says so even where there is no such file.
        if leads.exists():
            log.warning("Phones in a network that this machine shares will be led to the table: %s", error)


def ssid_text(ssid: bytes) -> str:
    """A network's name as a list of bytes: no character of it means anything in the file."""
    return "".join(f"{byte};" for byte in ssid)


def escaped(text: str) -> str:
    """A value as GLib's key files want it: a backslash, and a space where it would be left away."""
    return text.replace("\\", "\\\\").replace(" ", "\\s")


def write(path: Path, text: str) -> Path:
    """Writes a file that only its owner can read, in one step: NetworkManager takes no other, and no half ones."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    with contextlib.suppress(FileNotFoundError):
        new.unlink()
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    return path
