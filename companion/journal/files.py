"""Safe writes to a disk, and its faults in words."""

import contextlib
import errno
import os
import sqlite3
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from companion.errors import BadInput
from companion.words import _

FULL = (sqlite3.SQLITE_FULL,)
READ_ONLY = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH)
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
SHARED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_PROTOCOL)

COPIES = "backups"  # the daily ones, in the data folder
PIECE_BYTES = 1 << 20  # of a file that is read to its end
ASIDE_NOT = ("-wal", "-shm", "-journal", ".part", ".restoring")  # beside a journal, and none by itself

OUT_OF_REACH = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP)  # of a name at which one cannot even look


def out_of_reach(error: OSError) -> str:
    """Why nobody can tell what a file or folder is, and what to do; "" for every other error."""
    if error.errno not in OUT_OF_REACH or error.filename is None:
        return ""
    return f"{error.filename} cannot be reached ({error.strerror}): name another place, or be the user whose it is."


def at_the_table(error: sqlite3.Error, path: Path) -> str:
    """Why an entry was not recorded and what to do, for the person who tapped."""
    return in_words(error, path, _("nothing was recorded;"), _("tap again"))


def at_start(error: sqlite3.Error, path: Path) -> str:
    """Why the journal cannot be opened and what to do, for the person who starts the companion."""
    return in_words(error, path, _("it was left untouched;"), _("start again"))


def when_read(error: sqlite3.Error, path: Path) -> str:
    """Why nothing can be shown and what to do, for the person who looks."""
    return in_words(error, path, _("nothing was changed;"), _("look again"))


def in_words(error: sqlite3.Error, path: Path, done: str, again: str) -> str:
    """A sentence on the fault of the disk with the journal at `path`: what is wrong, what that did, what to do before
    doing it `again`."""
    kind = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # the rest says where exactly
    if kind in FULL:
        return _("the disk is full: {done} free some space, then {again}.", done=done, again=again)
    if kind in READ_ONLY:
        return _("the disk can only be read: {done} see that it can be written, then {again}.", done=done, again=again)
    failed: sqlite3.Error | str = error
    if kind in DAMAGED and not (failed := unreadable(path)):
        return _("the file is damaged: {done} restore a backup with companion restore, then start again.", done=done)
    if kind in SHARED:
        return _("another program uses it: {done} stop that program, then start the companion again.", done=done)
    return _(
        "the disk failed ({error}): {done} {again}, and replace the disk if it fails again.",
        error=failed,
        done=done,
        again=again,
    )


def unreadable(path: Path) -> str:
    """Why the kernel does not give the bytes of a journal or its log, "" where it does: SQLite calls both damaged."""
    try:
        for file in (path, path.with_name(path.name + "-wal")):
            with contextlib.suppress(FileNotFoundError), file.open("rb") as content:
                while content.read(PIECE_BYTES):
                    pass
    except OSError as error:
        return str(error.strerror)
    return ""


def make_folder(folder: Path) -> None:
    """Makes the folder and those above it, each safe from a power cut before anything is put into it."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Brings the names in a folder to the disk: without that a new file can be lost though its content was written."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, content: bytes) -> None:
    """Puts the content into a file, whole or not at all: a power cut leaves what was there. Raises OSError."""
    beside = path.with_suffix(".new")
    with beside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    sync_folder(path.parent)


def not_written(path: Path, error: OSError) -> BadInput:
    """Why nothing was changed."""
    return BadInput(_("{path} cannot be written: {why}.", path=path, why=error.strerror or str(error)))


def make_private(database: Path) -> None:
    """Makes the file where there is none, and keeps it to its owner: names and pictures of people are in it.

    What SQLite puts beside it has the mode of the file; beside one that was open to all lies what is, too.
    """
    try:
        os.close(os.open(database, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        for path in (database, *(database.with_name(f"{database.name}{part}") for part in ("-wal", "-shm"))):
            with contextlib.suppress(OSError):  # not there, on a disk that can only be read, or somebody else's
                path.chmod(0o600)


@contextlib.contextmanager
def opened(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """A connection that makes no file of its own, closed at the end."""
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None)
    try:
        yield db
    finally:
        db.close()


def daily_copies(journal: Path) -> dict[date, Path]:
    """The daily copies that are here, by their day, older ones first."""
    found = {}
    for path in sorted((journal.parent / COPIES).glob("journal-*.sqlite3")):
        with contextlib.suppress(ValueError):  # somebody else's file, or one that a restore put aside
            found[date.fromisoformat(path.stem.removeprefix("journal-"))] = path
    return dict(sorted(found.items()))


def other_journals(journal: Path) -> list[Path]:
    """Every other file of this folder that holds a journal: copies, and what a restore put aside."""
    aside = (path for path in sorted(journal.parent.glob(f"{journal.name}.*")) if not path.name.endswith(ASIDE_NOT))
    return [*sorted((journal.parent / COPIES).glob("*.sqlite3")), *aside]
