"""A simulated power cut: rebuilds a folder as a disk may leave it when the power goes before an fsync.

`shim.c` records the service's calls to the kernel. `Disk` replays them up to any moment, and rebuilds the folder as
three kinds of disk may leave it:

NOTHING     has only content that an fsync has finished, and only names that an fsync of the folder has finished
SOME        has any part of all the rest, in any order, with the last write torn at a sector
ALL         has everything, as after kill -9

This does not cover disks that report an fsync too early, that damage what they were not writing, or that tear within a
sector; nor mistakes of the file system. Names survive in the order in which they were made, as on every journalling
file system.
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
    """The path of a C compiler, None if this machine has none."""
    return which("cc") or which("gcc") or which("clang")


def shim(folder: Path) -> Path:
    """Compiles the shim into `folder`; returns the library's path."""
    library = folder / "shim.so"
    compile_ = (compiler() or "cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror")
    subprocess.run([*compile_, "-o", str(library), str(SOURCE), "-ldl"], check=True)
    return library


def shim_environment(library: Path, name: str, *, log: Path | None = None, fault: Path | None = None) -> dict[str, str]:
    """The environment in which the shim follows a program's files called `name`; see shim.c."""
    files = {"SHIM_LOG": log, "SHIM_FAULT": fault}
    named = {key: str(path) for key, path in files.items() if path is not None}
    return {"LD_PRELOAD": str(library), "SHIM_NAME": name, **named}


@dataclass(frozen=True)
class Operation:
    """One recorded call to the kernel; `end` is where its line ends in the log."""

    kind: str
    name: str
    offset: int
    data: bytes
    end: int


def operations(log: Path) -> Iterator[Operation]:
    """The calls in a log, without a last line that was not written whole."""
    content, at = log.read_bytes(), 0
    while at + LINE.size <= len(content):
        kind, _pid, name_length, offset, data_length = LINE.unpack_from(content, at)
        begin = at + LINE.size
        at = begin + name_length + data_length
        if at <= len(content):
            name = os.fsdecode(content[begin : begin + name_length])
            yield Operation(kind.decode(), name, offset, content[begin + name_length : at], at)


class Kind(Enum):
    """The part of the unsynced content that a disk keeps."""

    NOTHING = 0
    SOME = 1
    ALL = 2


@dataclass
class File:
    """A file's content on the disk, and the writes since its last fsync."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[Operation] = field(default_factory=list)

    def sync(self) -> None:
        """Brings everything written so far to the disk."""
        for operation in self.pending:
            change(self.durable, operation)
        self.pending.clear()

    def after_cut(self, kind: Kind, random: Random) -> bytes:
        """The content after a power cut."""
        content = bytearray(self.durable)
        survivors = [one for one in self.pending if kind is Kind.ALL or (kind is Kind.SOME and random.random() < 0.5)]
        for number, operation in enumerate(survivors):
            torn = kind is Kind.SOME and number == len(survivors) - 1
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
    """The write, cut off after some sector."""
    sectors = random.randint(0, len(operation.data) // SECTOR)
    return Operation(
        operation.kind, operation.name, operation.offset, operation.data[: sectors * SECTOR], operation.end
    )


@dataclass(frozen=True)
class Naming:
    """A file was given a name; with `file` None a name was removed."""

    name: str
    file: File | None


class Disk:
    """A folder that is empty when the log begins."""

    def __init__(self) -> None:
        self._durable: dict[str, File] = {}  # name → file, as on the disk
        self._current: dict[str, File] = {}  # name → file, as programs see it
        self._namings: list[Naming] = []  # since the last fsync of the folder

    def apply(self, operation: Operation) -> None:
        """Replays one call."""
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
        apply_naming(self._current, naming)

    def write_after_cut(self, folder: Path, kind: Kind, random: Random) -> None:
        """Writes into `folder` the files that a power cut at this moment leaves."""
        names = dict(self._durable)
        survivors = {Kind.NOTHING: 0, Kind.ALL: len(self._namings)}
        for naming in self._namings[: survivors.get(kind, random.randint(0, len(self._namings)))]:
            apply_naming(names, naming)
        for name, file in names.items():
            (folder / Path(name).name).write_bytes(file.after_cut(kind, random))


def apply_naming(names: dict[str, File], naming: Naming) -> None:
    """Adds or removes a name."""
    if naming.file is None:
        names.pop(naming.name, None)
    else:
        names[naming.name] = naming.file


def surviving_ids(journal_path: Path) -> set[str]:
    """The ids of all games and entries in a journal after a power cut, without games whose chain is broken.

    Raises JournalUnusable if the journal cannot be opened.
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
