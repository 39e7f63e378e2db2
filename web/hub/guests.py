"""How guests' phones reach this hub: its address in the network, and the code to scan that leads to a page of it."""

from flask import request

from companion.foreign import read_address
from companion.network.addresses import in_url, own_address
from web.access import gate
from web.hub.here import hub
from web.pages.codes import Code, code_of


def reached_url() -> str:
    """By what other devices reach this hub; where the page was opened as localhost, the machine's own address."""
    if is_for_this_machine_alone() and own_address():
        port = read_address(request.host_url).port
        here = f"{request.scheme}://{reached_host()}"
        return f"{here}:{port}" if port else here
    return request.host_url.rstrip("/")


def reached_host() -> str:
    """The name or address of this hub, as it stands in a URL that others open."""
    reached = own_address() if is_for_this_machine_alone() else None
    return in_url(reached or gate.name_of(request.host))


def code_for_guests(path: str) -> Code | None:
    """The code of a page for whoever stands before a projector; None where guests may not read, or reach nothing."""
    if not hub().is_public or (is_for_this_machine_alone() and not own_address()):
        return None
    return code_of(f"{reached_url()}{path}")


def is_for_this_machine_alone() -> bool:
    """Whether the name by which the page was opened leads other devices to themselves."""
    name = gate.name_of(request.host)
    return name in ("localhost", "::1") or name.startswith("127.")
