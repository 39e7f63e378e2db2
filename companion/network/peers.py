"""Who holds the other end of a connection from this machine to itself; the kernel tells it, under Linux.

An address of loopback alone says little: a proxy, a tunnel or a container's port connects from there too, and
speaks for whoever asked it. So a connection counts as this machine's own only if its program is of the service's user,
and is a browser, or neither listens nor is connected with anybody who could be asking through it: by TCP, UDP or a raw
socket, or as a server at a UNIX socket, also one that has stopped listening.
"""

import contextlib
import ipaddress
import os
import pwd
import re
import socket
import stat
import struct
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from pathlib import Path

PROC = Path("/proc")
TABLES = ("net/tcp", "net/tcp6")
DATAGRAMS = ("net/udp", "net/udp6", "net/udplite", "net/udplite6", "net/raw", "net/raw6")
UNIX_TABLE, ACCEPTS = "net/unix", 0x10000  # A UNIX socket that takes connections has this flag.
# Each line of it begins so. A program names its socket as it likes, with line ends too: a line may be half a name.
UNIX_LINE = re.compile(
    r"[0-9a-f]+: [0-9A-F]{8} [0-9A-F]{8} (?P<flags>[0-9A-F]{8}) [0-9A-F]{4} [0-9A-F]{2} +"
    r"(?P<inode>\d+)(?: (?P<name>.*))?"
)
BY_ITSELF = re.compile(r"@[0-9a-f]{5}")  # The kernel gives this name to a UNIX socket which asks for none.
ESTABLISHED, CLOSED, LISTENING = "01", "06", "0A"  # The kernel remembers a closed one for a minute.
MOST_LOOKS_AGAIN = 3  # after one in which a program has ended
KERNEL_S = 0.02  # The kernel needs it to close the sockets of that program.
EVERY_ADDRESS = ("0.0.0.0", "::")
DELETED = " (deleted)"  # The kernel adds this to the name of a program that was updated while it runs.
BROWSERS = frozenset({
    "brave", "chrome", "chrome-headless-shell", "chromium", "chromium-browser", "chromium-headless-shell", "cog",
    "epiphany", "falkon", "firefox", "firefox-bin", "firefox-esr", "headless_shell", "librewolf", "msedge", "opera",
    "QtWebEngineProcess", "vivaldi-bin", "WebKitNetworkProcess", "WPENetworkProcess",
})  # fmt: skip

Address = tuple[str, int]


class Grounds(StrEnum):
    """Why whoever asks counts as this machine's own, or why not; the first five are what the kernel tells."""

    OWN = "own"  # It is a program of the service's user through which nobody else can be asking.
    SCREEN = "screen"  # It is a program of the user who runs nothing but the table's own screen.
    OTHER_USER = "other user"
    SPEAKS_FOR_OTHERS = "speaks for others"
    UNSEEN = "unseen"  # The kernel lists no program: it tells none, it has ended, or a container hides it.
    HEADERS = "headers"  # A proxy or tunnel has added some.
    NAMED_PROXY = "named proxy"
    ADDRESS = "address"  # It is another machine's, or this one's own in a network.
    NAME = "name"  # Somebody else may have taken the name that was asked for.

    @property
    def are_own(self) -> bool:
        """Whether they make it this machine's own."""
        return self in (Grounds.OWN, Grounds.SCREEN)


@dataclass(frozen=True)
class End:
    """One end of a TCP connection on this machine, or a listening socket.

    inode   the number of its socket, 0 if no program holds it any more, or none has accepted it yet
    user    the id of the user whose it is
    """

    here: Address
    there: Address
    is_listening: bool
    is_established: bool
    user: int
    inode: int


def can_tell() -> bool:
    """Whether the kernel of this machine tells who holds a connection."""
    return (PROC / TABLES[0]).is_file()


def user_id(name: str) -> int:
    """The id of a user of this machine; raises KeyError if there is none of that name."""
    return pwd.getpwnam(name).pw_uid


