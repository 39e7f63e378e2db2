"""What the staff of a hall have tables ring: one sentence at a time, for as long as it is news."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import sqlalchemy as sa

from companion.errors import BadInput
from companion.hub.database import CHIMES, TABLES, Database
from companion.journal.session import new_id
from companion.letters.offer import CHIME_SENTENCES, Chime
from companion.words import _

NEWS_US = 60_000_000  # A table that asks later rings no more: the chime would no longer be true.


@dataclass(frozen=True)
class Rung:
    """The newest chime of a table, and when the staff gave it."""

    what: str
    given_us: int


class Chimes:
    """The chimes in one hub's database. Thread-safe."""

    def __init__(self, database: Database, now_us: Callable[[], int]) -> None:
        self._database, self._now_us = database, now_us

    def ring(self, tables: Collection[str], what: str) -> None:
        """Has these tables ring, in place of what they had to ring before; raises BadInput, and then none rings.

        what    one of CHIME_SENTENCES
        """
        if what not in CHIME_SENTENCES:
            raise BadInput(_("Choose what the tables say."))
        if not tables:
            raise BadInput(_("Choose a table, or all of them."))
        counting = sa.select(TABLES.c.id).where(TABLES.c.revoked_us == 0)
        with self._database.changing() as db:
            if not set(tables) <= set(db.execute(counting).scalars()):
                raise BadInput(_("A table that you chose isn't here any more. Look again."))
            values = {"what": what, "given_us": self._now_us()}
            db.execute(sa.delete(CHIMES).where(CHIMES.c.table_id.in_(set(tables))))
            db.execute(sa.insert(CHIMES), [{"table_id": table, "id": new_id(), **values} for table in set(tables)])

    def of(self, table: str) -> Chime | None:
        """What a table has to ring now, None for nothing; it rings each id once."""
        query = sa.select(CHIMES).where(CHIMES.c.table_id == table)
        with self._database.reading() as db:
            row = db.execute(query).first()
        if row is None or not 0 <= self._now_us() - row.given_us < NEWS_US:
            return None
        return Chime(id=row.id, what=row.what)

    def newest(self) -> dict[str, Rung]:
        """Table → its newest chime, however long ago."""
        with self._database.reading() as db:
            return {row.table_id: Rung(row.what, row.given_us) for row in db.execute(sa.select(CHIMES))}
