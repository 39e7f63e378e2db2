"""A copy of the hub's record, each minute, in a folder on another disk; and the way back from it.

A copy is one SQLite file, made by SQLite itself while the hub writes on, so it has what is in the write-ahead log, too.
It appears under its name once it is whole, checked and on the disk; the one before stays beside it. PostgreSQL makes
its own copies.
"""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path

from companion.clock import wall_us
from companion.errors import BadInput, JournalUnusable
from companion.hub.database import OWN_KEY
from companion.journal.data_folder import HUB_RECORD
from companion.journal.files import make_folder, make_private, opened, sync_folder
from companion.words import _, time_of_day

BEFORE = "hub-before.sqlite3"
KEY = "SELECT value FROM own WHERE name = ?"


@dataclass(frozen=True)
class CopyContents:
    """What is in a copy, and when it was made."""

    tables: int
    games: int
    tournaments: int
    made_us: int = 0


class Copies:
    """Copies one record into one folder. Not for several threads at once."""

    def __init__(self, record: Path, folder: Path, now_us: Callable[[], int] = wall_us) -> None:
        """record   the hub's file; folder, where copies go: it must be there, as a stick has to be plugged in

        Raises BadInput, also if the folder has the copy of another hub.
        """
        self._record, self._folder, self._now_us = record, folder, now_us
        self._target = folder / HUB_RECORD
        if not folder.is_dir():
            raise BadInput(
                _("There's no folder {folder} for the copies. Plug the stick in, or make the folder.", folder=folder)
            )
        if folder.resolve() == record.parent.resolve():
            raise BadInput(_("Copies can't lie where the record itself does. Choose another folder, best on a stick."))
        others = [path for path in (self._target, folder / BEFORE) if path.exists() and key_of(path) != key_of(record)]
        if others:
            raise BadInput(
                _(
                    "{folder} has the copy of another hub. Put it back with “companion hub restore {folder}”, or choose"
                    " another folder.",
                    folder=folder,
                )
            )
        self._device = folder.stat().st_dev
        self._version = self._newest_us = 0
        self._source: sqlite3.Connection | None = None
        self._why = ""

    @property
    def is_on_own_disk(self) -> bool:
        """Whether the copies would die together with the record."""
        return self._record.stat().st_dev == self._device

    def trouble(self) -> str:
        """Why there is no copy of this minute, "" if there is one."""
        return self._why

    def copy(self) -> None:
        """Makes a copy if something is new; whatever keeps it from that is said by `trouble`."""
        try:
            if self._folder.stat().st_dev != self._device:
                raise FileNotFoundError
            self._copy()
            self._why = ""
        except FileNotFoundError:
            self._why = self._missed(_("it isn't there, so plug the stick in again"))
        except OSError as error:
            self._why = self._missed(error.strerror or str(error))
        except sqlite3.Error as error:
            self._why = self._missed(str(error))

    def close(self) -> None:
        """Makes the last copy."""
        self.copy()
        if self._source:
            self._source.close()

    def _missed(self, why: str) -> str:
        if not self._newest_us:
            return _("No copy of the hub can be made in {folder}: {why}.", folder=self._folder, why=why)
        return _(
            "There's no copy of the hub since {time}. {folder}: {why}.",
            time=time_of_day(self._newest_us)[:5],
            folder=self._folder,
            why=why,
        )

    def _copy(self) -> None:
        if self._source is None:
            self._source = sqlite3.connect(f"file:{self._record}?mode=ro", uri=True, check_same_thread=False)
        (version,) = self._source.execute("PRAGMA data_version").fetchone()
        if version == self._version and self._target.is_file() and not self._why:
            self._newest_us = self._now_us()
            return
        part = self._target.with_suffix(".part")
        part.unlink(missing_ok=True)
        make_private(part)
        try:
            with contextlib.closing(sqlite3.connect(part)) as copy:
                self._source.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")  # So that it is one file.
                check(copy)
            give_place(part, self._target)
        finally:
            part.unlink(missing_ok=True)
        self._version, self._newest_us = version, self._now_us()


def give_place(part: Path, target: Path) -> None:
    """Puts a file on the disk under its name; the one that had it becomes the one before."""
    with part.open("rb") as file:
        os.fsync(file.fileno())
    if target.exists():
        os.replace(target, target.with_name(BEFORE))
    os.replace(part, target)
    sync_folder(target.parent)


def check(copy: sqlite3.Connection) -> None:
    """Raises sqlite3.DatabaseError for a file that is not whole."""
    (said,) = copy.execute("PRAGMA quick_check").fetchone()
    if said != "ok":
        raise sqlite3.DatabaseError(said)


def key_of(path: Path) -> str:
    """The secret of the hub whose record a file is; "" for none that can be read."""
    try:
        with opened(path, "ro") as db:
            row = db.execute(KEY, (OWN_KEY,)).fetchone()
    except sqlite3.Error:
        return ""
    return row[0] if row else ""


def put_back(folder: Path, data: Path) -> CopyContents:
    """Makes the newest whole copy in a folder the record of a hub that has none; raises BadInput or JournalUnusable."""
    record = data / HUB_RECORD
    copies = [path for path in (folder / HUB_RECORD, folder / BEFORE) if path.is_file()]
    if not copies:
        raise BadInput(_("There's no copy of a hub in {folder}. Name the folder that --copies had.", folder=folder))
    if record.exists():
        make_way(record, {key_of(path) for path in copies})
    for path in copies:
        part = record.with_suffix(".part")
        try:
            make_folder(data)
            part.unlink(missing_ok=True)
            make_private(part)
            with opened(path, "ro") as source, contextlib.closing(sqlite3.connect(part)) as target:
                source.backup(target)
                check(target)
                contents = replace(contents_of(target), made_us=path.stat().st_mtime_ns // 1_000)
            give_place(part, record)
        except sqlite3.Error:
            continue
        except OSError as error:
            raise BadInput(f"{data} cannot be written ({error.strerror}): choose another --data.") from error
        finally:
            part.unlink(missing_ok=True)
        return contents
    raise JournalUnusable(_("No copy in {folder} is whole. Look for another one.", folder=folder))


def make_way(record: Path, keys: Collection[str]) -> None:
    """Deletes a record that has nothing in it, as a start leaves that was refused; raises BadInput for any other one.

    keys    of the copies
    """
    data = record.parent
    with contextlib.suppress(sqlite3.Error), opened(record, "ro") as db:
        if contents_of(db) == CopyContents(0, 0, 0):
            for path in (record, *(record.with_name(record.name + end) for end in ("-wal", "-shm"))):
                path.unlink(missing_ok=True)
            return
    if key_of(record) in {"", *keys}:  # It is this hub's, or too damaged to say whose it is.
        raise BadInput(
            _("{data} has a hub's record already. Name another folder with --data, or move that away.", data=data)
        )
    raise BadInput(
        _(
            "{data} is in use by a new hub. Stop it, move that folder away, and put the copy back. Then give each table"
            " a new code: it sends the evening's games again.",
            data=data,
        )
    )


def contents_of(db: sqlite3.Connection) -> CopyContents:
    """How much is in a record."""
    (tables,) = db.execute("SELECT count(*) FROM tables WHERE revoked_us = 0").fetchone()
    (games,) = db.execute("SELECT count(DISTINCT session) FROM letters").fetchone()
    (tournaments,) = db.execute("SELECT count(*) FROM tournaments").fetchone()
    return CopyContents(tables, games, tournaments)
