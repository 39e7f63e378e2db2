"""Named proxies: what they say of a request is believed, and nobody else's word is.

Here alone a request's address, scheme, host and path are made of the headers that a proxy adds; whatever goes by them
(limits, cookies, links, who is let in) reads them in the request's environment, as if there were no proxy.
"""

import ipaddress
import re
from collections.abc import Sequence
from typing import Any

from flask import request

from companion.foreign import HOST
from companion.network.addresses import Network
from companion.network.peers import Grounds, plain
from web.access import gate
from web.access.gate import CONTRADICTED, PASSED_ON, PREFIXES

HEADERS = ("forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host")
PREFIX = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+")  # goes into addresses of pages, so nothing else may
SCHEMES = ("http", "https")
PAIR = re.compile(r'([A-Za-z]+)=("[^"]*"|[^";]*)')  # of `Forwarded` (RFC 7239)


def is_named(address: str, proxies: Sequence[Network]) -> bool:
    """Whether an address is that of a named proxy."""
    if not proxies:
        return False
    ip = ipaddress.ip_address(plain((address, 0))[0])
    return any(ip in network for network in proxies)


def believe(environ: dict[str, Any], proxies: Sequence[Network]) -> None:
    """Puts what named proxies say of a request into its environment; of another request nothing is changed.

    A request without any such header is not known to be a proxy's: a browser beside it has the same address. Whether
    that one is the host's is asked of the kernel, as ever.
    """
    peer = environ["REMOTE_ADDR"]
    said = {name: environ.get(f"HTTP_{name.upper().replace('-', '_')}", "") for name in (*HEADERS, *PREFIXES)}
    if not peer or not is_named(peer, proxies) or not any(said.values()):
        return
    environ[PASSED_ON] = peer
    hops = items(said["x-forwarded-for"])
    elements = [pairs(each) for each in items(said["forwarded"])]
    visitor, crossed = visitor_of(hops, peer, proxies)
    scheme, host = (of_hop(items(said[name]), crossed) for name in ("x-forwarded-proto", "x-forwarded-host"))
    if elements:
        other, crossed = visitor_of([each.get("for", "") for each in elements], peer, proxies)
        if hops and other != visitor:
            environ[CONTRADICTED] = True  # a proxy lets one of the two headers through as its visitor sent it
        visitor = other
        scheme = scheme or of_hop([each.get("proto", "") for each in elements], crossed)
        host = host or of_hop([each.get("host", "") for each in elements], crossed)
    environ["REMOTE_ADDR"] = visitor
    if scheme.lower() in SCHEMES:
        environ["wsgi.url_scheme"] = scheme.lower()
    if HOST.fullmatch(host):
        environ["HTTP_HOST"] = host
    prefix = next((said[name] for name in PREFIXES if said[name]), "").strip().rstrip("/")
    if PREFIX.fullmatch(prefix):
        environ["SCRIPT_NAME"] = prefix


def visitor_of(hops: Sequence[str], peer: str, proxies: Sequence[Network]) -> tuple[str, int]:
    """(address, number of proxies crossed): the rightmost hop that no named proxy is, or else the first one known.

    Each proxy adds on the right whom it heard, so what a visitor wrote there itself lies further left.
    """
    found = peer
    for crossed, hop in enumerate(reversed(hops), start=1):
        if (address := address_of(hop)) is None:
            return found, crossed
        found = address
        if not is_named(address, proxies):
            return found, crossed
    return found, max(len(hops), 1)


def of_hop(told: Sequence[str], crossed: int) -> str:
    """What the proxy said that heard the visitor: each has added its own on the right, or there is one for all."""
    return told[-min(crossed, len(told))] if told else ""


def address_of(hop: str) -> str | None:
    """The address of a hop, without its port; None if it is none, as a hidden one's."""
    text = hop.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return plain((text, 0))[0]
    except ValueError:
        return None


def items(header: str) -> list[str]:
    """The items of a header with a list."""
    return [each.strip() for each in header.split(",") if each.strip()]


def pairs(element: str) -> dict[str, str]:
    """The pairs of one element of `Forwarded`, their names in small letters."""
    return {name.lower(): value.strip().strip('"') for name, value in PAIR.findall(element)}


def unnamed_proxy() -> str:
    """The address of a proxy that serves the table below a path although it is not named, "" for none."""
    is_below = any(request.headers.get(name, "").strip("/ ") for name in PREFIXES)
    return str(gate.client_address()) if is_below and PASSED_ON not in request.environ else ""


def silent_proxy() -> str:
    """The address of a proxy that may have taken a path away without saying so, "" for none.

    It stands on this machine, has added other headers, or speaks as proxies do by default and browsers never do.
    """
    if request.script_root or unnamed_proxy() or gate.is_own_machine():
        return ""
    speaks_so = request.environ.get("SERVER_PROTOCOL") == "HTTP/1.0" or request.headers.get("Connection") == "close"
    is_one = speaks_so or gate.grounds() is not Grounds.ADDRESS
    return str(request.environ.get(PASSED_ON, gate.client_address())) if is_one else ""
