"""Which questions tables have asked, so that a recorded one is answered to nobody.

A table counts its questions (`companion.letters.counting`). What was answered last is in memory, and the database has a
mark ahead of it, as a write for each question would be one each second. After a restart all below the mark counts as
asked; a table that is refused leaps over it, further each time.
"""

import threading
from collections import deque

import sqlalchemy as sa

from companion.errors import NotAllowed
from companion.hub.database import TABLES, Database
from companion.letters.counting import LEAP, count_of
from companion.words import _

MOST_KEPT = 2_000  # Of a table that does not count yet: the questions of some hours.

MARK = sa.select(TABLES.c.asked).where(TABLES.c.id == sa.bindparam("key"))


class AskedBefore(NotAllowed):
    """This question was answered, or counts as answered since the hub was started anew."""


class Questions:
    """The questions that one hub has answered. Thread-safe; another process may answer others of the same database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._newest: dict[str, int] = {}
        self._marks: dict[str, int] = {}
        self._uncounted: dict[str, deque[str]] = {}

    def hear(self, key: str, challenge: str) -> None:
        """Takes a question whose signature holds; raises AskedBefore for one that was."""
        with self._lock:
            with self._database.reading() as db:
                mark = int(db.execute(MARK, {"key": key}).scalar() or 0)
            count = count_of(challenge, mark)
            if count is None:
                asked = self._uncounted.setdefault(key, deque(maxlen=MOST_KEPT))
                if challenge in asked:
                    raise asked_before()
                asked.append(challenge)
                return
            if mark != self._marks.get(key):  # It is from before this start, or another process's.
                self._marks[key], self._newest[key] = mark, max(mark, self._newest.get(key, 0))
            if count <= self._newest[key]:
                raise asked_before()
            if count > mark:
                mark = count + LEAP
                with self._database.changing() as db:
                    db.execute(sa.update(TABLES).where(TABLES.c.id == key).values(asked=mark))
                self._marks[key] = mark
            self._newest[key] = count


def asked_before() -> AskedBefore:
    return AskedBefore(_("This question was asked before, and is answered once. The table asks anew by itself."))
