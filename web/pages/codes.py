"""Codes to scan: each link of the table as a QR code, by the table's name and by its plain address.

A name that ends in .local is unknown to many Androids. Each page that shows a code therefore offers a second one.
"""

import contextlib
import ipaddress
from dataclasses import dataclass
from functools import lru_cache

from flask import request
from markupsafe import Markup
from segno import make as make_qr

from companion.errors import JournalUnusable
from companion.foreign import read_address
from companion.journal.settings import CODES_BY_ADDRESS
from companion.network.addresses import in_url, is_reachable, own_address
from web.access import gate
from web.house import host


@dataclass(frozen=True)
class Code:
    """A link, and its QR code in SVG."""

    link: str
    drawn: Markup


def codes_of(path: str) -> tuple[Code, ...]:
    """The codes that lead to a path of this table: the one to show, and the other way in if there is one."""
    return tuple(code_of(f"{url}{path}") for url in own_urls()) if path else ()


@lru_cache(maxsize=8)  # drawing takes most of a page's time, and each page shows the same ones again
def code_of(link: str) -> Code:
    """The code of a link."""
    drawn = make_qr(link, error="m", micro=False).svg_inline(
        omitsize=True, border=3, light="#fff", dark="#000", title=link
    )
    return Code(link, Markup(drawn))  # segno draws it from a link of ours.


def own_urls() -> tuple[str, ...]:
    """By what guests reach this table: its name and its plain address, as far as they are known; () without a network.

    The first is the host's own way in, or the way that the last guest needed. A name that the host
    has given the table in the Internet's own way stands alone: every device finds it, and no other way may be open.
    """
    if gate.PASSED_ON in request.environ:  # Behind a named proxy the way that was used is the only sure one.
        return (url_of(name_used()),) if is_for_others(name_used()) else ()
    used, by_name, by_address = name_used(), reached(plain=False), reached(plain=True)
    if not is_plain(used) and "." in used and not used.endswith(".local"):
        return (by_name,)
    both = [by_address, by_name] if is_plain(used) and is_for_others(used) else [by_name, by_address]
    if CODES_BY_ADDRESS.of(host().journal):
        both = [by_address, by_name]
    return tuple(filter(None, both))


def reached(*, plain: bool) -> str:
    """The URL by plain address, or by name: the one that the host used, else the table's own; "" for none."""
    used = name_used()
    if is_for_others(used) and is_plain(used) is plain:
        return url_of(used)
    names = {gate.name_in(url): url for url in host().status.addresses}
    reachable = next((name for name in names if is_plain(name) is plain), "")
    if reachable and not is_for_others(used):
        return names[reachable]  # with the port of the pages, which a tunnel to this machine may have changed
    if not reachable and plain:
        reachable = own_address() or ""
    return url_of(reachable) if reachable else ""


def url_of(name: str) -> str:
    """The URL of a name, with the scheme and the port of this request."""
    port = read_address(f"//{request.host}").port
    return f"{request.scheme}://{in_url(name)}{f':{port}' if port else ''}"


def name_used() -> str:
    """The name or address by which this request came."""
    return gate.name_of(request.host)


def is_for_others(name: str) -> bool:
    """Whether a name or address leads other devices here, too: localhost leads each to itself."""
    return is_reachable(name) if is_plain(name) else name != "localhost" and not name.endswith(".localhost")


def is_plain(name: str) -> bool:
    """Whether that is an address and no name."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def remember_way_in() -> None:
    """The next codes lead with the way by which this guest came in."""
    journal, plain = host().journal, is_plain(name_used())
    if gate.is_own_machine() or CODES_BY_ADDRESS.of(journal) == plain:
        return
    with contextlib.suppress(JournalUnusable):  # such as a full disk: the guest is in all the same
        CODES_BY_ADDRESS.put(journal, plain)
