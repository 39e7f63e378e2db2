"""The journal's SQLite file: opened, examined and migrated, then read and changed by several threads.

A committed transaction (WAL, `synchronous=FULL`) survives a power cut. Nothing here knows what the tables mean.
"""

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from companion.errors import JournalUnusable
from companion.journal.files import at_the_table, make_folder, make_private, not_opened, opened, when_read
from companion.journal.mending import mend, refuse_new_house
from companion.journal.schema import VERSION, examined, migrate
from companion.journal.tail import Tail
from companion.words import _


class Database:
    """The open file. Thread-safe: one transaction at a time, and readers never wait for a write."""

    def __init__(self, path: Path, *, is_mended: bool = False) -> None:
        """Opens or makes the journal at `path`; raises JournalUnusable and then changes nothing.

        is_mended   another program has it open, and has put back missing entries
        """
        self.path = path
        # It gets "" when the file can be written again.
        self.on_trouble: Callable[[str], None] = lambda _sentence: None
        self.tail = Tail(path)
        self.copying = threading.Lock()  # It is held while a daily copy is made or a person is erased from the copies.
        self.put_back = 0  # So many entries were missing when it was opened, and came from the copy or the tail.
        self._troubled = False
        self._lock = threading.RLock()
        self._reading = threading.Lock()
        try:
            make_folder(path.parent)
            if not path.is_file() or not path.stat().st_size:
                refuse_new_house(path)
            make_private(path)
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise JournalUnusable(
                _("The folder for the journal {path} can't be used ({error}). Choose another.", path=path, error=error)
            ) from error
        try:
            if path.with_name(f"{path.name}-journal").exists():
                # The power went while the file was made. SQLite undoes that, but not for one who may only read.
                self._db.execute("PRAGMA user_version")
            with opened(path, "ro") as examining:  # Till this closes, `_db` writes no log into a damaged file.
                try:
                    self._prepare(examined(examining, path), is_mended)
                except BaseException:
                    self._db.close()
                    raise
        except sqlite3.Error as error:
            raise not_opened(error, path) from error
        self._inode = os.stat(path).st_ino
        self._reader = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._reader.execute("PRAGMA query_only=ON")

    def _prepare(self, version: int, is_mended: bool) -> None:
        if not version:
            refuse_new_house(self.path)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA secure_delete=ON")  # What is deleted is overwritten: a name, a picture.
        self._db.execute("PRAGMA foreign_keys=ON")
        for number in range(version, VERSION):
            with self._transaction():
                migrate(self._db, number)
        if not is_mended:
            with self._transaction():
                self.put_back = mend(self._db, self.path, self.tail)

    def close(self) -> None:
        """Closes the file, with every acknowledged entry in it."""
        with self._reading, self._lock:
            self._reader.close()
            self._db.close()

    def select(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """The rows of a query."""
        with self._readable(), self._reading:
            return self._reader.execute(sql, values).fetchall()

    @contextlib.contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """A transaction. A failure raises JournalUnusable and appears in the status line of every page."""
        try:
            self._check_file()
            with self._transaction():
                yield self._db
        except sqlite3.Error as error:
            refusal = JournalUnusable(
                _("The journal can't be written: {at_the_table}", at_the_table=at_the_table(error, self.path))
            )
            self._tell(refusal.sentence)
            raise refusal from error
        except JournalUnusable as refusal:
            self._tell(refusal.sentence)
            raise
        if self._troubled:
            self._tell("")

    def settle(self) -> bool:
        """Moves everything from the write-ahead log into the file, so that deleted rows are in neither.

        Returns False when another program is reading: then a part may be left in the log.
        """
        with self._readable(), self._reading, self._lock:  # A reader in the middle of a query would keep the log.
            (busy, _pages, _done) = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not busy

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # After some disk errors SQLite has rolled back already.
                    self._db.execute("ROLLBACK")
                raise

    def _tell(self, trouble: str) -> None:
        self._troubled = bool(trouble)
        self.on_trouble(trouble)

    def _check_file(self) -> None:
        """Raises JournalUnusable if the file was deleted or replaced: new entries would be lost with it."""
        try:
            same = os.stat(self.path).st_ino == self._inode
        except OSError:
            same = False
        if not same:
            raise JournalUnusable(
                _(
                    "The journal {path} was moved or deleted. Nothing was recorded. Put it back, or start again.",
                    path=self.path,
                )
            )

    @contextlib.contextmanager
    def _readable(self) -> Iterator[None]:
        """Turns SQLite's errors on reading into JournalUnusable."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            reason = when_read(error, self.path)
            raise JournalUnusable(
                _("The journal {path} can't be read: {when_read}", path=self.path, when_read=reason)
            ) from error
