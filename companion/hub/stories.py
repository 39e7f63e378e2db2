"""Keys that tell two stories, as two tables do whose card was copied: every letter is kept, and the staff decide.

A table numbers its letters, and each names the one before. So a letter contradicts another of the same key where both
have one number, or where one comes next and names a letter that nobody knows while the hub has one of that number.
"""

from dataclasses import dataclass

import sqlalchemy as sa

from companion.errors import NotFound
from companion.foreign import read_json
from companion.hub.database import LETTERS, TABLES, Database
from companion.journal.session import digest
from companion.letters.envelope import Envelope, Letter
from companion.words import _

NEIGHBOURS = (
    sa.select(LETTERS.c.number, LETTERS.c.n, LETTERS.c.letter)
    .where(LETTERS.c.table_id == sa.bindparam("key"))
    .where(LETTERS.c.n.between(sa.bindparam("n") - 1, sa.bindparam("n") + 1))
    .order_by(LETTERS.c.number)
)


@dataclass(frozen=True)
class Told:
    """One letter of a story."""

    session: str
    game: str
    n: int
    received_us: int


@dataclass(frozen=True)
class TwoStories:
    """The oldest contradiction of a table's key; `table` is its id."""

    table: str
    first: Told
    other: Told


class Stories:
    """The contradictions in one hub's database. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[TwoStories]:
        """The oldest contradiction of each table that has one and whose key was not taken away."""
        first = LETTERS.alias("first")
        columns = [getattr(side.c, name) for side in (first, LETTERS) for name in Told.__dataclass_fields__]
        query = (
            sa.select(LETTERS.c.table_id, *(column.label(f"column_{at}") for at, column in enumerate(columns)))
            .join(first, first.c.number == LETTERS.c.contradicts)
            .join(TABLES, TABLES.c.id == LETTERS.c.table_id)
            .where(TABLES.c.revoked_us == 0)
            .order_by(LETTERS.c.number)
        )
        found: dict[str, TwoStories] = {}
        with self._database.reading() as db:
            for table, *told in db.execute(query):
                found.setdefault(table, TwoStories(table, Told(*told[:4]), Told(*told[4:])))
        return list(found.values())

    def settle(self, table: str) -> None:
        """The staff know of it, and both stories stay; a later contradiction is told again. Raises NotFound."""
        known = sa.update(LETTERS).where(LETTERS.c.table_id == table, LETTERS.c.contradicts != 0)
        with self._database.changing() as db:
            if db.execute(known.values(contradicts=0)).rowcount == 0:
                raise NotFound(_("There's nothing to decide about this table any more. Look again."))


def contradicted_by(db: sa.Connection, letter: Letter) -> int:
    """The number of the letter that a new one contradicts, 0 for none."""
    envelope, own = letter.envelope, digest(letter.envelope.text)
    neighbours = [
        (row.number, row.n - envelope.n, *ends_of(bytes(row.letter)))
        for row in db.execute(NEIGHBOURS, {"key": envelope.key, "n": envelope.n})
    ]
    of_its_number = [number for number, step, text, _previous in neighbours if step == 0 and text != own]
    before = {text: number for number, step, text, _previous in neighbours if step == -1}
    after = {previous: number for number, step, _text, previous in neighbours if step == 1}
    for story, known in ((before, envelope.previous), (after, own)):
        if story and known not in story:
            of_its_number.extend(story.values())
    return min(of_its_number, default=0)


def ends_of(letter: bytes) -> tuple[str, str]:
    """The digest of a letter's envelope, and the digest that it names of the one before."""
    text = letter.partition(b"\n")[0]
    return digest(text.decode()), read_json(text, Envelope).previous
