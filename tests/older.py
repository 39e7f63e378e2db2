"""Journals of older versions."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from companion.journal.schema import MIGRATIONS


def age(path: Path, version: int) -> None:
    """Turns the closed journal at `path` into one of an older version: drops the tables that came later."""
    later = re.findall(r"CREATE TABLE (\w+)", "".join(MIGRATIONS[version:]))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for table in reversed(later):
            db.execute(f"DROP TABLE {table}")
        db.execute(f"PRAGMA user_version={version}")
