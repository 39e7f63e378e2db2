"""Decides when the table opens its own network, and joins the one that somebody chose."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from companion.network.wifi import profiles
from companion.network.wifi.nmcli import USABLE, WIRELESS, Device, ManagerSilent, NetworkManager
from companion.network.wifi.profiles import CHOSEN, OWN_UUID, Folders
from companion.network.wifi.values import Attempt, Mode, Network, Result, Security, State

NONE_KNOWN_S = 30.0  # The table opens its own network then, where it knows no other.
OUT_OF_REACH_S = 180.0  # Where it knows one, a router needs minutes longer than a Pi after a power cut.
UNUSED_S = 600.0  # Its own network closes if nobody opens the page for so long and another network is known.
ROUND_S = 5.0
FAREWELL_S = 3.0  # The page that says what happens next reaches the phone before its network goes away.

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Join:
    """Join this network."""

    ssid: bytes
    password: str


@dataclass(frozen=True)
class Open:
    """Open the table's own network; where it is open, close it, listen for networks, and open it again."""


@dataclass(frozen=True)
class Close:
    """Close the table's own network."""


Wish = Join | Open | Close


class Keeper:
    """Keeps the table reachable: `look` again and again, from one thread; the rest from any.

    state   as it is now; replaced as a whole
    wake    called when there is a wish, so that `look` comes soon
    """

    def __init__(
        self,
        manager: NetworkManager,
        folders: Folders,
        password: str,
        now: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.state = State(Mode.WAITING, password)
        self.wake: Callable[[], None] = lambda: None
        self._manager = manager
        self._folders = folders
        self._now = now
        self._wait = wait
        self._lock = threading.Lock()
        self._wish: Wish | None = None
        self._alone_since_s = now()
        self._has_been_online = False
        self._used_s = now()
        self._goes_back = False
        self._is_open = False

    def wish_for(self, wish: Wish) -> State:
        """Takes a wish, which the next `look` fulfils; of two the later one counts."""
        with self._lock:
            self._wish = wish
        self.wake()
        return self.state

    def visit(self) -> State:
        """Somebody looks at the page from within the table's own network."""
        self._used_s = self._now()
        return self.state

    def look(self) -> float:
        """One round; returns the seconds until the next."""
        with self._lock:
            wish, self._wish = self._wish, None
        try:
            match wish:
                case Join():
                    self._join(wish)
                case Open():
                    self._open()
                case Close():
                    self._close()
                case None:
                    self._watch()
        except ManagerSilent as silent:
            log.warning("%s", silent.sentence)
            # One answer that did not come, as on a busy machine, takes nobody off the page.
            self.state = replace(self.state, mode=Mode.SETUP if self._is_open else Mode.NO_RADIO, trying=b"")
        return ROUND_S

    def end(self) -> None:
        """Closes the table's own network, if it is open."""
        profiles.lead_nobody(self._folders)
        if self._is_open:
            self._leave()

    def security_of(self, ssid: bytes, password: str) -> Security:
        """How the network of that name is protected: as the radio heard it, else by whether it has a password."""
        network = self._find_network(ssid)
        return network.security if network else Security.PASSWORD if password else Security.OPEN

    def _find_network(self, ssid: bytes) -> Network | None:
        return next((network for network in self.state.networks if network.ssid == ssid), None)

    def _watch(self) -> None:
        devices, now = self._manager.devices(), self._now()
        radio = radio_of(devices)
        if self._is_open:
            if radio is None or radio.state == "disconnected":  # Somebody ended it, or it broke down.
                self._after_closing()
            elif self._goes_back and now - self._used_s >= UNUSED_S:
                self._close()
            else:
                self.state = replace(self.state, mode=Mode.SETUP, trying=b"")  # An attempt may have broken off.
            return
        if is_online(devices):
            self._has_been_online = True
            joined = self._manager.joined(radio.name) if radio and radio.state == "connected" else b""
            self.state = replace(self.state, mode=Mode.ONLINE, joined=joined, trying=b"")
            return
        self.state = replace(self.state, mode=Mode.WAITING if radio else Mode.NO_RADIO, joined=b"", trying=b"")
        if radio and not self._has_been_online:
            knows_network = self._knows_one()
            if now - self._alone_since_s >= (OUT_OF_REACH_S if knows_network else NONE_KNOWN_S):
                self._open()

    def _knows_one(self) -> bool:
        """Whether a Wi-Fi is saved that NetworkManager joins by itself."""
        return any(profile.kind == WIRELESS and profile.connects_itself for profile in self._manager.profiles())

    def _open(self) -> None:
        """Opens the table's own network. The radio listens before: it hears no other one while it makes its own."""
        if self._is_open:
            self._leave()
        devices = self._manager.devices()
        radio = radio_of(devices)
        if radio is None:
            self.state = replace(self.state, mode=Mode.NO_RADIO, trying=b"")
            return
        networks = self._manager.networks(radio.name) or self.state.networks
        self.state = replace(self.state, networks=networks)
        try:
            profiles.lead_every_name_here(self._folders)
        except OSError as error:  # The disk cannot be written: phones then have to be told the address.
            log.warning("Phones will not open the page by themselves: %s", error)
        self._manager.load(profiles.write_own_network(self._folders, radio.name, self.state.password))
        result = self._manager.join(OWN_UUID, radio.name)
        if result is not Result.JOINED:
            self._after_closing()
            log.warning("The table's own network cannot be opened (%s).", result)
            return
        self._is_open, self._used_s = True, self._now()
        self._goes_back = self._knows_one() or is_online(devices, but=radio)
        self.state = replace(self.state, mode=Mode.SETUP, joined=b"", trying=b"")

    def _close(self) -> None:
        self._leave()
        self._after_closing()

    def _after_closing(self) -> None:
        """After its own network has ended: NetworkManager has its time again to find another one."""
        profiles.lead_nobody(self._folders)
        self._is_open = False
        self._alone_since_s = self._now()
        self.state = replace(self.state, mode=Mode.WAITING, trying=b"")

    def _leave(self) -> None:
        self._is_open = False
        try:
            self._manager.leave(OWN_UUID)
        except ManagerSilent as silent:  # It was down already.
            log.info("%s", silent.sentence)

    def _join(self, wish: Join) -> None:
        """Tries a network. If it does not work out, whatever was there before comes back: the table's own network, or
        the one that NetworkManager joins by itself."""
        self.state = replace(self.state, mode=Mode.TRYING, trying=wish.ssid)
        self._wait(FAREWELL_S)
        radio = radio_of(self._manager.devices())
        if radio is None:
            self.state = replace(self.state, mode=Mode.NO_RADIO, trying=b"")
            return
        before = [profile for profile in self._manager.profiles() if profile.name == f"{CHOSEN}{wish.ssid.hex()}"]
        security = self.security_of(wish.ssid, wish.password)
        uuid, file = profiles.write_chosen_network(
            self._folders, wish.ssid, wish.password, security, is_hidden=self._find_network(wish.ssid) is None
        )
        try:
            self._manager.load(file)
        except ManagerSilent:
            file.unlink(missing_ok=True)  # It has the password, and nobody would delete it later.
            raise
        result = self._manager.join(uuid, radio.name)
        self.state = replace(self.state, tried=Attempt(wish.ssid, result))
        if result is not Result.JOINED:
            self._manager.delete(uuid)
            if self._is_open:  # The radio has left it, so it opens anew.
                self._open()
            else:
                self._after_closing()
            return
        self._manager.keep(uuid)
        for older in before:
            self._manager.delete(older.uuid)
        profiles.lead_nobody(self._folders)
        self._is_open, self._has_been_online = False, True
        self.state = replace(self.state, mode=Mode.ONLINE, joined=wish.ssid, trying=b"")


def radio_of(devices: list[Device]) -> Device | None:
    """The first Wi-Fi device that can be used."""
    return next((device for device in devices if device.kind == "wifi" and device.state in USABLE), None)


def is_online(devices: list[Device], but: Device | None = None) -> bool:
    """Whether a cable or a Wi-Fi is connected, one device left out."""
    return any(
        device.kind in ("wifi", "ethernet") and device.state == "connected" and device != but for device in devices
    )
