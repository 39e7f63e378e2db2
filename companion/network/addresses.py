"""Addresses: under which ones other devices reach this machine, and which addresses one device may have.

`reachable` alone decides the first; codes, the name in the network, the certificate, `companion doctor` and what a
start prints ask it through `own_address` and `own_addresses`.
"""

import ipaddress
from collections.abc import Sequence
from enum import IntEnum

from companion.errors import BadInput
from companion.network.links import LOOPBACK, POINT_TO_POINT, RUNNING, Address, Interface, interfaces

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

VPN_KINDS = ("tun", "wireguard", "ovpn", "xfrm")
VIRTUAL_KINDS = ("veth", "dummy", "ifb", "tun", "vxlan", "geneve", "gre", "gretap", "ip6gretap", "ipip", "sit", "vcan")
UNBRIDGED_KINDS = ("bridge", "openvswitch", *VIRTUAL_KINDS)  # A bridge of these alone leads to no other machine.
DOCKER_POOL = ipaddress.ip_network("172.16.0.0/12")


class Reach(IntEnum):
    """How likely others reach an address of an interface; only the addresses of the best kind count."""

    CARD = 0
    VIRTUAL = 1  # A container has nothing else.
    VPN = 2
    ROUTED = 3  # An address on the loopback interface, to which somebody may have made a way.
    NOBODY = 4


def own_address() -> str | None:
    """The address under which others in the network reach this machine, or None."""
    return next(iter(own_addresses()), None)


def own_addresses() -> tuple[str, ...]:
    """All addresses under which others in this machine's networks reach it, the one of the default route first."""
    return tuple(str(address.ip) for address in reachable(_interfaces()))


def in_url(host: str) -> str:
    """A name or address as it stands in a URL: RFC 3986 wants IPv6 addresses in brackets."""
    return f"[{host}]" if ":" in host else host


def is_in_own_network(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether a device with that IPv6 address is on a cable or Wi-Fi of this machine.

    There are no private addresses in many networks of IPv6, so what is near is told by the network itself.
    """
    if address.version == 4:
        return False
    all_ = _interfaces()
    cards = (one for one in all_ if reach_of(one, all_) <= Reach.VIRTUAL)
    mine = (own for one in cards for own in one.addresses if own.version == 6 and is_reachable(str(own.ip)))
    # A house has one /64 on a cable. An interface with a shorter prefix shares it with houses that it does not know.
    return any(address in ipaddress.ip_network((own.ip, max(own.network.prefixlen, 64)), strict=False) for own in mine)


def is_inside(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address is in a network within this machine, such as Docker's bridge, where no other machine is."""
    all_ = _interfaces()
    return any(
        address in own.network
        for one in all_
        for own in one.addresses
        if is_reachable(str(own.ip)) and _reach_at(own, reach_of(one, all_)) == Reach.NOBODY
    )


def reachable(all_: Sequence[Interface]) -> tuple[Address, ...]:
    """The addresses, of all that these interfaces have, under which another device reaches this machine, best first.

    Those of IPv6 only count where there are none of IPv4, as every device in a house knows the latter.
    """
    by_reach: dict[tuple[bool, Reach], list[tuple[Address, int | None]]] = {}
    for one in all_:
        is_unplugged = not one.flags & RUNNING
        for address in one.addresses:
            reach = _reach_at(address, reach_of(one, all_))
            if is_reachable(str(address.ip)) and reach != Reach.NOBODY:
                by_reach.setdefault((is_unplugged, reach), []).append((address, one.metric))
    best = by_reach[min(by_reach)] if by_reach else []
    version = min((address.version for address, _metric in best), default=4)
    ordered = sorted(best, key=lambda one: (one[1] is None, one[1] or 0, not one[0].is_private))
    return tuple(address for address, _metric in ordered if address.version == version)


def is_reachable(address: str) -> bool:
    """Whether an address can be another machine's at all: one that means this machine or this cable alone cannot."""
    ip = ipaddress.ip_address(address)
    return not (ip.is_loopback or ip.is_link_local or ip.is_unspecified or ip.is_multicast)


def reach_of(one: Interface, all_: Sequence[Interface]) -> Reach:
    """How likely others reach this machine through an interface."""
    if one.flags & LOOPBACK:
        return Reach.ROUTED
    if one.flags & POINT_TO_POINT:
        return Reach.VPN if one.kind in VPN_KINDS else Reach.NOBODY
    if one.kind == "bridge" and all(port.kind in UNBRIDGED_KINDS for port in all_ if port.master == one.index):
        return Reach.NOBODY
    return Reach.VIRTUAL if one.kind in VIRTUAL_KINDS else Reach.CARD


def _reach_at(address: Address, reach: Reach) -> Reach:
    """The same for one of its addresses: on the loopback interface, what Docker takes for its bridges is nobody's."""
    is_dockers = address.ip in DOCKER_POOL and address.network.prefixlen == 16 and address.ip == address.network[1]
    return Reach.NOBODY if reach == Reach.ROUTED and is_dockers else reach


def _interfaces() -> tuple[Interface, ...]:
    """This machine's interfaces; without their kinds where the system does not tell these."""
    try:
        return interfaces()
    except OSError:
        import ifaddr

        return tuple(
            Interface(
                number,
                adapter.name,
                addresses=tuple(
                    ipaddress.ip_interface((ip.ip if isinstance(ip.ip, str) else ip.ip[0], ip.network_prefix))
                    for ip in adapter.ips
                ),
            )
            for number, adapter in enumerate(ifaddr.get_adapters(), start=1)
        )


def network_of(address: str) -> str:
    """What counts as the address of one device: itself, of IPv6 its /64 network.

    A provider gives each house a /64, in which one device may take as many addresses as it likes. Addresses that hold
    on one cable only are kept as they are: all devices of the house share that network.
    """
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return str(ip.ipv4_mapped)
        if not (ip.is_loopback or ip.is_link_local):
            return str(ipaddress.ip_network((int(ip), 64), strict=False))
    return str(ip)


def device_of(address: str) -> str:
    """The name under which what comes from an address is counted: its `network_of`, "" for this machine."""
    device = network_of(address)
    return "" if device == "::1" or device.startswith("127.") else device


def parse_proxies(address: str) -> Network:
    """The network of proxies that somebody names, maybe of one address; raises BadInput for anything else."""
    try:
        network = ipaddress.ip_network(address.strip(), strict=False)
    except ValueError as error:
        raise BadInput(
            f"{address} is no address of a proxy: write it as --proxy 192.168.1.5, or a network as 172.17.0.0/16."
        ) from error
    if not network.prefixlen:
        raise BadInput(f"{address} names every machine there is as a proxy: name yours alone, as --proxy 192.168.1.5.")
    return network
