"""The data folder: whose it is, and how a command opens the journal in it, whether or not a companion runs there."""

import contextlib
import fcntl
import os
import sqlite3
from pathlib import Path
from typing import IO

from companion.errors import BadInput, JournalUnusable
from companion.journal.files import at_start, make_folder, opened
from companion.journal.restore import finish
from companion.journal.schema import VERSION, examined
from companion.journal.store import Journal
from companion.words import _

JOURNAL = "journal.sqlite3"


def claim(data: Path) -> IO[bytes]:
    """Makes the folder this program's for as long as it lives; raises BadInput when another has it.

    What a restore that was killed has left to do is done.
    """
    try:
        make_folder(data)
        lock = os.fdopen(os.open(data / "in-use", os.O_WRONLY | os.O_CREAT, 0o600), "wb")
        with contextlib.suppress(OSError):  # whoever could open it could keep the companion from starting
            os.fchmod(lock.fileno(), 0o600)
    except OSError as error:
        raise BadInput(
            f"{data} cannot be written ({error.strerror}): see that it can, or start with another --data."
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise BadInput(f"Another companion already uses {data}: stop it, or start with another --data.") from error
    try:
        finish(data / JOURNAL)
    except OSError as error:
        lock.close()
        raise BadInput(
            f"{data} cannot be written ({error.strerror}): see that it can, or start with another --data."
        ) from error
    return lock


def version_of(path: Path) -> int:
    """The version of the journal at `path`, in which nothing is changed; raises JournalUnusable as `Journal` does."""
    try:
        with opened(path, "ro") as db:
            return examined(db, path)
    except sqlite3.Error as error:
        raise JournalUnusable(
            _("The journal {path} cannot be opened: {at_start}", path=path, at_start=at_start(error, path))
        ) from error


def journal_in(data: Path) -> Journal:
    """The journal of the table in a folder, beside a companion that runs there, too; raises BadInput where there is
    none, and where an older companion is running: what it writes would not fit any more."""
    path = data / JOURNAL
    if not path.is_file():
        raise BadInput(f"There is no table in {data} yet: start it once, or name its folder with --data.")
    try:
        with claim(data):
            return Journal(path)
    except BadInput:  # a companion runs here: it has put back what was missing, and nobody waits for a second look
        if version_of(path) != VERSION:
            raise
        return Journal(path, is_mended=True)
