"""What can be read of a hub's letters and tables, as lists for pages and programs; each element has an `id`."""

import itertools
from typing import Any

import sqlalchemy as sa

from companion.errors import NotFound
from companion.foreign import read_json
from companion.hub.database import LETTERS, TABLES, Database, Standing
from companion.letters.offer import MOST_AGAIN
from companion.words import _

MOST_LISTED = 1_000
TO_DECIDE = LETTERS.c.standing.in_([Standing.COUNTS.value, Standing.FORK.value])
NUMBERS = sa.select(LETTERS.c.n).where(LETTERS.c.table_id == sa.bindparam("key"))


class Lists:
    """The lists of one hub's database. Thread-safe."""

    _database: Database

    def games(self, most: int = MOST_LISTED) -> list[dict[str, Any]]:
        """The letters that count, newest first, one for each game; `id` is the game's."""
        query = sa.select(LETTERS).where(LETTERS.c.standing == Standing.COUNTS.value)
        with self._database.reading() as db:
            rows = db.execute(query.order_by(LETTERS.c.number.desc()).limit(most)).all()
        return [{"id": row.session, **letter_values(row)} for row in rows]

    def letters(self, session: str) -> list[dict[str, Any]]:
        """Every letter of one game, in the order in which they came; `id` is the head. Raises NotFound."""
        query = sa.select(LETTERS).where(LETTERS.c.session == session).order_by(LETTERS.c.number)
        with self._database.reading() as db:
            rows = db.execute(query).all()
        if not rows:
            raise NotFound(_("There's no such game here. Choose one from the list."))
        return [{"id": row.head, **letter_values(row)} for row in rows]

    def enrolled(self) -> list[dict[str, Any]]:
        """Every table in the order in which they were enrolled: `id`, `name` and its `number` in that order.

        Those whose key was revoked are left out.
        """
        query = sa.select(TABLES.c.id, TABLES.c.name, TABLES.c.revoked_us).order_by(TABLES.c.enrolled_us, TABLES.c.id)
        with self._database.reading() as db:
            rows = db.execute(query).all()
        return [
            {"id": row.id, "name": row.name, "number": number}
            for number, row in enumerate(rows, start=1)
            if not row.revoked_us
        ]

    def tables(self) -> list[dict[str, Any]]:
        """Every table, with how many letters it has sent and how many of them never came; `id` is its key's.

        `number` is its place in the order in which tables were enrolled: the name of a table that has none.
        """
        counted = sa.select(
            TABLES.c.id,
            TABLES.c.name,
            TABLES.c.enrolled_us,
            TABLES.c.revoked_us,
            sa.func.coalesce(sa.func.max(LETTERS.c.n), 0).label("sent"),
            sa.func.count(sa.distinct(LETTERS.c.n)).label("received"),
            sa.func.max(LETTERS.c.received_us).label("heard_us"),
        ).select_from(TABLES.outerjoin(LETTERS, LETTERS.c.table_id == TABLES.c.id))
        grouped = counted.group_by(TABLES.c.id, TABLES.c.name, TABLES.c.enrolled_us, TABLES.c.revoked_us)
        with self._database.reading() as db:
            rows = db.execute(grouped.order_by(TABLES.c.enrolled_us, TABLES.c.id)).all()
        return [
            {**row._asdict(), "number": number, "missing": row.sent - row.received}
            for number, row in enumerate(rows, start=1)
        ]

    def kinds(self) -> list[dict[str, Any]]:
        """How many games count, by kind of game; `id` is the kind."""
        query = sa.select(
            LETTERS.c.game.label("id"),
            sa.func.count().label("games"),
            sa.func.sum(sa.cast(LETTERS.c.judged, sa.Integer)).label("judged"),
            sa.func.count(sa.distinct(LETTERS.c.table_id)).label("tables"),
        ).where(LETTERS.c.standing == Standing.COUNTS.value)
        with self._database.reading() as db:
            return [row._asdict() for row in db.execute(query.group_by(LETTERS.c.game).order_by(LETTERS.c.game))]

    def forks(self) -> list[dict[str, Any]]:
        """The letters of every game that people have to decide about, game by game; `id` is the head."""
        forked = sa.select(LETTERS.c.session).where(LETTERS.c.standing == Standing.FORK.value)
        query = sa.select(LETTERS).where(LETTERS.c.session.in_(forked), TO_DECIDE)
        with self._database.reading() as db:
            rows = db.execute(query.order_by(LETTERS.c.session, LETTERS.c.number)).all()
        return [{"id": row.head, **letter_values(row)} for row in rows]

    def lacking(self, table: str, sent: int) -> tuple[int, ...]:
        """Numbers of letters that a table has made and this hub does not have, newest first, MOST_AGAIN at most."""
        with self._database.reading() as db:
            here = set(db.execute(NUMBERS, {"key": table}).scalars())
        if len(here) >= sent:
            return ()
        return tuple(itertools.islice((n for n in range(sent, 0, -1) if n not in here), MOST_AGAIN))


def letter_values(row: Any) -> dict[str, Any]:
    """A letter as the lists show it."""
    return {
        "session": row.session,
        "head": row.head,
        "table": row.table_id,
        "game": row.game,
        "entries": row.entries,
        "players": read_json(row.players),
        "ranks": read_json(row.ranks),
        "standing": row.standing,
        "judged": bool(row.judged),
        "received_us": row.received_us,
        "clock": row.clock,
        "looks_like": row.looks_like,
    }
