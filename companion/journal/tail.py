"""The tail: a second record of the newest entries, in a plain file beside the journal, in case the disk damages that.

SQLite notices a damaged page but cannot repair it, and it silently ignores everything behind a damaged place in a
write-ahead log. So each entry is also added to `journal.tail`, one JSON line each, until the next daily copy holds it:
the newest copy and the tail together hold all that the journal does (see `mending`).

The tail is not synced with each tap: the journal survives a power cut, the tail survives a damaged page. Without it
most damages would cost entries, as docs/reliability.md says.
"""

import contextlib
import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from companion.foreign import Unreadable, read_json
from companion.journal.codec import LARGEST
from companion.journal.files import sync_folder
from companion.journal.session import agrees, digest, named_in

LONGEST_BYTES = 32_000_000  # A line is shorter: an entry is part of a request, and those are smaller.

log = logging.getLogger(__name__)


class Line(msgspec.Struct, omit_defaults=True, frozen=True):
    """A new session (the text and the hash of its header, and its players' ids, names and years of birth), or an entry.

    salt, text  what was typed for the entry, as `Reason` has it; "" for nothing
    """

    header: str = ""
    players: tuple[tuple[str, str, int | None], ...] = ()
    session: str = ""
    seq: Annotated[int, Meta(ge=0, le=LARGEST)] = 0
    id: str = ""
    content: str = ""
    hash: str = ""
    salt: str = ""
    text: str = ""


class Tail:
    """The file, and the rotated one before it, which is deleted once a copy holds all that is in it."""

    def __init__(self, journal: Path) -> None:
        self._path = journal.with_suffix(".tail")
        self._rotated = journal.with_suffix(".tail.1")
        self._lock = threading.Lock()

    def add(self, lines: Iterable[Line]) -> None:
        """Adds lines. An OSError is ignored: the journal has the entries, and the next start adds them here."""
        with self._lock, contextlib.suppress(OSError):
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                for line in lines:
                    file.write(b"\n" + msgspec.json.encode(line))  # "\n" is first: a kill may cut a line off.

    def rotate(self) -> None:
        """Begins a new file, before a copy is made: everything so far will be in the copy."""
        with self._lock:
            if self._path.exists() and not self._rotated.exists():
                self._path.rename(self._rotated)

    def forget_rotated(self) -> None:
        """Deletes the rotated file, after the copy was made."""
        self._rotated.unlink(missing_ok=True)

    def move_aside(self, moved_to: str) -> None:
        """Renames the files, so that no entries are taken from them any more."""
        for path in (self._rotated, self._path):
            if path.exists():
                path.rename(f"{path}.{moved_to}")

    def forget_players(
        self,
        players: frozenset[str],
        games: frozenset[str] = frozenset(),
        is_named: Callable[[str], bool] = lambda _text: False,
    ) -> tuple[str, ...]:
        """Deletes the names of these players, and what was typed in these games, so that nothing puts them back; also
        in tails that were put aside.

        is_named    whether a text that was typed in another game has to go as well

        Returns the names of files that could not be rewritten.
        """

        def nameless(line: Line) -> Line:
            others = tuple(player for player in line.players if player[0] not in players)
            typed = {"salt": "", "text": ""} if line.session in games or is_named(line.text) else {}
            return msgspec.structs.replace(line, players=others, **typed)

        return self._rewrite_all(nameless)

    def forget_game(self, session: str) -> tuple[str, ...]:
        """Deletes every line of a game, so that nothing puts it back; also in tails that were put aside.

        Returns the names of files that could not be rewritten.
        """
        return self._rewrite_all(lambda line: None if session in (line.session, named_in(line.header)) else line)

    def _rewrite_all(self, change: Callable[[Line], Line | None]) -> tuple[str, ...]:
        refused = []
        with self._lock:
            for path in (self._path, *self._path.parent.glob(f"{self._path.name}.*")):
                try:
                    rewrite(path, change)
                except FileNotFoundError:
                    continue
                except OSError as error:
                    log.warning("%s still holds what was to be deleted: %s", path, error)
                    refused.append(path.name)
        return tuple(refused)

    def lines(self) -> Iterator[Line]:
        """Every line that can be read, oldest first."""
        for path in (self._rotated, self._path):
            with contextlib.suppress(OSError):
                yield from lines_of(path)


def lines_of(path: Path) -> Iterator[Line]:
    """Every whole line of a tail, one at a time, since a tail may be larger than the memory. Raises OSError."""
    with path.open("rb") as file:
        while text := file.readline(LONGEST_BYTES):
            with contextlib.suppress(Unreadable):
                line = read_json(text, Line)
                if is_sound(line):
                    yield line


def is_sound(line: Line) -> bool:
    """Whether a line says of itself what its text says: a flipped bit would make it one of another game."""
    if line.header:
        return line.hash in ("", digest(line.header))  # Older tails have no hash there.
    return not line.content or agrees(line.content, line.session, line.seq, line.id)


def rewrite(path: Path, change: Callable[[Line], Line | None]) -> None:
    """Rewrites one tail with what `change` makes of each line, None for nothing, and syncs it: after a power cut an old
    one would still have what was to go.

    Raises OSError and then leaves the file as it is.
    """
    fresh = path.with_name(path.name + ".new")
    try:
        fresh.touch(mode=0o600)
        with fresh.open("wb") as file:
            for line in lines_of(path):
                if (left := change(line)) is not None:
                    file.write(b"\n" + msgspec.json.encode(left))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        sync_folder(path.parent)
    finally:
        fresh.unlink(missing_ok=True)
