"""This machine's address in its network."""

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