class Looker:
    """Looks at who holds the other end of connections over loopback. Thread-safe.

    Those who wait while it looks share the next look, as many pages are opened at once.

    screen_user     the id of the user who runs nothing but the table's own screen, if it is another
    """

    def __init__(self, screen_user: int | None = None) -> None:
        self._screen_user = screen_user
        self._lock = threading.Lock()
        self._look: Look | None = None  # the newest

    def peer_of(self, client: Address, server: Address) -> Grounds:
        """Who holds the other end of the connection with these ends; `server` is the service's."""
        since_s = time.monotonic()
        with self._lock:
            if self._look is None or self._look.began_s < since_s:
                self._look = Look()
            grounds = self._look.grounds(plain(client), plain(server), self._screen_user)
            for _again in range(MOST_LOOKS_AGAIN):
                if grounds.are_own or not self._look.is_outdated:
                    break
                time.sleep(KERNEL_S)
                self._look = Look()
                grounds = self._look.grounds(plain(client), plain(server), self._screen_user)
            return grounds


class Look:
    """One look at all TCP connections of this machine.

    ends            both ends of each that are on this machine
    sockets_of      a program's id → the sockets that it holds, of all programs that may be looked at
    beside          the sockets by which anybody can ask a program otherwise than by TCP
    began_s         on the monotonic clock
    is_outdated     whether a program that mattered has ended since
    """

    is_outdated = False

    def __init__(self, ends: Iterable[End] | None = None) -> None:
        self.began_s = time.monotonic()
        self.ends = tuple(open_ends() if ends is None else ends)
        self._by_pair = {(end.here, end.there): end for end in self.ends}

    @cached_property
    def sockets_of(self) -> dict[int, frozenset[int]]:
        return dict(sockets_by_program())

    @cached_property
    def beside(self) -> frozenset[int]:
        return frozenset(sockets_beside_tcp())

    def grounds(self, client: Address, server: Address, screen_user: int | None) -> Grounds:
        """See `Looker.peer_of`."""
        end = self._by_pair.get((client, server))
        if end is None or not end.inode:
            return Grounds.UNSEEN
        if end.user == screen_user:
            return Grounds.SCREEN
        if end.user != os.getuid():
            return Grounds.OTHER_USER
        programs = self.holders(end.inode)
        if not programs:
            return Grounds.UNSEEN
        return Grounds.OWN if all(map(self.is_used_here, programs)) else Grounds.SPEAKS_FOR_OTHERS

    def holders(self, inode: int) -> list[int]:
        return [program for program, sockets in self.sockets_of.items() if inode in sockets]

    def is_used_here(self, program: int) -> bool:
        """Whether a program is the service, a browser, or one through which nobody else can be asking."""
        if program == os.getpid() or name_of(program) in BROWSERS:
            return True
        sockets = self.sockets_of[program]
        return not sockets & self.beside and all(
            not end.is_listening and self._is_harmless(end, sockets) for end in self.ends if end.inode in sockets
        )

    def _is_harmless(self, end: End, own: frozenset[int]) -> bool:
        """Whether nobody can be asking through that end of a connection.

        own     the sockets of the program that holds it; some wake their own threads through such a pair
        """
        other = self._by_pair.get((end.there, end.here))
        if other is not None and other.is_established and not other.inode:  # The server is about to accept it.
            other = self._listening_at(end.there)
        if other is not None and other.inode in own:
            return True
        if end.there in self._asked_by_the_service:
            return True  # The service itself uses that server, as its broker.
        if other is None or not other.inode:
            return ipaddress.ip_address(end.there[0]).is_loopback  # On this machine nobody is there any more.
        programs = self.holders(other.inode)
        if not programs and other.user == os.getuid():  # It may be one of ours that is closed, or a program that hides.
            has_closed = all(end.inode != other.inode for end in open_ends())
            self.is_outdated = self.is_outdated or not has_closed  # The kernel may still be closing it.
            return has_closed
        is_of_tables = bool(programs) and all(map(self._is_of_a_table, programs))
        self.is_outdated = self.is_outdated or not (is_of_tables or all(map(name_of, programs)))
        return is_of_tables

    @cached_property
    def _asked_by_the_service(self) -> frozenset[Address]:
        mine = self.sockets_of.get(os.getpid(), frozenset())
        return frozenset(end.there for end in self.ends if end.inode in mine and not end.is_listening)

    def _listening_at(self, address: Address) -> End | None:
        """The listening socket that takes connections to an address."""
        places = {(host, address[1]) for host in (address[0], *EVERY_ADDRESS)}
        return next((end for end in self.ends if end.is_listening and end.here in places), None)

    @staticmethod
    def _is_of_a_table(program: int) -> bool:
        """Whether a program is this service, a child of it, or another table that the same program serves."""
        return program == os.getpid() or is_child(program) or command_of(program) == command_of(os.getpid())


