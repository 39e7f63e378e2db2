"""The tables of the journal, as migrations from each version to the next."""

import sqlite3
from pathlib import Path

from companion.errors import JournalUnusable
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
    """
    CREATE TABLE reasons (
        session TEXT NOT NULL REFERENCES sessions(id), seq INTEGER NOT NULL, salt TEXT NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (session, seq)
    ) STRICT, WITHOUT ROWID;
    """,
    """
    CREATE TABLE outbox (
        n INTEGER PRIMARY KEY, session TEXT NOT NULL, head TEXT NOT NULL, letter BLOB NOT NULL, state TEXT NOT NULL,
        said TEXT NOT NULL, UNIQUE (session, head)
    ) STRICT;
    """,
    """
    CREATE TABLE clips (
        picture TEXT PRIMARY KEY REFERENCES pictures(hash) ON DELETE CASCADE, frames INTEGER NOT NULL,
        span_ms INTEGER NOT NULL, strip BLOB NOT NULL
    ) STRICT;
    """,
    """
    UPDATE settings SET name = substr(name, 1, length(name) - 3) || '*' WHERE name GLOB 'code:*:all';
    """,
)
VERSION = len(MIGRATIONS)


def migrate(db: sqlite3.Connection, number: int) -> None:
    """Takes a journal from the schema version `number` to the next; the caller has begun a transaction."""
    for statement in MIGRATIONS[number].split(";\n"):
        db.execute(statement)
    db.execute(f"PRAGMA user_version={number + 1}")


def has_table(db: sqlite3.Connection, name: str) -> bool:
    """Whether a journal or copy has a table of this name; an older one may not."""
    return bool(db.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (name,)).fetchone())


def examined(db: sqlite3.Connection, path: Path) -> int:
    """The schema version of the journal at `path`, which is only read.

    Raises JournalUnusable for a newer version, and SQLite's own error for a damaged file.
    """
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise JournalUnusable(
            _(
                "The journal {path} was written by a newer companion. It was left untouched. Update this companion.",
                path=path,
            )
        )
    (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        damaged = sqlite3.DatabaseError(verdict)
        damaged.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damaged
    return int(version)
