"""The hub's database: its tables, and transactions that wait for the disk."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from threading import Lock
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnection

from companion.errors import BadInput, JournalUnusable
from companion.hub.migrations import upgrade
from companion.journal.data_folder import HUB_RECORD
from companion.journal.files import make_folder, make_private
from companion.packages import OF_THE_SYSTEM, POSTGRESQL, check_packages
from companion.words import N_, _

BUSY_S = 10.0  # A letter waits this long for the one before it to be written.
DRIVER = "postgresql+psycopg"
LOCK = 0x7AB1E  # Hubs that share one record write one at a time.
POOLED = 12  # As many again are opened when much comes at once: a server has 100 connections.
SETTINGS = f"-c synchronous_commit=on -c lock_timeout={int(BUSY_S * 1000)}"
WRONG_URL = N_("A database's address looks like postgresql://USER:PASSWORD@HOST/NAME. Correct it.")
LEAST_FREE = 100 << 20  # Bytes: an evening of a hall needs some ten million.
NOTHING_LOST = N_("Nothing is lost: tables keep their results, and send them once the hub can take them.")
READS = "reads"  # This option marks a connection that writes nothing.

CODES = sa.table("codes", *map(sa.column, ("digest", "until_us", "used_by", "boot", "uptime_us")))
TABLES = sa.table("tables", *map(sa.column, ("id", "public", "name", "enrolled_us", "revoked_us", "asked")))
LETTERS = sa.table(
    "letters",
    *map(
        sa.column,
        (
            *("number", "session", "head", "table_id", "n", "game", "entries", "players", "ranks", "standing"),
            *("judged", "received_us", "created_us", "letter", "fingerprint", "looks_like", "made_us", "clock"),
            *("contradicts", "settled", "again"),
        ),
    ),
)
PEOPLE = sa.table("people", *map(sa.column, ("table_id", "person", "name", "at_us")))
SEATS = sa.table("seats", *map(sa.column, ("table_id", "player", "person")))
TOURNAMENTS = sa.table("tournaments", *map(sa.column, ("id", "title", "begun_us", "is_ended", "deleted_us", "series")))
SERIES = sa.table("series", *map(sa.column, ("id", "title", "worth", "best", "made_us", "deleted_us")))
SESSIONS = sa.table("sessions", *map(sa.column, ("session", "tournament", "round", "number", "table_id", "seats")))
HAPPENED = sa.table("happened", *map(sa.column, ("tournament", "seq", "content", "hash")))
ENTRANTS = sa.table("entrants", *map(sa.column, ("tournament", "entrant", "name", "link")))
ORDERS = sa.table(
    "orders",
    *map(
        sa.column,
        ("id", "table_id", "session", "player", "points", "why", "given_us", "answered_us", "said"),
    ),
)
CHIMES = sa.table("chimes", *map(sa.column, ("table_id", "id", "what", "given_us")))
STAFF_TICKETS = sa.table("staff_tickets", *map(sa.column, ("id", "role", "name", "made_us", "until_us", "is_link")))
PRESENCE = sa.table(
    "presence",
    *map(sa.column, ("table_id", "heard_us", "said_us", "ahead_us", "playing", "is_over", "has_left")),
)
OWN_KEY = "key"
OWN = sa.table("own", sa.column("name"), sa.column("value"))


class Standing(StrEnum):
    """What a letter is to its game."""

    COUNTS = "counts"
    REPLACED = "replaced"  # A longer chain of the same game came.
    SET_ASIDE = "set aside"  # People have decided for another letter.
    FORK = "fork"  # It contradicts the letter that counts, or comes from another table: people have to decide.
    WAITS = "waits"  # A tournament's game that came in another way than it was given out (`results`): people decide.
    HELD = "held"  # It looks like another game (`doubles`): people have to decide.


class Database:
    """An SQLite file in the hub's folder, or a PostgreSQL database. Thread-safe; another process may open it, too."""

    def __init__(self, folder: Path, url: str = "") -> None:
        """Opens or makes it, and brings it up to date; raises JournalUnusable.

        url     of PostgreSQL, as `check_url` gives it; "" for the file in the folder
        """
        if url:
            self._where = sa.make_url(url).render_as_string(hide_password=True)
            self.engine = sa.create_engine(
                url,
                connect_args={"options": SETTINGS, "connect_timeout": int(BUSY_S)},
                pool_size=POOLED,
                max_overflow=POOLED,
                pool_timeout=BUSY_S,
                pool_pre_ping=True,  # The hub outlives a restart of the server.
            )
            sa.event.listen(self.engine, "begin", begin_postgresql)
        else:
            path = folder / HUB_RECORD
            self._where = str(path)
            try:
                make_folder(folder)
                make_private(path)
            except OSError as error:
                raise self._unusable(error.strerror or str(error)) from error
            self.engine = sa.create_engine(f"sqlite:///{path}", connect_args={"timeout": BUSY_S})
            sa.event.listen(self.engine, "connect", prepare_sqlite)
            sa.event.listen(self.engine, "begin", begin_sqlite)
        sa.event.listen(self.engine, "before_cursor_execute", check_texts)
        self._folder, self._failure = folder, ""
        self._write_lock = Lock()  # SQLite itself would look for its turn only every 100 ms.
        with self.changing() as db:
            upgrade(db)

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def changing(self) -> Iterator[sa.Connection]:
        """A transaction; once it has ended, what it wrote survives a power cut. Raises JournalUnusable."""
        if not self._write_lock.acquire(timeout=BUSY_S):
            raise self._unusable(_("too many requests at once"))
        try:
            with self._transaction() as db:
                yield db
            self._failure = ""
        except JournalUnusable as error:
            self._failure = error.sentence
            raise
        finally:
            self._write_lock.release()

    @property
    def is_failing(self) -> bool:
        """Whether the newest thing could not be written."""
        return bool(self._failure)

    def troubles(self) -> list[str]:
        """What the staff should know of its disk: that nothing could be written lately, or that there's little room."""
        if self._failure:
            return [self._failure, _(NOTHING_LOST)]
        if (free := shutil.disk_usage(self._folder).free) >= LEAST_FREE:
            return []
        left = _(
            "The disk of {path} has only {mb} MB left. Make room before it is full.", path=self._folder, mb=free >> 20
        )
        return [left]

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that only reads, and waits for nobody who writes. Raises JournalUnusable."""
        with self._transaction(**{READS: True}) as db:
            yield db

    @contextmanager
    def _transaction(self, **options: bool) -> Iterator[sa.Connection]:
        try:
            with self.engine.connect() as connection:
                db = connection.execution_options(**options)
                with db.begin():
                    yield db
        except DBAPIError as error:
            raise self._unusable(why_of(error)) from error
        except NoConnection as error:
            raise self._unusable(_("too many requests at once")) from error

    def _unusable(self, why: str) -> JournalUnusable:
        return JournalUnusable(
            _("The hub's record {path} can't be used ({why}). Make room, or check its disk.", path=self._where, why=why)
        )


def why_of(error: DBAPIError) -> str:
    """Why the database refuses, in words of ours where it is the disk that is full."""
    is_full = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL
    return _("the disk is full") if is_full else " ".join(str(error.orig).split())


def check_url(url: str) -> str:
    """The URL of a PostgreSQL database as SQLAlchemy wants it; raises BadInput, also if a package is missing."""
    try:
        address = sa.make_url(url)
    except (ArgumentError, ValueError) as error:
        raise BadInput(_(WRONG_URL)) from error
    if address.drivername not in ("postgresql", "postgres", DRIVER) or not address.database:
        raise BadInput(_(WRONG_URL))
    check_packages("psycopg", extra=POSTGRESQL)
    try:
        import psycopg  # noqa: F401
    except ImportError as error:  # It stands on PostgreSQL's own library, which no package of Python brings.
        raise BadInput(
            _(
                "A hub on PostgreSQL needs PostgreSQL's own library. Install it with {command}",
                command=f"{OF_THE_SYSTEM} libpq5",
            )
        ) from error
    return address.set(drivername=DRIVER).render_as_string(hide_password=False)


def check_texts(_db: Any, _cursor: Any, _sql: str, values: Any, _context: Any, _many: bool) -> None:
    """Raises BadInput for a text with a NUL: PostgreSQL keeps none, so a hub on SQLite takes none either."""
    for row in values if isinstance(values, list) else (values,):
        for value in row.values() if isinstance(row, dict) else row:
            if isinstance(value, str) and "\0" in value:
                raise BadInput(_("There's a character that can't be kept, a zero. Type it again without."))


def prepare_sqlite(db: Any, _record: object) -> None:
    """Settings of each connection to SQLite: transactions are ours, and are on the disk when they end."""
    db.isolation_level = None  # Otherwise the driver begins transactions by itself, and later than we do.
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        db.execute(f"PRAGMA {setting}")


def begin_sqlite(db: sa.Connection) -> None:
    """Begins a transaction. One that may write waits here: two letters of one game are judged one after the other."""
    db.exec_driver_sql("BEGIN" if db.get_execution_options().get(READS) else "BEGIN IMMEDIATE")


def begin_postgresql(db: sa.Connection) -> None:
    """Likewise on PostgreSQL, where the other writer may be another hub; one that reads sees one moment throughout."""
    if db.get_execution_options().get(READS):
        db.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    else:
        db.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
