"""The journal: one SQLite file that holds every session, entry, name and picture.

An entry is committed (WAL, `synchronous=FULL`) before anyone is told of it. Each carries the hash of its predecessor,
the first one the hash of the session's header, so a game can be verified anywhere. Names and pictures stand in tables
of their own, outside the chain: a person or a picture can be deleted and every chain still holds.
"""

import contextlib
import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from companion import codec
from companion.clock import Instant
from companion.contract import Game
from companion.errors import BadInput, JournalUnusable
from companion.events import Amended, Body, Entry, Posted, Struck, Undone
from companion.session import Player, Session, canonical_json, digest

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
)
VERSION = len(MIGRATIONS)
FORMAT = "table-companion-game/1"


@dataclass(frozen=True)
class Row:
    """An entry as it is stored: the exact text that its hash covers, and the hash."""

    seq: int
    id: str
    content: str
    hash: str


class Journal:
    """The open file. Safe from several threads; one statement or one transaction at a time."""

    def __init__(self, path: Path) -> None:
        """Opens or makes the journal at `path`; raises JournalUnusable with one sentence and changes nothing then."""
        self.path = path
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise JournalUnusable(
                f"The folder for the journal {path} cannot be used ({error}): choose another."
            ) from error
        try:
            self._prepare()
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise JournalUnusable(
                f"The journal {path} is damaged ({error}): move it aside or restore a backup, then start again."
            ) from error
        except JournalUnusable:
            self._db.close()
            raise
        self._inode = os.stat(path).st_ino

    def _prepare(self) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise JournalUnusable(
                f"The journal {self.path} was written by a newer companion: update this one, it was left untouched."
            )
        (verdict,) = self._db.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA foreign_keys=ON")
        for number in range(version, VERSION):
            with self._transaction():
                for statement in MIGRATIONS[number].split(";\n"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version={number + 1}")

    def close(self) -> None:
        """Closes the file; what was acknowledged is in it."""
        with self._lock:
            self._db.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction whose failure reaches the person as one sentence."""
        self._still_there()
        try:
            with self._transaction():
                yield
        except sqlite3.Error as error:
            raise JournalUnusable(
                f"The journal cannot be written ({error}): nothing was recorded; free some space and tap again."
            ) from error

    def _still_there(self) -> None:
        """A file that was deleted or replaced under us would take entries that nobody finds again."""
        try:
            same = os.stat(self.path).st_ino == self._inode
        except OSError:
            same = False
        if not same:
            raise JournalUnusable(
                f"The journal {self.path} was moved or deleted: nothing was recorded; put it back, or start again."
            )

    # sessions

    def add_session(self, session: Session, players: tuple[Player, ...]) -> None:
        """Records a new session and the names of its players."""
        self.import_session(session, players, ())

    def headers(self, newest: int | None = None) -> tuple[str, ...]:
        """The headers of all sessions, or of the `newest` so many, newest first."""
        limit = -1 if newest is None else newest  # SQLite: no limit
        rows = self._rows("SELECT header FROM sessions ORDER BY created_wall_us DESC, id LIMIT ?", (limit,))
        return tuple(header for (header,) in rows)

    def header(self, session_id: str) -> str | None:
        """The header of one session, None when there is none."""
        rows = self._rows("SELECT header FROM sessions WHERE id = ?", (session_id,))
        return rows[0][0] if rows else None

    # entries

    def append(self, session: Session, entry: Entry, instant: Instant) -> None:
        """Commits an entry. When this returns it has survived a power cut."""
        content = canonical_json(entry_json(session.id, entry))
        with self._writing():
            self._db.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?)", (session.id, entry.seq, entry.id, content, entry.hash)
            )
            self._keep_instant(instant)

    def import_session(self, session: Session, players: tuple[Player, ...], rows: tuple[Row, ...]) -> None:
        """Records a whole verified game in one transaction."""
        header = canonical_json(header_json(session))
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

    def rows(self, session_id: str) -> tuple[Row, ...]:
        """Every entry of a session as stored, in order."""
        return tuple(
            Row(*row)
            for row in self._rows(
                "SELECT seq, id, content, hash FROM entries WHERE session = ? ORDER BY seq", (session_id,)
            )
        )

    # names, pictures, settings, the clock

    def players(self, ids: tuple[str, ...]) -> tuple[Player, ...]:
        """The people behind ids; who has been deleted is left out."""
        marks = ",".join("?" * len(ids))
        return tuple(
            Player(*row) for row in self._rows(f"SELECT id, name, birth_year FROM players WHERE id IN ({marks})", ids)
        )

    def add_picture(self, jpeg: bytes, taken_wall_us: int) -> str:
        """Keeps a picture and gives its hash."""
        name = digest_bytes(jpeg)
        with self._writing():
            self._db.execute("INSERT OR IGNORE INTO pictures VALUES (?, ?, ?)", (name, jpeg, taken_wall_us))
        return name

    def picture(self, name: str) -> bytes | None:
        """A picture by its hash, None when it was never kept or has been deleted."""
        rows = self._rows("SELECT jpeg FROM pictures WHERE hash = ?", (name,))
        return rows[0][0] if rows else None

    def setting(self, name: str, default: str) -> str:
        """A setting of this table."""
        rows = self._rows("SELECT value FROM settings WHERE name = ?", (name,))
        return rows[0][0] if rows else default

    def set_setting(self, name: str, value: str) -> None:
        """Changes a setting of this table."""
        with self._writing():
            self._db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))

    def instant(self) -> Instant | None:
        """The newest moment the journal knows of, for the clock to go on from."""
        rows = self._rows("SELECT boot_id, monotonic_us, wall_us, offset_us FROM instant")
        return Instant(*rows[0]) if rows else None

    def _keep_instant(self, instant: Instant) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO instant VALUES (1, ?, ?, ?, ?)",
            (instant.boot_id, instant.monotonic_us, instant.wall_us, instant.offset_us),
        )

    def _rows(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        try:
            with self._lock:
                return self._db.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise JournalUnusable(f"The journal {self.path} cannot be read ({error}): restore a backup.") from error


# the stored form

Id = Annotated[str, Meta(pattern="^[0-9A-Za-z._-]{1,64}$")]
WallUs = Annotated[int, Meta(ge=0, le=4_102_444_800_000_000)]  # until the year 2100


class StoredHeader(msgspec.Struct, forbid_unknown_fields=True):
    """A session's header as it is stored and exported."""

    format: str
    session: Id
    game: str
    options: dict[str, Any]
    players: Annotated[list[Id], Meta(min_length=1, max_length=1000)]
    created_wall_us: WallUs
    preset: Annotated[str, Meta(max_length=40)] = ""
    locked: bool = False


class StoredEntry(msgspec.Struct, forbid_unknown_fields=True):
    """An entry as it is stored and exported, without its hash."""

    session: Id
    seq: Annotated[int, Meta(ge=1, le=codec.LARGEST)]
    id: Id
    at_us: Annotated[int, Meta(ge=0, le=codec.LARGEST)]
    wall_us: WallUs
    source: Literal["tablet", "camera", "button", "clock"]
    reading: dict[str, Any] | None
    body: dict[str, Any]


def header_json(session: Session) -> dict[str, Any]:
    """A session's header: what the chain begins with. Games without a preset have the header they always had."""
    preset = {"preset": session.preset, "locked": session.locked} if session.preset else {}
    return {
        **preset,
        "format": FORMAT,
        "session": session.id,
        "game": session.game,
        "options": codec.options_to_json(session.options),
        "players": list(session.players),
        "created_wall_us": session.created_wall_us,
    }


def entry_json(session_id: str, entry: Entry) -> dict[str, Any]:
    """An entry as it is hashed and exported, without its own hash."""
    return {
        "session": session_id,
        "seq": entry.seq,
        "id": entry.id,
        "at_us": entry.at_us,
        "wall_us": entry.wall_us,
        "source": entry.source,
        "reading": entry.reading,
        "body": body_to_json(entry.body),
    }


def chained(previous_hash: str, session_id: str, entry: Entry) -> str:
    """The hash of an entry that follows one with `previous_hash`."""
    return digest(previous_hash + canonical_json(entry_json(session_id, entry)))


def body_to_json(body: Body) -> dict[str, Any]:
    """A journal entry's body as JSON-ready values."""
    match body:
        case Posted(event):
            return {"posted": codec.event_to_json(event)}
        case Undone(seq, also):
            return {"undone": seq, "also": list(also)}
        case Struck(seq, also, ruled):
            return {"struck": seq, "also": list(also), "ruled": list(ruled)}
        case Amended(seq, event, also, ruled):
            return {"amended": seq, "event": codec.event_to_json(event), "also": list(also), "ruled": list(ruled)}


def _seqs(values: list[Any]) -> tuple[int, ...]:
    return msgspec.convert(values, tuple[Annotated[int, Meta(ge=1, le=codec.LARGEST)], ...])


def body_from_json(game: Game, data: dict[str, Any]) -> Body:
    """The inverse of `body_to_json`; raises BadInput for what it never writes."""
    match data:
        case {"posted": event}:
            return Posted(codec.event_from_json(game, event))
        case {"undone": int(seq), "also": list(also)}:
            return Undone(_seqs([seq])[0], _seqs(also))
        case {"struck": int(seq), "also": list(also), "ruled": list(ruled)}:
            return Struck(_seqs([seq])[0], _seqs(also), _seqs(ruled))
        case {"amended": int(seq), "event": event, "also": list(also), "ruled": list(ruled)}:
            return Amended(_seqs([seq])[0], codec.event_from_json(game, event), _seqs(also), _seqs(ruled))
    raise BadInput("An entry of the game is none that this companion writes: the file may be from a newer one.")


def read_rows(game: Game, rows: tuple[Row, ...]) -> tuple[Entry, ...]:
    """Stored rows as entries; raises BadInput for a row that cannot be understood."""
    return tuple(_entry(game, row) for row in rows)


def _entry(game: Game, row: Row) -> Entry:
    try:
        stored = msgspec.json.decode(row.content, type=StoredEntry)
        msgspec.convert((stored.reading or {}).get("picture"), str | None)
        return Entry(
            seq=row.seq,
            id=row.id,
            body=body_from_json(game, stored.body),
            at_us=stored.at_us,
            wall_us=stored.wall_us,
            source=stored.source,
            hash=row.hash,
            reading=stored.reading,
        )
    except msgspec.DecodeError as error:
        raise BadInput(f"Entry {row.seq} of the game cannot be understood: the file is damaged.") from error


def broken_link(header: str, rows: tuple[Row, ...]) -> int | None:
    """The first sequence number at which the hash chain does not hold, None when all of it does."""
    previous = digest(header)
    for expected, row in enumerate(rows, start=1):
        if row.seq != expected or digest(previous + row.content) != row.hash:
            return expected
        previous = row.hash
    return None


def digest_bytes(data: bytes) -> str:
    """SHA-256 of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()
