"""Safe writes to a disk, and sentences for its errors."""

import contextlib
import errno
import itertools
import os
import shutil
import sqlite3
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from companion.errors import BadInput, JournalUnusable
from companion.words import _

FULL = (sqlite3.SQLITE_FULL,)
READ_ONLY = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH)
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
SHARED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_PROTOCOL)

LEAST_FREE = 3  # The next daily copy, the journal's growth and room to go on need so many times the journal's size.
COPIES = "backups"  # The daily copies are in this folder of the data folder.
PIECE_BYTES = 1 << 20
NO_JOURNAL = ("-wal", "-shm", "-journal", ".part", ".restoring")  # Files with these endings are no journals.

OUT_OF_REACH = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP)  # Not even `stat` works then.


def out_of_reach(error: OSError) -> str:
    """A sentence for a path that cannot even be examined, "" for every other error."""
    if error.errno not in OUT_OF_REACH or error.filename is None:
        return ""
    return f"{error.filename} cannot be reached ({error.strerror}): name another place, or be the user whose it is."


def at_the_table(error: sqlite3.Error, path: Path) -> str:
    """A sentence on why an entry was not recorded and what to do, for the person who tapped."""
    return in_words(error, path, _("nothing was recorded;"), _("tap again"))


def at_start(error: sqlite3.Error, path: Path) -> str:
    """A sentence on why the journal cannot be opened and what to do, for the person who starts the companion."""
    return in_words(error, path, _("it was left untouched;"), _("start again"))


def not_opened(error: sqlite3.Error, path: Path) -> JournalUnusable:
    """The error to raise when the journal at `path` cannot be opened."""
    return JournalUnusable(
        _("The journal {path} can't be opened: {at_start}", path=path, at_start=at_start(error, path))
    )


def when_read(error: sqlite3.Error, path: Path) -> str:
    """A sentence on why nothing can be shown and what to do, for the person who looks."""
    return in_words(error, path, _("nothing was changed;"), _("look again"))


def in_words(error: sqlite3.Error, path: Path, done: str, again: str) -> str:
    """A sentence on an error of the disk that holds the journal at `path`.

    done    what has become of the data, ending in ";"
    again   what to do once the error is dealt with
    """
    primary_code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if primary_code in FULL:
        return _("the disk is full: {done} free some space, then {again}.", done=done, again=again)
    if primary_code in READ_ONLY:
        return _("the disk can only be read: {done} see that it can be written, then {again}.", done=done, again=again)
    failed: sqlite3.Error | str = error
    if primary_code in DAMAGED and not (failed := unreadable(path)):
        return _("the file is damaged: {done} restore a backup with companion restore, then start again.", done=done)
    if primary_code in SHARED:
        return _("another program uses it: {done} stop that program, then start the companion again.", done=done)
    return _(
        "the disk failed ({error}): {done} {again}, and replace the disk if it fails again.",
        error=failed,
        done=done,
        again=again,
    )


def unreadable(path: Path) -> str:
    """The kernel's error on reading a journal or its log, "" if both can be read.

    SQLite reports a disk that cannot be read and a file with wrong content alike, as damaged.
    """
    try:
        for file in (path, path.with_name(path.name + "-wal")):
            with contextlib.suppress(FileNotFoundError), file.open("rb") as content:
                while content.read(PIECE_BYTES):
                    pass
    except OSError as error:
        return str(error.strerror)
    return ""


def no_file(path: Path) -> str:
    """The beginning of a sentence on a path that was named and is no file."""
    return f"{path} is a folder" if path.is_dir() else f"There is no file {path}"


def make_folder(folder: Path) -> None:
    """Makes the folder and its parents, each synced to the disk before anything is put into it."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Syncs the names in a folder to the disk: else a new file can be lost though its content was written."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, content: bytes) -> None:
    """Replaces the content of a file, whole or not at all, even in a power cut. Raises OSError."""
    beside = path.with_suffix(".new")
    with beside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    sync_folder(path.parent)


def not_written(path: Path, error: OSError) -> BadInput:
    """The error to raise when a path cannot be written."""
    return BadInput(_("{path} can't be written: {why}.", path=path, why=error.strerror or str(error)))


def make_private(database: Path) -> None:
    """Makes the file if there is none, and lets only its owner read it: it holds names and pictures of people.

    SQLite gives the files beside it the same mode, so those of an older, readable file are made private too.
    """
    try:
        os.close(os.open(database, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        for path in (database, *(database.with_name(f"{database.name}{part}") for part in ("-wal", "-shm"))):
            with contextlib.suppress(OSError):  # It may be missing, on a read-only disk, or somebody else's.
                path.chmod(0o600)


@contextlib.contextmanager
def opened(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """A connection that makes no new file and is closed at the end.

    mode    "ro" or "rw"; a file that a kill left in the middle of a change is opened to be written, so that SQLite
            undoes that change: who may only read would be refused
    """
    mode = "rw" if Path(f"{path}-journal").exists() else mode
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None)
    try:
        yield db
    finally:
        db.close()


def room_wanted(journal: Path, added: int = 0) -> int:
    """The MB that should be free on the disk of a journal that grows by `added` bytes; 0 if they are free."""
    wanted = LEAST_FREE * (journal.stat().st_size + added)
    return 0 if shutil.disk_usage(journal.parent).free >= wanted else wanted // 1_000_000 + 1


def daily_copies(journal: Path) -> dict[date, Path]:
    """Day → daily copy, oldest first."""
    copies = {}
    for path in sorted((journal.parent / COPIES).glob("journal-*.sqlite3")):
        with contextlib.suppress(ValueError):  # It is somebody else's file, or a restore put it aside.
            copies[date.fromisoformat(path.stem.removeprefix("journal-"))] = path
    return dict(sorted(copies.items()))


def other_journals(journal: Path) -> list[Path]:
    """Every other journal in this folder: copies, and journals that a restore put aside."""
    aside = (path for path in sorted(journal.parent.glob(f"{journal.name}.*")) if not path.name.endswith(NO_JOURNAL))
    return [*sorted((journal.parent / COPIES).glob("*.sqlite3")), *aside]


def unused(journal: Path, ending: str) -> str:
    """`ending`, with a number behind it if files with that ending were put aside before."""
    endings = (ending if number == 1 else f"{ending}-{number}" for number in itertools.count(1))
    folders = (journal.parent, journal.parent / COPIES)
    used = [path.name for folder in folders for path in folder.glob(f"{journal.stem}*.{ending}*")]
    return next(
        candidate
        for candidate in endings
        if not any(name.removesuffix(".sqlite3").endswith(candidate) for name in used)
    )
