"""A small certificate authority of the house, and the certificate with which its table serves https.

It exists for what browsers allow on https only: an app that opens without the table, a screen that stays on. The
authority is bound to names of the local network, so a stolen key of it can speak for no site of the Internet. The work
is openssl's, which every Debian has; nothing here computes with keys.
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

FOLDER = "certificate"  # within the data folder
AUTHORITY, AUTHORITY_KEY, TABLE = "authority.crt", "authority.key", "table.pem"
AUTHORITY_DAYS = 3650  # a tablet trusts it once; a new one has to be installed everywhere again
TABLE_DAYS = 397  # some systems refuse a certificate that holds for longer
RENEWED_DAYS = 30  # before it ends
TABLE_NAMES = ("table.local", "table-2.local", "table-3.local")  # as companion.network.mdns takes them
LOCAL_NETWORKS = tuple(
    map(
        ipaddress.ip_network,
        ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10"),
    )
)
OPENSSL_S = 60.0  # a Pi Zero that is busy

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

    Two files are the authority's; one holds the table's certificate and its key together, so that a renewed pair takes
    the place of the old one at one stroke.
    """

    def __init__(self, data: Path) -> None:
        self.folder = data / FOLDER
        self.authority, self.table = self.folder / AUTHORITY, self.folder / TABLE

    def exists(self) -> bool:
        """Whether the house has made one."""
        return self.authority.is_file() and self.table.is_file()

    def make(self, addresses: Iterable[str]) -> None:
        """An authority where there is none yet, and a new certificate for the table under these addresses.

        Raises BadInput with what to do where openssl is missing or refuses.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.folder) as work:
            if not (self.authority.is_file() and (self.folder / AUTHORITY_KEY).is_file()):
                self._make_authority(Path(work))
            self._make_table(Path(work), names_of(addresses))

    def renew(self, addresses: Iterable[str]) -> bool:
        """Makes the table's certificate anew where it ends soon or an address is missing; whether it did."""
        wanted = names_of(addresses)
        if self.ends() - now() > datetime.timedelta(days=RENEWED_DAYS) and wanted <= self.names():
            return False
        self.make(addresses)
        return True

    def ends(self) -> datetime.datetime:
        """When the table's certificate is no longer good."""
        said = openssl("x509", "-in", str(self.table), "-noout", "-enddate", "-dateopt", "iso_8601")
        return datetime.datetime.fromisoformat(said.strip().removeprefix("notAfter=").replace("Z", "+00:00"))

    def names(self) -> set[str]:
        """The names and addresses that the table's certificate is for, as openssl writes them in a request."""
        said = openssl("x509", "-in", str(self.table), "-noout", "-ext", "subjectAltName")
        addresses = {f"IP:{ipaddress.ip_address(found)}" for found in re.findall(r"IP Address:([^,\s]+)", said)}
        return addresses | {f"DNS:{found}" for found in re.findall(r"DNS:([^,\s]+)", said)}

    def fingerprint(self) -> str:
        """Of the authority, to be compared on the tablet that is to trust it."""
        return (
            openssl("x509", "-in", str(self.authority), "-noout", "-fingerprint", "-sha256").partition("=")[2].strip()
        )

    def _make_authority(self, work: Path) -> None:
        machine = re.sub(r"[^A-Za-z0-9-]", "", socket.gethostname())
        config = sections(work, name=f"Table companion of {machine or 'this house'}")
        key, made = work / AUTHORITY_KEY, work / AUTHORITY
        openssl(
            "req", "-x509", *new_key(key), "-out", str(made), "-days", str(AUTHORITY_DAYS), "-config", str(config),
            "-extensions", "authority", "-sha256",
        )  # fmt: skip
        put(key, self.folder / AUTHORITY_KEY)
        put(made, self.authority)

    def _make_table(self, work: Path, names: set[str]) -> None:
        config = sections(work, name=TABLE_NAMES[0], names=sorted(names))
        key, asked, made, both = (work / name for name in ("table.key", "table.csr", "table.crt", TABLE))
        openssl("req", *new_key(key), "-out", str(asked), "-config", str(config))
        openssl(
            "x509", "-req", "-in", str(asked), "-CA", str(self.authority), "-CAkey", str(self.folder / AUTHORITY_KEY),
            "-set_serial", f"0x{secrets.token_hex(16)}", "-days", str(TABLE_DAYS), "-sha256",
            "-extfile", str(config), "-extensions", "table", "-out", str(made),
        )  # fmt: skip
        both.write_bytes(key.read_bytes() + made.read_bytes())
        put(both, self.table)


def names_of(addresses: Iterable[str]) -> set[str]:
    """Everything under which a tablet may type the table, of the local network alone."""
    machine = f"{socket.gethostname().casefold()}.local"
    names = {*TABLE_NAMES, *([machine] if re.fullmatch(r"[a-z0-9-]{1,63}\.local", machine) else [])}
    found = (ipaddress.ip_address(address) for address in addresses)
    own = {f"IP:{address}" for address in found if any(address in network for network in LOCAL_NETWORKS)}
    return own | {f"DNS:{name}" for name in names}


def new_key(path: Path) -> tuple[str, ...]:
    """What makes openssl draw a new key into `path`."""
    return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", str(path))


def sections(work: Path, name: str, names: Iterable[str] = TABLE_NAMES[:0]) -> Path:
    """openssl's own file of what a certificate says."""
    networks = ", ".join(f"permitted;IP:{network.with_netmask}" for network in LOCAL_NETWORKS)
    config = work / "sections.cnf"
    config.write_text(SECTIONS.format(name=name, networks=networks, names=", ".join(names) or "DNS:table.local"))
    return config


def openssl(*arguments: str) -> str:
    """What the command says; raises BadInput with one sentence when it cannot do it."""
    command = shutil.which("openssl")
    if command is None:
        raise BadInput(
            _("There is no openssl here, which makes certificates: install it with sudo apt install openssl.")
        )
    try:
        done = subprocess.run(
            [command, *arguments], capture_output=True, text=True, timeout=OPENSSL_S, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired as error:
        raise BadInput(_("openssl did not answer within a minute: try again when the machine is less busy.")) from error
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or [_("no reason given")])[-1]
        raise BadInput(_("openssl could not do it ({why}): delete the certificate folder and make a new one.", why=why))
    return done.stdout


def put(made: Path, place: Path) -> None:
    """Puts a file in its place at one stroke, readable for its owner alone."""
    made.chmod(0o600)
    with made.open("rb") as written:
        os.fsync(written.fileno())
    made.replace(place)


def now() -> datetime.datetime:
    """The moment, as certificates count it."""
    return datetime.datetime.now(datetime.UTC)
