"""Who is in the table's own Wi-Fi, which is open so that somebody can choose the house's."""

import contextlib
import ipaddress

from flask import current_app, g

from companion.errors import HardwareUnavailable
from companion.network.wifi.door import Do, Wifi
from companion.network.wifi.values import NETWORK, Mode

OWN_WIFI = ipaddress.ip_network(NETWORK, strict=False)


def is_open_to(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether a device with that address is in it. The helper is asked once a request, and for such addresses alone."""
    if address not in OWN_WIFI:
        return False
    if not hasattr(g, "own_wifi_is_open"):
        g.own_wifi_is_open = False
        wifi: Wifi | None = current_app.extensions.get("wifi")
        if wifi is not None:
            with contextlib.suppress(HardwareUnavailable):  # logged; then nobody is let in
                g.own_wifi_is_open = wifi.ask(Do.VISIT).mode is Mode.SETUP
    return bool(g.own_wifi_is_open)
