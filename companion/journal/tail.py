"""The newest entries once more: a plain file beside the journal, for disks that damage what they have kept.

SQLite notices a damaged page but cannot mend it, and of a write-ahead log it leaves out, without a word, whatever
stands behind the damaged place. So each entry is also added to `journal.tail`, one JSON line each, until the next daily
copy holds it: newest copy and tail together hold all that the journal does (see `mending`).

The tail is not synced with each tap: the journal is what survives a power cut, the tail what survives a damaged page.
"""

import contextlib
import logging
import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from companion.journal.codec import LARGEST
from companion.journal.files import sync_folder

LONGEST = 32_000_000  # bytes of a line; an entry is part of a request, and those are smaller

log = logging.getLogger(__name__)


class Line(msgspec.Struct, omit_defaults=True, frozen=True):
    """A session that begins (its header's text, and id, name and year of birth of its players), or an entry of one."""

    header: str = ""
    players: tuple[tuple[str, str, int | None], ...] = ()
    session: str = ""
    seq: Annotated[int, Meta(ge=0, le=LARGEST)] = 0
    id: str = ""
    content: str = ""
    hash: str = ""


class Tail:
    """The file, and the one before the last turn, which goes when a copy holds all that is in it."""

    def __init__(self, journal: Path) -> None:
        self._path = journal.with_suffix(".tail")
        self._turned = journal.with_suffix(".tail.1")
        self._lock = threading.Lock()

    def add(self, lines: Iterable[Line]) -> None:
        """Adds lines. What fails here fails nobody: the journal has them, and at the next start they are added."""
        with self._lock, contextlib.suppress(OSError):
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                for line in lines:
                    file.write(b"\n" + msgspec.json.encode(line))  # which ends a line that a kill broke off

    def turn(self) -> None:
        """A copy is about to be made: what is here by now will be in it."""
        with self._lock:
            if self._path.exists() and not self._turned.exists():
                self._path.rename(self._turned)

    def forget_turned(self) -> None:
        """The copy has been made."""
        self._turned.unlink(missing_ok=True)

    def move_aside(self, moved_to: str) -> None:
        """Nothing is taken from here any more; the files stay under another name."""
        for path in (self._turned, self._path):
            if path.exists():
                path.rename(f"{path}.{moved_to}")

    def forget_players(self, players: frozenset[str]) -> tuple[str, ...]:
        """Takes the names of these players out, so that nothing puts them back, and out of tails that were put aside.

        The names of files that refuse.
        """
        refused = []
        with self._lock:
            for path in (self._path, *self._path.parent.glob(f"{self._path.name}.*")):
                try:
                    forget_in(path, players)
                except FileNotFoundError:
                    continue
                except OSError as error:
                    log.warning("%s still holds what was to be deleted: %s", path, error)
                    refused.append(path.name)
        return tuple(refused)

    def lines(self) -> Iterator[Line]:
        """Every line that can still be read, older ones first."""
        for path in (self._turned, self._path):
            with contextlib.suppress(OSError):
                yield from lines_of(path)


def lines_of(path: Path) -> Iterator[Line]:
    """Every line of a tail that is whole, one after the other: a tail may be larger than the memory. Raises OSError."""
    with path.open("rb") as file:
        while text := file.readline(LONGEST):
            with contextlib.suppress(msgspec.DecodeError, UnicodeError, RecursionError):
                yield msgspec.json.decode(text, type=Line)


def forget_in(path: Path, players: frozenset[str]) -> None:
    """Writes one tail anew without the names of these players, safe from a power cut: one that came back would put them
    back. A file that cannot be read stays as it is."""
    fresh = path.with_name(path.name + ".new")
    try:
        fresh.touch(mode=0o600)
        with fresh.open("wb") as file:
            for line in lines_of(path):
                left = tuple(one for one in line.players if one[0] not in players)
                file.write(b"\n" + msgspec.json.encode(msgspec.structs.replace(line, players=left)))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        sync_folder(path.parent)
    finally:
        fresh.unlink(missing_ok=True)
