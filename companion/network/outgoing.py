"""What this program asks of others over http, and the lines on which it asks.

Its words are h11's, on which the pages' server stands, too. Larger libraries (urllib3, httpx) limit each read but not
the whole, and know nothing of addresses, so both would still have to be written here.
"""

import contextlib
import ipaddress
import queue
import random
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import SplitResult, quote

import h11

from companion.foreign import read_address
from companion.network.addresses import in_url, is_inside, is_reachable

PORTS = MappingProxyType({"http": 80, "https": 443})
MOST_HEADER_BYTES = 65_536
CHUNK_BYTES = 65_536
SPREAD = 0.25
ASCII = "".join(map(chr, range(0x21, 0x7F)))  # These stay as they are in a path; other letters are coded.
# Addresses of IPv6 whose last 32 bits are one of IPv4: mapped, compatible, translated, and those of NAT64.
CARRIERS = tuple(
    map(ipaddress.ip_network, ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48"))
)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

NO_HEADERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Reply:
    """What was answered.

    status  a redirect is one like any other, and followed by nobody
    body    up to the limit that was set; the rest is left unread
    here    address and port from which was asked
    """

    status: int
    body: bytes
    here: tuple[str, int]


class NotOutside(OSError):
    """A name leads to an address that only this machine or its cable has, and nobody wrote that address."""


class NoHttp(OSError):
    """What answers speaks no http, or what was to be asked cannot be said in it."""


def ask(
    method: str,
    url: str,
    body: bytes = b"",
    headers: Mapping[str, str] = NO_HEADERS,
    *,
    within_s: float,
    most_bytes: int,
) -> Reply:
    """The answer to one request, which comes within so many seconds in all; raises OSError.

    most_bytes  of the answer's body
    """
    until_s = time.monotonic() + within_s
    parts = read_address(url)
    if parts.scheme not in PORTS:
        raise NotOutside(f"{url} is no address of a web server")
    talk = h11.Connection(h11.CLIENT, max_incomplete_event_size=MOST_HEADER_BYTES)
    try:
        fields = {"Host": host_of(parts), "Content-Length": str(len(body)), "Connection": "close", **headers}
        question = talk.send(h11.Request(method=method, target=target_of(parts), headers=list(fields.items()))) or b""
        question += (talk.send(h11.Data(body)) or b"") + (talk.send(h11.EndOfMessage()) or b"")
    except (h11.ProtocolError, ValueError) as error:
        raise NoHttp(str(error)) from error
    with contextlib.closing(connect(parts, left(until_s))) as line:
        try:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # An answer may come before all is read.
                line.settimeout(left(until_s))
                line.sendall(question)
            status, content = 0, bytearray()
            while len(content) < most_bytes:
                match talk.next_event():
                    case h11.NEED_DATA:
                        line.settimeout(left(until_s))
                        talk.receive_data(line.recv(CHUNK_BYTES))
                    case h11.Response(status_code=status):
                        pass
                    case h11.Data(data=data):
                        content += data
                    case h11.EndOfMessage():
                        break
        except h11.ProtocolError as error:
            raise NoHttp(str(error)) from error
        return Reply(status, bytes(content[:most_bytes]), line.getsockname()[:2])


def connect(parts: SplitResult, within_s: float) -> socket.socket:
    """A line to the host of an address, over TLS for https; raises OSError, NotOutside among them.

    Its owner has named it, as in `line_to`.
    """
    until_s = time.monotonic() + within_s
    host = parts.hostname or ""
    line = line_to(host, parts.port or PORTS[parts.scheme], within_s)
    try:
        line.settimeout(left(until_s))
        if parts.scheme == "https":
            line = ssl.create_default_context().wrap_socket(line, server_hostname=host)
        line.settimeout(left(until_s))
    except BaseException:
        line.close()
        raise
    return line


def line_to(host: str, port: int, within_s: float, *, is_owners: bool = True) -> socket.socket:
    """A line to a host; raises OSError, NotOutside among them.

    Whoever owns the table may write any address. A name says where it leads only when it is asked, by whoever answers
    for it then, so it does not lead to what only this machine has, unless it is a name of this machine.

    is_owners   whether the table's owner has named the host; of one that a hub named, every address must be good
    """
    until_s = time.monotonic() + within_s
    trouble: OSError = NotOutside(f"{host} leads to this machine alone")
    for address in places_of(host, within_s, is_owners):
        try:
            return socket.create_connection((address, port), left(until_s))
        except OSError as error:
            trouble = error
    raise trouble


def places_of(host: str, within_s: float, is_owners: bool) -> list[str]:
    """The addresses of a host to which this program may connect; raises OSError where its name has none."""
    found = [host] if is_address(host) else addresses_of(host, within_s)
    if is_owners and (is_address(host) or is_this_machine(host)):
        return found
    # Where nobody gives out addresses, machines take ones of their cable, and tell each other by names in .local.
    is_near = host.lower().rstrip(".").endswith(".local")
    good = [one for one in found if not only_here(one) or (is_near and ipaddress.ip_address(one).is_link_local)]
    return good if is_owners or len(good) == len(found) else []


def host_of(parts: SplitResult) -> str:
    """The host of an address as a request names it; raises ValueError for a name that cannot be."""
    name = in_url((parts.hostname or "").encode("idna").decode("ascii"))
    return f"{name}:{parts.port}" if parts.port else name


def target_of(parts: SplitResult) -> str:
    """What a request asks a host for: path and query of an address."""
    return quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), ASCII)


