"""What is known of the Wi-Fi around the table: plain values, which go through the helper's socket as JSON."""

import string
from dataclasses import dataclass
from enum import StrEnum

from companion.errors import BadInput
from companion.periodic import Life
from companion.words import _

NAME = "table-setup"
ADDRESS = "10.42.77.1"  # It is the table's in its own network.
NETWORK = f"{ADDRESS}/24"
LONGEST_NAME = 32  # IEEE 802.11 counts bytes.
SHORTEST_PASSWORD, LONGEST_PASSWORD = 8, 63  # IEEE 802.11i counts characters.
KEY_DIGITS = 64  # A network's key may stand in place of its password.


class Security(StrEnum):
    """How a network is protected."""

    OPEN = "open"
    PASSWORD = "password"
    PASSWORD_3 = "password-3"  # Only WPA3 is spoken.
    OTHER = "other"  # A name besides the password, a certificate, or the broken WEP is not supported.


class Mode(StrEnum):
    """What the table's Wi-Fi does now."""

    WAITING = "waiting"  # NetworkManager still looks for a network.
    ONLINE = "online"
    SETUP = "setup"  # The table's own network is open.
    TRYING = "trying"  # The table tries a network that somebody chose.
    NO_RADIO = "no-radio"  # There is no Wi-Fi here, or it is switched off.


class Result(StrEnum):
    """How a try to join a network ended."""

    JOINED = "joined"
    WRONG_PASSWORD = "wrong-password"
    OUT_OF_REACH = "out-of-reach"
    NO_ADDRESS = "no-address"
    FAILED = "failed"


@dataclass(frozen=True)
class Network:
    """A network that the radio hears.

    ssid    its name as bytes, mostly UTF-8
    signal  0 to 100
    """

    ssid: bytes
    signal: int
    security: Security

    @property
    def name(self) -> str:
        """Its name as people know it."""
        return readable(self.ssid)


@dataclass(frozen=True)
class Attempt:
    """The newest try to join a network."""

    ssid: bytes
    result: Result

    @property
    def name(self) -> str:
        """The network's name as people know it."""
        return readable(self.ssid)


@dataclass(frozen=True)
class State:
    """The table's Wi-Fi now.

    password    of the table's own network
    networks    those heard, the strongest first; what the radio heard last, as it hears none while its own is open
    trying      the network that is tried now, or is next
    tried       how the newest try ended, None before the first
    joined      the name of the Wi-Fi that the table is in, b"" for none
    threads     how the helper's threads are
    """

    mode: Mode
    password: str
    networks: tuple[Network, ...] = ()
    trying: bytes = b""
    tried: Attempt | None = None
    joined: bytes = b""
    threads: tuple[Life, ...] = ()

    @property
    def joined_name(self) -> str:
        """The name of the Wi-Fi that the table is in, as people know it."""
        return readable(self.joined)

    @property
    def trying_name(self) -> str:
        """The name of the network that is tried, as people know it."""
        return readable(self.trying)


def readable(ssid: bytes) -> str:
    """The name of a network for people; bytes that are no UTF-8, and what no page can show, as question marks."""
    text = ssid.decode("utf-8", "replace")
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def check_choice(ssid: bytes, password: str, security: Security) -> None:
    """Raises BadInput with one sentence if no network can have this name or this password."""
    if not 0 < len(ssid) <= LONGEST_NAME:
        raise BadInput(_("The name of a Wi-Fi has 1 to 32 letters. Type it as the router's label shows it."))
    if security is Security.OTHER:
        raise BadInput(_("This Wi-Fi wants more than a password, which the table can't give. Choose another one."))
    if security is Security.OPEN:
        return
    is_key = len(password) == KEY_DIGITS and set(password) <= set(string.hexdigits)
    if not is_key and not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise BadInput(_("The password of a Wi-Fi has 8 to 63 letters. Look at the router's label and type it again."))
    if not all(" " <= letter <= "~" for letter in password):
        raise BadInput(
            _("The password of a Wi-Fi has plain letters, digits and signs only, no accents. Type it again.")
        )
