"""Reads the log of a disk by the kernel's `dm-log-writes`: its writes in their order, and its flushes.

The format is in `Documentation/admin-guide/device-mapper/log-writes.rst`: a sector that describes the log, then for
each write a sector that describes it, and its data. Numbers are little-endian. A write is logged once it is done; one
that a flush brings to the disk is logged before that flush.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntFlag
from pathlib import Path
from random import Random
from typing import BinaryIO

MAGIC = 0x6A736677736872
HEAD = struct.Struct("<QQQI")  # magic, version, number of entries, bytes of a sector
ENTRY = struct.Struct("<QQQQ")  # first sector, number of sectors, flags, bytes of a mark
SECTOR = 512  # the unit of an entry's numbers, whatever the log's own sector size is


class Flag(IntFlag):
    """The flags of an entry."""

    NONE = 0
    FLUSH = 1  # everything before it is on the disk
    FUA = 2  # this write itself is on the disk
    DISCARD = 4
    MARK = 8  # a text that a program put into the log


@dataclass(frozen=True)
class Write:
    """One entry of the log."""

    offset: int  # bytes
    data: bytes
    flags: Flag = Flag.NONE
    mark: str = ""


def writes(path: Path) -> Iterator[Write]:
    """Every entry of the log; raises ValueError if the file is no such log."""
    with path.open("rb") as log:
        magic, version, number, sector = HEAD.unpack_from(log.read(SECTOR))
        if (magic, version) != (MAGIC, 1):
            raise ValueError(f"{path} holds no log of dm-log-writes")
        log.seek(sector)
        for _each in range(number):
            yield one_write(log, sector)


def one_write(log: BinaryIO, sector: int) -> Write:
    """The entry at the log's position, which is then that of the next one."""
    described = log.read(sector)
    first, sectors, flags, length = ENTRY.unpack_from(described)
    if flags & Flag.MARK:
        return Write(0, b"", Flag(flags & 15), described[ENTRY.size : ENTRY.size + length].rstrip(b"\0").decode())
    data = bytes(sectors * sector) if flags & Flag.DISCARD else log.read(sectors * sector)
    return Write(first * sector, data, Flag(flags & 15))


class Replay:
    """A disk of `size` bytes, first all zero, that is rebuilt from its log."""

    def __init__(self, size: int, log: list[Write]) -> None:
        self._log = log
        self._flushed = bytearray(size)  # the disk after the newest flush replayed
        self._at = 0  # number of entries in `_flushed`

    def after(self, number: int, random: Random | None = None) -> bytearray:
        """The disk after `number` entries, which may not be less than at the last call.

        random      chooses which of the writes since the last flush are there; None: all are
        """
        flushes = [at for at in range(self._at, number) if self._log[at].flags & Flag.FLUSH]
        if flushes:
            for write in self._log[self._at : flushes[-1] + 1]:
                put(self._flushed, write)
            self._at = flushes[-1] + 1
        disk = bytearray(self._flushed)
        for write in self._log[self._at : number]:
            if random is None or write.flags & Flag.FUA or random.random() < 0.5:
                put(disk, write)
        return disk


def put(disk: bytearray, write: Write) -> None:
    """Does a write."""
    disk[write.offset : write.offset + len(write.data)] = write.data
