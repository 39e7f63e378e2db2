"""Addresses: this machine's own in its network, and which of them one device may have."""

import ipaddress
import socket

from companion.errors import BadInput

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

ANY_ROUTE = ("10.255.255.255", 9)  # Nothing is sent there: choosing the route gives our own address.


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
