"""The table's name in the local network: `table.local`, or `table-2.local` if another table has that name already.

The name is claimed on a thread of its own, and again whenever the machine's addresses change. Whatever fails there,
the table goes on: tablets can still use its address.
"""

import ipaddress
import logging
from collections.abc import Callable, Iterable
from typing import Protocol

from companion.network.addresses import in_url, own_addresses
from companion.periodic import PeriodicThread

NAME = "table"
MOST_TABLES = 20  # If so many names are taken, something else is wrong.
LOOK_S = 20.0
HUNG_S = 300.0  # Each of MOST_TABLES names may be asked for.
ANSWER_MS = 1_500  # The holders of a name may answer over slow Wi-Fi.
SERVICE = "_http._tcp.local."

log = logging.getLogger(__name__)


class Responder(Protocol):
    """Speaks multicast DNS on this machine's addresses."""

    def holders(self, label: str) -> set[str]:
        """The addresses that answer to `label`.local, including this machine's own if it has claimed the name."""

    def claim(self, label: str, port: int) -> bool:
        """Answers to `label`.local from now on, and announces the pages there; returns False when the name is taken."""

    def close(self) -> None:
        """Gives back the claimed name."""


class Announcer(PeriodicThread):
    """Holds a name in the network for as long as it runs.

    tell            called with the URLs of the pages, the one by name first; empty without a network
    open_responder  opens a responder on these addresses; `Zeroconf` unless a test hands in another
    """

    def __init__(
        self,
        port: int,
        tell: Callable[[tuple[str, ...]], None],
        *,
        open_responder: "Callable[[tuple[str, ...]], Responder] | None" = None,
        addresses: "Callable[[], tuple[str, ...]] | None" = None,
    ) -> None:
        super().__init__("name in the network", self._keep, hung_s=HUNG_S)
        self.name: str | None = None
        self._port = port
        self._tell = tell
        self._open_responder = open_responder or Zeroconf
        self._find_addresses = addresses or own_addresses
        self._addresses: tuple[str, ...] | None = None
        self._responder: Responder | None = None

    def stop(self) -> None:
        super().stop()
        self._release()

    def _keep(self) -> float:
        try:
            self.look()
        except Exception as error:  # A network may fail in any way; the table does not depend on it.
            log.warning("The table's name cannot be announced (%s); it is tried again.", error)
            addresses = self._addresses or ()
            self._release()
            self._tell(tuple(url(address, self._port) for address in addresses))
        return LOOK_S

    def look(self) -> None:
        """Claims a name if the addresses have changed, or if another machine has claimed the same name."""
        addresses = self._find_addresses()
        if addresses == self._addresses and not self._must_yield():
            return
        self._release()
        if addresses:
            self._responder = self._open_responder(addresses)
            self.name = claim_name(self._responder, addresses, self._port)
        self._addresses = addresses
        names = (f"{self.name}.local",) if self.name else ()
        self._tell(tuple(url(name, self._port) for name in (*names, *addresses)))

    def _must_yield(self) -> bool:
        """Whether another table with a lower address has claimed the same name: that table keeps it."""
        if self._responder is None or self.name is None or not self._addresses:
            return False
        others = self._responder.holders(self.name) - set(self._addresses)
        return bool(others) and min(map(number, others)) < min(map(number, self._addresses))

    def _release(self) -> None:
        responder, self._responder, self.name, self._addresses = self._responder, None, None, None
        if responder is not None:
            responder.close()


def claim_name(responder: Responder, addresses: Iterable[str], port: int) -> str | None:
    """Claims the first free name and returns it, or None if there is none."""
    own = set(addresses)
    for count in range(1, MOST_TABLES + 1):
        label = NAME if count == 1 else f"{NAME}-{count}"
        if not responder.holders(label) - own and responder.claim(label, port):
            return label
    return None


def url(name: str, port: int) -> str:
    """The URL of the pages as people type it."""
    return f"http://{in_url(name)}" if port == 80 else f"http://{in_url(name)}:{port}"


def number(address: str) -> int:
    return int(ipaddress.ip_address(address))


class Zeroconf:
    """Multicast DNS through python-zeroconf, which shares its port with a system's own responder."""

    def __init__(self, addresses: tuple[str, ...]) -> None:
        import zeroconf

        self._zeroconf = zeroconf
        self._addresses = addresses
        self._speaker = zeroconf.Zeroconf(interfaces=list(addresses))

    def holders(self, label: str) -> set[str]:
        kind = f"AddressResolverIPv{ipaddress.ip_address(self._addresses[0]).version}"
        resolver = getattr(self._zeroconf, kind)(f"{label}.local.")
        resolver.request(self._speaker, ANSWER_MS)
        return set(resolver.parsed_addresses())

    def claim(self, label: str, port: int) -> bool:
        info = self._zeroconf.ServiceInfo(
            SERVICE,
            f"{label}.{SERVICE}",
            port=port,
            server=f"{label}.local.",
            parsed_addresses=list(self._addresses),
            properties={"path": "/"},
        )
        try:
            self._speaker.register_service(info)
        except self._zeroconf.NonUniqueNameException:
            return False
        return True

    def close(self) -> None:
        self._speaker.close()
