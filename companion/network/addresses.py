"""Addresses: this machine's own in its network, and which of them one device may have."""

import ipaddress
import socket

ANY_ROUTE = ("10.255.255.255", 9)  # nothing is sent there: choosing the route gives our own address


def own_address() -> str | None:
    """The address under which others in the network reach this machine, or None."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(ANY_ROUTE)
        except OSError:
            return None
        address = str(probe.getsockname()[0])
    return None if address.startswith("127.") else address


def network_of(address: str) -> str:
    """What counts as the address of one device: an IPv4 address, or the whole /64 of an IPv6 one."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)
