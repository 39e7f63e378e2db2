"""This machine's network interfaces as Linux's kernel lists them (rtnetlink): kinds, addresses and default routes.

A bridge of containers looks like any card from afar. The kernel alone knows of what kind an interface is, and it tells
every program so, also in a container and in a network namespace, where `/sys` may show another machine's cards.
"""

import ipaddress
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace

Address = ipaddress.IPv4Interface | ipaddress.IPv6Interface

ANSWER_S = 1.0
DUMP = 0x301  # NLM_F_REQUEST | NLM_F_DUMP
HEADER, ATTRIBUTE, DONE, ERROR = struct.Struct("=IHHII"), struct.Struct("=HH"), 3, 2
GET_LINKS, GET_ADDRESSES, GET_ROUTES = 18, 22, 26
BODY_BYTES = {GET_LINKS: 16, GET_ADDRESSES: 8, GET_ROUTES: 12}
NAME, MASTER, LINK_INFO, INFO_KIND = 3, 10, 18, 1
ADDRESS, LOCAL, ADDRESS_FLAGS = 1, 2, 8
OUT, METRIC, MAIN_TABLE, UNICAST = 4, 6, 254, 1
UP, LOOPBACK, POINT_TO_POINT, RUNNING = 0x1, 0x8, 0x10, 0x40
TEMPORARY, UNUSABLE = 0x01, 0x08 | 0x20 | 0x40  # Doubled, deprecated, or not yet known to be nobody else's.


@dataclass(frozen=True)
class Interface:
    """A network interface.

    kind        how the kernel made it, such as "bridge" or "tun"; "" for a card
    master      the index of the bridge or bond that it belongs to, 0 for none
    addresses   those that can be used, lasting ones first
    metric      of the default route through it, the smallest counts; None without one
    """

    index: int
    name: str = ""
    kind: str = ""
    flags: int = UP | RUNNING
    master: int = 0
    addresses: tuple[Address, ...] = ()
    metric: int | None = None


def interfaces() -> tuple[Interface, ...]:
    """All interfaces that are up; raises OSError where the system has no rtnetlink."""
    found: dict[int, Interface] = {}
    for body, fields in _dump(GET_LINKS):
        index, flags = struct.unpack_from("=iI", body, 4)
        if flags & UP:
            kind = dict(_attributes(fields.get(LINK_INFO, b""))).get(INFO_KIND, b"")
            found[index] = Interface(index, _text(fields[NAME]), _text(kind), flags, _number(fields, MASTER))
    for body, fields in _dump(GET_ADDRESSES):
        prefix, flags, index = body[1], _number(fields, ADDRESS_FLAGS) or body[2], struct.unpack_from("=I", body, 4)[0]
        own = fields.get(LOCAL) or fields.get(ADDRESS)
        if own and index in found and not flags & UNUSABLE:
            address = ipaddress.ip_interface((own, prefix))
            is_lasting = address.version == 4 or not flags & TEMPORARY
            others = found[index].addresses
            both = (address, *others) if is_lasting and address.version == 6 else (*others, address)
            found[index] = replace(found[index], addresses=both)
    for body, fields in _dump(GET_ROUTES):
        length, table, kind_of_route, index = body[1], body[4], body[7], _number(fields, OUT)
        if length == 0 and table == MAIN_TABLE and kind_of_route == UNICAST and index in found:
            present, metric = found[index].metric, _number(fields, METRIC)
            found[index] = replace(found[index], metric=metric if present is None else min(metric, present))
    return tuple(found.values())


def _dump(request: int) -> Iterator[tuple[bytes, dict[int, bytes]]]:
    """(fixed part, attributes) of each thing of one sort that the kernel knows."""
    if not hasattr(socket, "AF_NETLINK"):
        raise OSError("this system has no rtnetlink")
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
        kernel.settimeout(ANSWER_S)
        kernel.send(HEADER.pack(HEADER.size + BODY_BYTES[request], request, DUMP, 1, 0) + bytes(BODY_BYTES[request]))
        while True:
            answer = kernel.recv(1 << 17)
            while len(answer) >= HEADER.size:
                size, sort, *_rest = HEADER.unpack_from(answer)
                if sort == DONE:
                    return
                if sort == ERROR or size < HEADER.size:
                    raise OSError("the kernel does not list its network")
                begin = HEADER.size + BODY_BYTES[request]
                yield answer[HEADER.size : begin], dict(_attributes(answer[begin:size]))
                answer = answer[_padded(size) :]


def _attributes(text: bytes) -> Iterator[tuple[int, bytes]]:
    while len(text) >= ATTRIBUTE.size:
        size, sort = ATTRIBUTE.unpack_from(text)
        if size < ATTRIBUTE.size:
            return
        yield sort & 0x3FFF, text[ATTRIBUTE.size : size]
        text = text[_padded(size) :]


def _padded(size: int) -> int:
    return (size + 3) & ~3


def _number(fields: dict[int, bytes], name: int) -> int:
    return int.from_bytes(fields.get(name, b"")[:4], "little" if struct.pack("=H", 1)[0] else "big")


def _text(value: bytes) -> str:
    return value.rstrip(b"\0").decode(errors="replace")