def addresses_of(name: str, within_s: float) -> list[str]:
    """The addresses that a name has just now; raises OSError. The system's own look-up cannot be told to end."""
    found: queue.SimpleQueue[list[str] | OSError | UnicodeError] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            answers = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
            found.put([str(address[0]) for *_kind, address in answers])
        except (OSError, UnicodeError) as error:  # UnicodeError: no name in the network looks like this.
            found.put(error)

    threading.Thread(target=look_up, name="look-up", daemon=True).start()
    try:
        answer = found.get(timeout=within_s)
    except queue.Empty as error:
        raise TimeoutError(f"nobody said in time where {name} is") from error
    match answer:
        case OSError():
            raise answer
        case UnicodeError():
            raise socket.gaierror(str(answer)) from answer
    return answer


def is_address(host: str) -> bool:
    """Whether a host is written as an address, in one of its usual forms."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_this_machine(host: str) -> bool:
    """Whether a host is this machine by its name, which Debian gives an address of 127.0.0.0/8."""
    name, own = host.lower().rstrip("."), socket.gethostname().lower()
    return name == "localhost" or name.endswith(".localhost") or name in (own, f"{own}.local")


def is_here(host: str) -> bool:
    """Whether a host, as it is written, is this machine, seen from itself."""
    return is_this_machine(host) or (
        is_address(host) and any(form.is_loopback for form in forms_of(ipaddress.ip_address(host)))
    )


def only_here(address: str) -> bool:
    """Whether an address leads elsewhere on each machine or cable, as loopback, link-local and Docker's bridge do."""
    return any(not is_reachable(str(form)) or is_inside(form) for form in forms_of(ipaddress.ip_address(address)))


def forms_of(address: Address) -> Iterator[Address]:
    """An address, and those of IPv4 that one of IPv6 stands for."""
    yield address
    if isinstance(address, ipaddress.IPv6Address):
        if any(address in network for network in CARRIERS):
            yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        yield from filter(None, (address.sixtofour, *(address.teredo or ())))


def left(until_s: float) -> float:
    """The seconds until then; raises TimeoutError once there are none."""
    seconds = until_s - time.monotonic()
    if seconds <= 0:
        raise TimeoutError("the time is over")
    return seconds


def spread(seconds: float) -> float:
    """A wait that is a little shorter or longer each time, so that the tables of a hall do not all come at once."""
    return seconds * random.uniform(1 - SPREAD, 1 + SPREAD)
