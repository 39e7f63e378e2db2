"""The hub's database: its tables, and transactions that wait for the disk."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError

from companion.errors import JournalUnusable
from companion.hub.migrations import upgrade
from companion.journal.files import make_folder, make_private
from companion.words import _

FILE = "hub.sqlite3"
BUSY_S = 10.0  # how long a letter waits for the one before it to be written
READS = "reads"  # an option of a connection that writes nothing

CODES = sa.table("codes", sa.column("digest"), sa.column("until_us"), sa.column("used_by"))
TABLES = sa.table("tables", *map(sa.column, ("id", "public", "name", "enrolled_us", "revoked_us")))
LETTERS = sa.table(
    "letters",
    *map(
        sa.column,
        (
            *("number", "session", "head", "table_id", "n", "game", "entries", "players", "ranks", "standing"),
            *("judged", "received_us", "created_us", "letter"),
        ),
    ),
)
PEOPLE = sa.table("people", *map(sa.column, ("table_id", "person", "name", "at_us")))
SEATS = sa.table("seats", *map(sa.column, ("table_id", "player", "person")))
TOURNAMENTS = sa.table("tournaments", *map(sa.column, ("id", "title", "begun_us")))
HAPPENED = sa.table("happened", *map(sa.column, ("tournament", "seq", "content", "hash")))
ENTRANTS = sa.table("entrants", *map(sa.column, ("tournament", "entrant", "name")))
ORDERS = sa.table(
    "orders",
    *map(
        sa.column,
        ("id", "table_id", "session", "player", "points", "why", "given_us", "answered_us", "said"),
    ),
)
CHIMES = sa.table("chimes", *map(sa.column, ("table_id", "id", "what", "given_us")))
OWN = sa.table("own", sa.column("name"), sa.column("value"))


class Database:
    """An SQLite file in the hub's folder. Thread-safe; another process may open it, too."""

    def __init__(self, folder: Path) -> None:
        """Opens or makes the file, and brings it up to date; raises JournalUnusable."""
        self._path = folder / FILE
        try:
            make_folder(folder)
            make_private(self._path)
        except OSError as error:
            raise self._unusable(error.strerror or str(error)) from error
        self.engine = sa.create_engine(f"sqlite:///{self._path}", connect_args={"timeout": BUSY_S})
        sa.event.listen(self.engine, "connect", prepared)
        sa.event.listen(self.engine, "begin", begun)
        with self.changing() as db:
            upgrade(db)

    def close(self) -> None:
        """Closes the file, with everything that was written in it."""
        self.engine.dispose()

    @contextmanager
    def changing(self) -> Iterator[sa.Connection]:
        """A transaction; once it has ended, what it wrote survives a power cut. Raises JournalUnusable."""
        with self._transaction() as db:
            yield db

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
        except DatabaseError as error:
            raise self._unusable(str(error.orig)) from error

    def _unusable(self, why: str) -> JournalUnusable:
        return JournalUnusable(
            _("The hub's record {path} can't be used ({why}). Make room, or check its disk.", path=self._path, why=why)
        )


def prepared(db: Any, _record: object) -> None:
    """Settings of each connection to SQLite: transactions are ours, and are on the disk when they end."""
    db.isolation_level = None  # else the driver begins transactions by itself, and later than we do
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        db.execute(f"PRAGMA {setting}")


def begun(db: sa.Connection) -> None:
    """Begins a transaction. One that may write waits here: two letters of one game are judged one after the other."""
    db.exec_driver_sql("BEGIN" if db.get_execution_options().get(READS) else "BEGIN IMMEDIATE")
