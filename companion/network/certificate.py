"""A small certificate authority of the house, and the certificate with which its table serves https.

It exists for features that browsers allow over https only: an app that opens offline, a screen that stays on. The
authority is limited to names of the local network, so its key, if stolen, cannot impersonate a site on the Internet.
openssl, which every Debian has, does the cryptography: the Python package of that name would save some 25 lines here,
and takes 16 MB of the card and 12 MB of memory.
"""

import datetime
import ipaddress
import os
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from companion.errors import BadInput
from companion.words import _

FOLDER = "certificate"
AUTHORITY, AUTHORITY_KEY, TABLE = "authority.crt", "authority.key", "table.pem"
AUTHORITY_DAYS = 3650  # A new authority would have to be installed on every tablet again.
TABLE_DAYS = 397  # Some systems refuse a longer validity.
RENEWAL_DAYS = 30
TABLE_NAMES = ("table.local", "table-2.local", "table-3.local")  # companion.network.mdns takes these names.
LOCAL_NETWORKS = tuple(
    map(
        ipaddress.ip_network,
        ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10"),
    )
)
OPENSSL_S = 60.0  # A busy Pi Zero may need so long.

SECTIONS = """
[req]
distinguished_name = name
prompt = no
[name]
CN = {name}
[authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
nameConstraints = critical, permitted;DNS:local, {networks}
[table]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = {names}
"""


class HouseCertificate:
    """The authority and the table's certificate in one folder.

    The authority has two files. The table's certificate and its key are in one file, so that a renewed pair replaces
    the old one atomically.
    """

    def __init__(self, data: Path) -> None:
        self.folder = data / FOLDER
        self.authority, self.table = self.folder / AUTHORITY, self.folder / TABLE

    def exists(self) -> bool:
        return self.authority.is_file() and self.table.is_file()

    def make(self, addresses: Iterable[str]) -> None:
        """Makes a new certificate for the table under these addresses, and the authority if there is none yet.

        Raises BadInput if openssl is missing or fails.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.folder) as work:
            if not (self.authority.is_file() and (self.folder / AUTHORITY_KEY).is_file()):
                self._make_authority(Path(work))
            self._make_table(Path(work), names_of(addresses))

    def renew(self, addresses: Iterable[str]) -> bool:
        """Makes a new certificate if the present one ends soon or lacks an address; returns whether it did."""
        names = names_of(addresses)
        if self.ends() - now() > datetime.timedelta(days=RENEWAL_DAYS) and names <= self.names():
            return False
        self.make(addresses)
        return True

    def ends(self) -> datetime.datetime:
        """The end of the validity of the table's certificate."""
        output = openssl("x509", "-in", str(self.table), "-noout", "-enddate", "-dateopt", "iso_8601")
        return datetime.datetime.fromisoformat(output.strip().removeprefix("notAfter=").replace("Z", "+00:00"))

    def names(self) -> set[str]:
        """The names and addresses in the table's certificate, as "DNS:…" and "IP:…"."""
        output = openssl("x509", "-in", str(self.table), "-noout", "-ext", "subjectAltName")
        addresses = {f"IP:{ipaddress.ip_address(name_)}" for name_ in re.findall(r"IP Address:([^,\s]+)", output)}
        return addresses | {f"DNS:{name_}" for name_ in re.findall(r"DNS:([^,\s]+)", output)}

    def fingerprint(self) -> str:
        """The SHA-256 fingerprint of the authority, to be compared on a tablet."""
        return (
            openssl("x509", "-in", str(self.authority), "-noout", "-fingerprint", "-sha256").partition("=")[2].strip()
        )

    def _make_authority(self, work: Path) -> None:
        machine = re.sub(r"[^A-Za-z0-9-]", "", socket.gethostname())
        config = sections(work, name=f"Table companion of {machine or 'this house'}")
        key, certificate = work / AUTHORITY_KEY, work / AUTHORITY
        openssl(
            "req", "-x509", *new_key(key), "-out", str(certificate), "-days", str(AUTHORITY_DAYS),
            "-config", str(config), "-extensions", "authority", "-sha256",
        )  # fmt: skip
        put(key, self.folder / AUTHORITY_KEY)
        put(certificate, self.authority)

    def _make_table(self, work: Path, names: set[str]) -> None:
        config = sections(work, name=TABLE_NAMES[0], names=sorted(names))
        key, request, certificate, both = (work / name for name in ("table.key", "table.csr", "table.crt", TABLE))
        openssl("req", *new_key(key), "-out", str(request), "-config", str(config))
        openssl(
            "x509", "-req", "-in", str(request), "-CA", str(self.authority), "-CAkey", str(self.folder / AUTHORITY_KEY),
            "-set_serial", f"0x{secrets.token_hex(16)}", "-days", str(TABLE_DAYS), "-sha256",
            "-extfile", str(config), "-extensions", "table", "-out", str(certificate),
        )  # fmt: skip
        both.write_bytes(key.read_bytes() + certificate.read_bytes())
        put(both, self.table)


def names_of(addresses: Iterable[str]) -> set[str]:
    """The names and local addresses under which a tablet may open the table, as "DNS:…" and "IP:…"."""
    machine = f"{socket.gethostname().casefold()}.local"
    names = {*TABLE_NAMES, *([machine] if re.fullmatch(r"[a-z0-9-]{1,63}\.local", machine) else [])}
    ips = (ipaddress.ip_address(address) for address in addresses)
    own = {f"IP:{address}" for address in ips if any(address in network for network in LOCAL_NETWORKS)}
    return own | {f"DNS:{name}" for name in names}


def new_key(path: Path) -> tuple[str, ...]:
    """The arguments with which openssl makes a new key in `path`."""
    return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", str(path))


def sections(work: Path, name: str, names: Iterable[str] = TABLE_NAMES[:0]) -> Path:
    """Writes openssl's configuration for a certificate; returns its path."""
    networks = ", ".join(f"permitted;IP:{network.with_netmask}" for network in LOCAL_NETWORKS)
    config = work / "sections.cnf"
    config.write_text(SECTIONS.format(name=name, networks=networks, names=", ".join(names) or "DNS:table.local"))
    return config


def openssl(*arguments: str) -> str:
    """The output of an openssl command; raises BadInput if it fails."""
    command = shutil.which("openssl")
    if command is None:
        raise BadInput(_("There's no openssl here to make certificates. Install it with sudo apt install openssl."))
    try:
        process = subprocess.run(
            [command, *arguments], capture_output=True, text=True, timeout=OPENSSL_S, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired as error:
        raise BadInput(_("openssl didn't answer within a minute. Try again when the computer is less busy.")) from error
    if process.returncode != 0:
        why = (process.stderr.strip().splitlines() or [_("no reason given")])[-1]
        raise BadInput(_("openssl couldn't do it ({why}). Delete the certificate folder and make a new one.", why=why))
    return process.stdout


def put(path: Path, place: Path) -> None:
    """Moves a file to its place atomically, readable only by its owner."""
    path.chmod(0o600)
    with path.open("rb") as file:
        os.fsync(file.fileno())
    path.replace(place)


def now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
