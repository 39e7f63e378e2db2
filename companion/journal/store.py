"""The journal: one SQLite file that holds every session, entry, name and picture.

An entry is committed (WAL, `synchronous=FULL`) before anyone is told of it. Each carries the hash of its predecessor,
the first one the hash of the session's header, so a game can be verified anywhere. Names, pictures, which of them were
taken when an entry asked for it, and the devices that entries came from stand in tables of their own, outside the
chain: they can be deleted and every chain still holds.
"""

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from companion.clock import Instant
from companion.errors import JournalUnusable
from companion.journal.events import Entry, Sender
from companion.journal.files import at_start, at_the_table, make_folder, make_private
from companion.journal.record import Row, digest_bytes, entry_json, header_json
from companion.journal.session import Player, Session, canonical_json, digest
from companion.journal.tail import Tail, entry_line, session_line
from companion.words import _

MIGRATIONS = (
    """
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY, header TEXT NOT NULL, hash TEXT NOT NULL, created_wall_us INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE entries (
        session TEXT NOT NULL REFERENCES sessions(id), seq INTEGER NOT NULL, id TEXT NOT NULL,
        content TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (session, seq), UNIQUE (session, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE players (id TEXT PRIMARY KEY, name TEXT NOT NULL, birth_year INTEGER) STRICT;
    CREATE TABLE pictures (hash TEXT PRIMARY KEY, jpeg BLOB NOT NULL, taken_wall_us INTEGER NOT NULL) STRICT;
    CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE instant (
        only INTEGER PRIMARY KEY CHECK (only = 1), boot_id TEXT NOT NULL, monotonic_us INTEGER NOT NULL,
        wall_us INTEGER NOT NULL, offset_us INTEGER NOT NULL
    ) STRICT;
    """,
    """
    CREATE TABLE tickets (
        id TEXT PRIMARY KEY, role TEXT NOT NULL, session TEXT, player TEXT, label TEXT NOT NULL,
        created_wall_us INTEGER NOT NULL, expires_wall_us INTEGER NOT NULL, once INTEGER NOT NULL
    ) STRICT;
    """,
    """
    CREATE TABLE profiles (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, symbol TEXT NOT NULL, colour TEXT NOT NULL,
        created_wall_us INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE seats (player TEXT PRIMARY KEY, profile TEXT NOT NULL REFERENCES profiles(id)) STRICT;
    CREATE TABLE outcomes (session TEXT PRIMARY KEY, of TEXT NOT NULL, outcome TEXT NOT NULL) STRICT;
    """,
    """
    CREATE TABLE senders (
        session TEXT NOT NULL REFERENCES sessions(id), seq INTEGER NOT NULL, label TEXT NOT NULL, player TEXT,
        PRIMARY KEY (session, seq)
    ) STRICT, WITHOUT ROWID;
    """,
    """
    CREATE TABLE taken_in (
        picture TEXT NOT NULL REFERENCES pictures(hash) ON DELETE CASCADE,
        session TEXT NOT NULL REFERENCES sessions(id), PRIMARY KEY (picture, session)
    ) STRICT, WITHOUT ROWID;
    """,
    """
    CREATE TABLE scanned (
        ticket TEXT PRIMARY KEY REFERENCES tickets(id) ON DELETE CASCADE, code TEXT NOT NULL, number INTEGER NOT NULL,
        used INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,
    """
    CREATE TABLE evidence (
        session TEXT NOT NULL REFERENCES sessions(id), seq INTEGER NOT NULL, picture TEXT NOT NULL,
        PRIMARY KEY (session, seq)
    ) STRICT, WITHOUT ROWID;
    """,
)
VERSION = len(MIGRATIONS)

Beside = Callable[[sqlite3.Connection], None]  # a part of a transaction


@dataclass(frozen=True)
class StoredTicket:
    """What a device may do here, as it is stored (see companion.house.access)."""

    id: str
    role: str
    session: str | None
    player: str | None
    label: str
    created_wall_us: int
    expires_wall_us: int
    once: bool


class Journal:
    """The open file. Safe from several threads; one transaction at a time, and who reads never waits for a disk."""

    def __init__(self, path: Path) -> None:
        """Opens or makes the journal at `path`; raises JournalUnusable with one sentence and changes nothing then."""
        self.path = path
        self.on_trouble: Callable[[str], None] = lambda _sentence: None  # hears "" when it can be written again
        self.tail = Tail(path)
        self.copying = threading.Lock()  # held while a daily copy is made, and while somebody is erased from those
        self.put_back = 0  # entries that were missing when it was opened, and were put back from the tail
        self._troubled = False
        self._lock = threading.RLock()
        self._reading = threading.Lock()
        try:
            make_folder(path.parent)
            make_private(path)
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise JournalUnusable(
                _("The folder for the journal {path} cannot be used ({error}): choose another.", path=path, error=error)
            ) from error
        try:
            self._prepare()
        except sqlite3.Error as error:
            self._db.close()
            raise JournalUnusable(
                _("The journal {path} cannot be opened: {at_start}", path=path, at_start=at_start(error))
            ) from error
        except JournalUnusable:
            self._db.close()
            raise
        self._inode = os.stat(path).st_ino
        self._reader = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._reader.execute("PRAGMA query_only=ON")

    def _prepare(self) -> None:
        version = examined(self._db, self.path)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA secure_delete=ON")  # what is deleted is overwritten: a name, a picture
        self._db.execute("PRAGMA foreign_keys=ON")
        for number in range(version, VERSION):
            with self._transaction():
                for statement in MIGRATIONS[number].split(";\n"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version={number + 1}")
        with self._transaction():
            self.put_back = self.tail.agree_with(self._db)

    def close(self) -> None:
        """Closes the file; what was acknowledged is in it."""
        with self._reading, self._lock:
            self._reader.close()
            self._db.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # after some errors of the disk SQLite has gone back by itself
                    self._db.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction whose failure reaches the person as one sentence, and the status line of every page."""
        try:
            self._still_there()
            with self._transaction():
                yield
        except sqlite3.Error as error:
            refusal = JournalUnusable(
                _("The journal cannot be written: {at_the_table}", at_the_table=at_the_table(error))
            )
            self._tell(refusal.sentence)
            raise refusal from error
        except JournalUnusable as refusal:
            self._tell(refusal.sentence)
            raise
        if self._troubled:
            self._tell("")

    def _tell(self, trouble: str) -> None:
        self._troubled = bool(trouble)
        self.on_trouble(trouble)

    def _still_there(self) -> None:
        """A file that was deleted or replaced under us would take entries that nobody finds again."""
        try:
            same = os.stat(self.path).st_ino == self._inode
        except OSError:
            same = False
        if not same:
            raise JournalUnusable(
                _(
                    "The journal {path} was moved or deleted: nothing was recorded; put it back, or start again.",
                    path=self.path,
                )
            )

    # sessions

    def add_session(self, session: Session, players: tuple[Player, ...], beside: Beside = lambda _db: None) -> None:
        """Records a new session and the names of its players; `beside` as in `import_session`."""
        self.import_session(session, players, (), beside=beside)

    def headers(self) -> tuple[str, ...]:
        """The headers of all sessions, newest first."""
        rows = self._rows("SELECT header FROM sessions ORDER BY created_wall_us DESC, id")
        return tuple(header for (header,) in rows)

    def count_sessions(self) -> int:
        """How many sessions there are."""
        return int(self._rows("SELECT count(*) FROM sessions")[0][0])

    def header(self, session_id: str) -> str | None:
        """The header of one session, None when there is none."""
        rows = self._rows("SELECT header FROM sessions WHERE id = ?", (session_id,))
        return rows[0][0] if rows else None

    # entries

    def append(self, session: Session, entry: Entry, instant: Instant, sender: Sender | None = None) -> None:
        """Commits an entry, and beside it the device it came from. When this returns it has survived a power cut."""
        content = canonical_json(entry_json(session.id, entry))
        with self._writing():
            self._db.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?)", (session.id, entry.seq, entry.id, content, entry.hash)
            )
            if sender is not None:
                self._db.execute(
                    "INSERT INTO senders VALUES (?, ?, ?, ?)", (session.id, entry.seq, sender.label, sender.player)
                )
            self._keep_instant(instant)
        self.tail.add([entry_line(session.id, entry.seq, entry.id, content, entry.hash)])

    def import_session(
        self,
        session: Session,
        players: tuple[Player, ...],
        rows: tuple[Row, ...],
        header: str | None = None,
        instant: Instant | None = None,
        evidence: Mapping[int, str] = MappingProxyType({}),
        beside: Beside = lambda _db: None,
    ) -> None:
        """Records a whole verified game in one transaction.

        header      the text its chain begins with, as another companion wrote it; None for a new session
        evidence    as `evidence` gives it
        instant     now, where the clock has to go on from here after a restart
        beside      records what goes with it, so that a power cut leaves neither without the other
        """
        header = header or canonical_json(header_json(session))
        with self._writing():
            for player in players:
                self._db.execute(
                    "INSERT OR IGNORE INTO players VALUES (?, ?, ?)", (player.id, player.name, player.birth_year)
                )
            self._db.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?)",
                (session.id, header, digest(header), session.created_wall_us),
            )
            self._db.executemany(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?)",
                [(session.id, row.seq, row.id, row.content, row.hash) for row in rows],
            )
            self._db.executemany(
                "INSERT INTO evidence VALUES (?, ?, ?)", [(session.id, *asked) for asked in evidence.items()]
            )
            if instant is not None:
                self._keep_instant(instant)
            beside(self._db)
        entries = (entry_line(session.id, row.seq, row.id, row.content, row.hash) for row in rows)
        self.tail.add([session_line(header, map(astuple, players)), *entries])

    def rows(self, session_id: str) -> tuple[Row, ...]:
        """Every entry of a session as stored, in order."""
        return tuple(
            Row(*row)
            for row in self._rows(
                "SELECT seq, id, content, hash FROM entries WHERE session = ? ORDER BY seq", (session_id,)
            )
        )

    def senders(self, session_id: str) -> dict[int, Sender]:
        """Entry → the device it came from, where that is known here."""
        rows = self._rows("SELECT seq, label, player FROM senders WHERE session = ?", (session_id,))
        return {seq: Sender(label, player) for seq, label, player in rows}

    def evidence(self, session_id: str) -> dict[int, str]:
        """Entry → hash of the picture that was taken because it asked for one, kept any more or not."""
        return dict(self._rows("SELECT seq, picture FROM evidence WHERE session = ?", (session_id,)))

    # names, pictures, settings, the clock

    def players(self, ids: tuple[str, ...]) -> tuple[Player, ...]:
        """The people behind ids; who has been deleted is left out."""
        asked = msgspec.json.encode(ids).decode()  # of a list of games there are more than SQL takes marks
        known = "SELECT id, name, birth_year FROM players WHERE id IN (SELECT value FROM json_each(?))"
        return tuple(Player(*row) for row in self._rows(known, (asked,)))

    def add_picture(
        self, jpeg: bytes, taken_wall_us: int, session_id: str | None = None, asked_by: int | None = None
    ) -> str:
        """Keeps a picture, and the game and the entry for which it was taken where there is one; gives its hash."""
        (name,) = self.add_pictures((jpeg,), taken_wall_us, session_id, asked_by)
        return name

    def add_pictures(
        self,
        jpegs: Sequence[bytes],
        taken_wall_us: int,
        session_id: str | None = None,
        asked_by: int | None = None,
    ) -> tuple[str, ...]:
        """The same of several, in one transaction."""
        names = tuple(map(digest_bytes, jpegs))
        with self._writing():
            for name, jpeg in zip(names, jpegs, strict=True):
                self._db.execute("INSERT OR IGNORE INTO pictures VALUES (?, ?, ?)", (name, jpeg, taken_wall_us))
                if session_id is not None:
                    self._db.execute("INSERT OR IGNORE INTO taken_in VALUES (?, ?)", (name, session_id))
                if asked_by is not None:
                    self._db.execute("INSERT OR IGNORE INTO evidence VALUES (?, ?, ?)", (session_id, asked_by, name))
        return names

    def picture(self, name: str) -> bytes | None:
        """A picture by its hash, None when it was never kept or has been deleted."""
        rows = self._rows("SELECT jpeg FROM pictures WHERE hash = ?", (name,))
        return rows[0][0] if rows else None

    def kept_pictures(self, names: Iterable[str]) -> frozenset[str]:
        """Those of these hashes whose picture is kept."""
        asked = msgspec.json.encode(list(names)).decode()
        rows = self._rows("SELECT hash FROM pictures WHERE hash IN (SELECT value FROM json_each(?))", (asked,))
        return frozenset(name for (name,) in rows)

    def setting(self, name: str, default: str) -> str:
        """A setting of this table."""
        rows = self._rows("SELECT value FROM settings WHERE name = ?", (name,))
        return rows[0][0] if rows else default

    def set_setting(self, name: str, value: str) -> None:
        """Changes a setting of this table."""
        with self._writing():
            insert_setting(self._db, name, value)

    # tickets

    def add_ticket(self, ticket: StoredTicket) -> None:
        """Keeps a ticket, and forgets those that have expired."""
        with self._writing():
            insert_ticket(self._db, ticket)

    def ticket(self, ticket_id: str) -> StoredTicket | None:
        """A ticket by its id, None when there is none."""
        rows = self._rows("SELECT * FROM tickets WHERE id = ?", (ticket_id,))
        return _ticket(rows[0]) if rows else None

    def tickets(self) -> tuple[StoredTicket, ...]:
        """Every ticket, newest first."""
        rows = self._rows("SELECT * FROM tickets ORDER BY created_wall_us DESC, id")
        return tuple(map(_ticket, rows))

    def delete_pictures(self, before_wall_us: int | None = None) -> int:
        """Deletes every picture, or those taken before a moment; how many. No chain breaks by it."""
        with self._writing():
            done = self._db.execute(
                "DELETE FROM pictures WHERE ? IS NULL OR taken_wall_us < ?", (before_wall_us, before_wall_us)
            )
            return done.rowcount

    def instant(self) -> Instant | None:
        """The newest moment the journal knows of, for the clock to go on from."""
        rows = self._rows("SELECT boot_id, monotonic_us, wall_us, offset_us FROM instant")
        return Instant(*rows[0]) if rows else None

    # for the modules that own some of the tables outside the chain

    def select(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """The rows of a query."""
        return self._rows(sql, values)

    @contextlib.contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """One transaction."""
        with self._writing():
            yield self._db

    def settle(self) -> None:
        """Brings everything from the write-ahead log into the file: what was deleted is in neither then."""
        with self._readable(), self._reading, self._lock:  # a reader in the middle of a query would keep the log
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _keep_instant(self, instant: Instant) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO instant VALUES (1, ?, ?, ?, ?)",
            (instant.boot_id, instant.monotonic_us, instant.wall_us, instant.offset_us),
        )

    def _rows(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with self._readable(), self._reading:
            return self._reader.execute(sql, values).fetchall()

    @contextlib.contextmanager
    def _readable(self) -> Iterator[None]:
        """Whose failure is one sentence."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise JournalUnusable(
                _("The journal {path} cannot be read ({error}): restore a backup.", path=self.path, error=error)
            ) from error


def examined(db: sqlite3.Connection, path: Path) -> int:
    """The version of the journal at `path`, which is only read; raises JournalUnusable for a newer one, and SQLite's
    own error for a damaged one."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise JournalUnusable(
            _("The journal {path} was written by a newer companion: update this one, it was left untouched.", path=path)
        )
    (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        damaged = sqlite3.DatabaseError(verdict)
        damaged.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damaged
    return int(version)


def insert_setting(db: sqlite3.Connection, name: str, value: str) -> None:
    """Changes a setting of this table, as a part of a transaction."""
    db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))


def insert_ticket(db: sqlite3.Connection, ticket: StoredTicket) -> None:
    """Keeps a ticket, and forgets those that have expired, as a part of a transaction."""
    db.execute("DELETE FROM tickets WHERE expires_wall_us < ?", (ticket.created_wall_us,))
    db.execute("INSERT INTO tickets VALUES (?, ?, ?, ?, ?, ?, ?, ?)", astuple(ticket))


def _ticket(row: tuple[Any, ...]) -> StoredTicket:
    ticket_id, role, session, player, label, created_wall_us, expires_wall_us, once = row
    return StoredTicket(ticket_id, role, session, player, label, created_wall_us, expires_wall_us, bool(once))