def open_ends() -> Iterator[End]:
    """All TCP sockets that the kernel lists."""
    for table in TABLES:
        for line in lines_of(table):
            _number, here, there, state, *_queues, user, _late, inode = line.split(None, 10)[:10]
            if state != CLOSED:
                ends = end_of(here), end_of(there)
                yield End(*ends, state == LISTENING, state == ESTABLISHED, int(user), int(inode))


def sockets_beside_tcp() -> Iterator[int]:
    """The numbers of all sockets for datagrams or raw packets that have an address, and of servers' UNIX sockets.

    What a server has accepted has the name of the socket at which it listened; who calls has none.
    """
    for table in DATAGRAMS:
        for line in lines_of(table):
            yield int(line.split()[9])
    for match in filter(None, map(UNIX_LINE.fullmatch, lines_of(UNIX_TABLE))):
        is_named = match["name"] is not None and not BY_ITSELF.fullmatch(match["name"])
        if is_named or int(match["flags"], 16) & ACCEPTS:
            yield int(match["inode"])


def lines_of(table: str) -> list[str]:
    """The lines of one of the kernel's tables without its heading; none where there is no such table."""
    try:
        return [line for line in (PROC / table).read_bytes().decode(errors="replace").split("\n")[1:] if line]
    except OSError:  # There is no such kernel, or it has no IPv6.
        return []


def end_of(text: str) -> Address:
    """Address and port as the kernel's tables write them."""
    address, _, port = text.partition(":")
    return host_of(address), int(port, 16)


@lru_cache(1024)
def host_of(address: str) -> str:
    """An address as the kernel's tables write it: words of 32 bits in the machine's own order."""
    words = [int(address[at : at + 8], 16) for at in range(0, len(address), 8)]
    packed = struct.pack(f"={len(words)}I", *words)
    family = socket.AF_INET if len(words) == 1 else socket.AF_INET6
    return plain((socket.inet_ntop(family, packed), 0))[0]


def plain(address: Address) -> Address:
    """The address in one way of writing; an IPv4 address that IPv6 carries is itself."""
    ip = ipaddress.ip_address(address[0])
    return str(getattr(ip, "ipv4_mapped", None) or ip), address[1]


def sockets_by_program() -> Iterator[tuple[int, frozenset[int]]]:
    """(id, sockets) of each program that this user may look at."""
    for folder in PROC.iterdir():
        if folder.name.isdecimal():
            try:
                is_this = int(folder.name) == os.getpid()
                found = own_sockets() if is_this else sockets_among(os.scandir(folder / "fd"))
                yield int(folder.name), frozenset(found)
            except OSError:  # It is another user's, or has ended.
                continue


def own_sockets() -> Iterator[int]:
    """The numbers of the sockets of this program, which may be thousands: asked so, they take a sixth of the time."""
    for name in os.listdir(PROC / "self/fd"):
        with contextlib.suppress(OSError):  # It was closed meanwhile.
            status = os.fstat(int(name))
            if stat.S_ISSOCK(status.st_mode):
                yield status.st_ino


def sockets_among(entries: Iterable["os.DirEntry[str]"]) -> Iterator[int]:
    """The numbers of the sockets among a program's open files."""
    for entry in entries:
        try:
            target = os.readlink(entry.path)
        except OSError:  # It was closed meanwhile.
            continue
        if target.startswith("socket:["):
            yield int(target[len("socket:[") : -1])


def name_of(program: int) -> str:
    """The file name of a program, "" if it has ended."""
    try:
        return Path(os.readlink(PROC / str(program) / "exe").removesuffix(DELETED)).name
    except OSError:
        return ""


def command_of(program: int) -> tuple[str, ...]:
    """Interpreter and command line of a program, up to a subcommand `run`; () if it has ended."""
    try:
        exe = os.readlink(PROC / str(program) / "exe")
        words = (PROC / str(program) / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return ()
    end = words.index(b"run") + 1 if b"run" in words else len(words)
    return (exe, *(word.decode(errors="replace") for word in words[1:end]))


def is_child(program: int) -> bool:
    """Whether the service started a program, itself or through others."""
    while program > 1:
        try:
            stat = (PROC / str(program) / "stat").read_text()
        except OSError:
            return False
        program = int(stat.rpartition(")")[2].split()[1])
        if program == os.getpid():
            return True
    return False
