"""A power cut, simulated: what stands on the disk when everything that was not brought there by an fsync may be gone.

`shim.c` records what the service asks of the kernel. `Disk` replays that up to any moment and rebuilds the folder as
three kinds of disk might leave it:

NOTHING     only what an fsync had finished is there, of names only what an fsync of the folder had finished
SOME        of all the rest any part, in any order, the last piece of a write torn at a sector
ALL         everything is there, as after kill -9

It cannot show disks that lie about an fsync, that damage what they were not writing, or that tear within a sector; nor
the file system's own mistakes. Names survive in the order in which they were made, as every journalling file system
keeps them.
"""

import os
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from random import Random
from shutil import which

from companion.journal.export import session_of
from companion.journal.record import broken_link
from companion.journal.store import Journal

LINE = struct.Struct("=ciIqI")
SECTOR = 512
SOURCE = Path(__file__).with_name("shim.c")


def compiler() -> str | None:
    """A C compiler of this machine, None when it has none."""
    return which("cc") or which("gcc") or which("clang")


def shim(folder: Path) -> Path:
    """The shim as a library in `folder`."""
    library = folder / "shim.so"
    compile_ = (compiler() or "cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror")
    subprocess.run([*compile_, "-o", str(library), str(SOURCE), "-ldl"], check=True)
    return library


def under(library: Path, name: str, *, log: Path | None = None, fault: Path | None = None) -> dict[str, str]:
    """The environment of a program whose files called `name` are followed; see shim.c."""
    files = {"SHIM_LOG": log, "SHIM_FAULT": fault}
    named = {key: str(path) for key, path in files.items() if path is not None}
    return {"LD_PRELOAD": str(library), "SHIM_NAME": name, **named}


@dataclass(frozen=True)
class Operation:
    """One thing the kernel was asked for; `end` is where its line ends in the log."""

    kind: str
    name: str
    offset: int
    data: bytes
    end: int


def operations(log: Path) -> Iterator[Operation]:
    """What the log tells; a line that its writer did not live to finish is left out."""
    content, at = log.read_bytes(), 0
    while at + LINE.size <= len(content):
        kind, _pid, name_length, offset, data_length = LINE.unpack_from(content, at)
        begin = at + LINE.size
        at = begin + name_length + data_length
        if at <= len(content):
            name = os.fsdecode(content[begin : begin + name_length])
            yield Operation(kind.decode(), name, offset, content[begin + name_length : at], at)


class Kind(Enum):
    """What a disk keeps of that which no fsync has finished."""

    NOTHING = 0
    SOME = 1
    ALL = 2


@dataclass
class File:
    """Content on the disk, and what was written since the last fsync."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[Operation] = field(default_factory=list)

    def sync(self) -> None:
        """Everything written so far is on the disk."""
        for operation in self.pending:
            change(self.durable, operation)
        self.pending.clear()

    def after_cut(self, kind: Kind, random: Random) -> bytes:
        """What a power cut leaves of it."""
        content = bytearray(self.durable)
        kept = [one for one in self.pending if kind is Kind.ALL or (kind is Kind.SOME and random.random() < 0.5)]
        for number, operation in enumerate(kept):
            torn = kind is Kind.SOME and number == len(kept) - 1
            change(content, torn_of(operation, random) if torn else operation)
        return bytes(content)


def change(content: bytearray, operation: Operation) -> None:
    """Does a write or a truncation to `content`."""
    if operation.kind == "t":
        del content[operation.offset :]
        content.extend(bytes(operation.offset - len(content)))
        return
    content.extend(bytes(max(0, operation.offset - len(content))))
    content[operation.offset : operation.offset + len(operation.data)] = operation.data


def torn_of(operation: Operation, random: Random) -> Operation:
    """The write, broken off after some sector."""
    sectors = random.randint(0, len(operation.data) // SECTOR)
    return Operation(
        operation.kind, operation.name, operation.offset, operation.data[: sectors * SECTOR], operation.end
    )


@dataclass(frozen=True)
class Naming:
    """A file came to a name, or with `file` None a name went."""

    name: str
    file: File | None


class Disk:
    """A folder that is empty when the log begins."""

    def __init__(self) -> None:
        self._durable: dict[str, File] = {}  # by name, as the folder stands on the disk
        self._current: dict[str, File] = {}  # as programs see it
        self._namings: list[Naming] = []  # that no fsync of the folder has finished

    def do(self, operation: Operation) -> None:
        """One thing more has happened."""
        match operation.kind:
            case "c":
                self._name(Naming(operation.name, File()))
            case "u":
                self._name(Naming(operation.name, None))
            case "r":
                file = self._current.get(operation.name)
                self._name(Naming(operation.name, None))
                self._name(Naming(os.fsdecode(operation.data), file))
            case "w" | "t" if operation.name in self._current:
                self._current[operation.name].pending.append(operation)
            case "f" if operation.name in self._current:
                self._current[operation.name].sync()
            case "d":
                self._durable = dict(self._current)
                self._namings.clear()

    def _name(self, naming: Naming) -> None:
        self._namings.append(naming)
        give(self._current, naming)

    def left_in(self, folder: Path, kind: Kind, random: Random) -> None:
        """Writes into `folder` what a power cut at this moment would leave."""
        names = dict(self._durable)
        survivors = {Kind.NOTHING: 0, Kind.ALL: len(self._namings)}
        for naming in self._namings[: survivors.get(kind, random.randint(0, len(self._namings)))]:
            give(names, naming)
        for name, file in names.items():
            (folder / Path(name).name).write_bytes(file.after_cut(kind, random))


def give(names: dict[str, File], naming: Naming) -> None:
    """Names a file, or takes a name away."""
    if naming.file is None:
        names.pop(naming.name, None)
    else:
        names[naming.name] = naming.file


def left(journal_path: Path) -> set[str]:
    """The ids of all games and entries that can be had after a power cut, none of a chain that is broken.

    Raises JournalUnusable where the journal cannot be opened.
    """
    journal = Journal(journal_path)
    try:
        there = set()
        for header in journal.headers():
            session = session_of(header).id
            rows = journal.rows(session)
            if broken_link(header, rows) is None:
                there |= {session, *(row.id for row in rows)}
        return there
    finally:
        journal.close()
