"""The data folder: locking it, and opening the journal in it, whether or not a companion runs there."""

import contextlib
import fcntl
import logging
import os
import sqlite3
from pathlib import Path
from typing import IO, TypeVar

from companion.errors import BadInput
from companion.journal.backup import copy_older
from companion.journal.files import make_folder, not_opened, opened
from companion.journal.restore import finish
from companion.journal.schema import VERSION, examined
from companion.journal.settings import Setting
from companion.journal.store import Journal

JOURNAL = "journal.sqlite3"
HUB_RECORD = "hub.sqlite3"  # in the folder of a hub

log = logging.getLogger(__name__)

T = TypeVar("T")


def claim(data: Path) -> IO[bytes]:
    """Locks the folder until this program ends, and finishes a restore that was killed; returns the lock file.

    Raises BadInput when another program holds the lock, or when it is no folder or cannot be written.
    """
    try:
        make_folder(data)
        lock = os.fdopen(os.open(data / "in-use", os.O_WRONLY | os.O_CREAT, 0o600), "wb")
        with contextlib.suppress(OSError):  # Whoever can open the file could lock the companion out.
            os.fchmod(lock.fileno(), 0o600)
    except (FileExistsError, NotADirectoryError) as error:
        raise BadInput(f"{data} is no folder: name the folder of the games with --data.") from error
    except OSError as error:
        raise cannot_be_written(data, error) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise BadInput(f"Another companion already uses {data}: stop it, or start with another --data.") from error
    try:
        finish(data / JOURNAL)
    except OSError as error:
        lock.close()
        raise cannot_be_written(data, error) from error
    return lock


def cannot_be_written(data: Path, error: OSError) -> BadInput:
    """The refusal of a folder that cannot be written."""
    return BadInput(f"{data} cannot be written ({error.strerror}): see that it can, or start with another --data.")


def version_of(path: Path) -> int:
    """The schema version of the journal at `path`, which is only read; raises JournalUnusable as `Journal` does."""
    try:
        with opened(path, "ro") as db:
            return examined(db, path)
    except sqlite3.Error as error:
        raise not_opened(error, path) from error


def setting_in(data: Path, setting: Setting[T]) -> T:
    """The value of a setting in a data folder, which is only read; the usual one where there is no journal.

    Raises JournalUnusable for a journal that cannot be read.
    """
    path = data / JOURNAL
    if not path.is_file():
        return setting.usual
    try:
        with opened(path, "ro") as db:
            row = db.execute("SELECT value FROM settings WHERE name = ?", (setting.name,)).fetchone()
    except sqlite3.Error as error:
        raise not_opened(error, path) from error
    return setting.parse(row[0]) if row else setting.usual


def journal_in(data: Path) -> Journal:
    """The journal in a data folder; another companion may run there.

    Raises BadInput when there is no journal, and when an older companion is running: its writes would no longer fit.
    """
    path = data / JOURNAL
    if not path.is_file():
        raise BadInput(f"There is no table in {data} yet: start it once, or name its folder with --data.")
    try:
        with claim(data):
            copy_older(path, log.warning)
            return Journal(path)
    except BadInput:  # A companion runs here, and has put back missing entries.
        if version_of(path) != VERSION:
            raise
        return Journal(path, is_mended=True)
