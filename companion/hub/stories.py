"""Keys that tell two stories, as two tables do whose card was copied: every letter is kept, and the staff decide.

A table numbers its letters, and each names the one before. So a letter contradicts another of the same key where both
have one number, or where one comes next and names a letter that nobody knows while the hub has one of that number.

A table whose newest commit was lost in a power cut makes its letter anew, with another time in it. That is no other
story: number, session and head are the same.
"""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from companion.errors import NotFound
from companion.foreign import read_json
from companion.hub.database import LETTERS, TABLES, Database
from companion.journal.session import digest
from companion.letters.envelope import Envelope, Letter
from companion.words import _

NEIGHBOURS = (
    sa.select(LETTERS.c.number, LETTERS.c.n, LETTERS.c.letter, LETTERS.c.again, LETTERS.c.settled)
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
            .where(TABLES.c.revoked_us == 0, ~LETTERS.c.settled)
            .order_by(LETTERS.c.number)
        )
        found: dict[str, TwoStories] = {}
        with self._database.reading() as db:
            for table, *told in db.execute(query):
                found.setdefault(table, TwoStories(table, Told(*told[:4]), Told(*told[4:])))
        return list(found.values())

    def settle(self, table: str) -> None:
        """The staff know of it, and both stories go on; one that begins later is told again. Raises NotFound."""
        known = sa.update(LETTERS).where(LETTERS.c.table_id == table, LETTERS.c.contradicts != 0, ~LETTERS.c.settled)
        with self._database.changing() as db:
            if db.execute(known.values(settled=True)).rowcount == 0:
                raise NotFound(_("There's nothing to decide about this table any more. Look again."))


@dataclass(frozen=True)
class Neighbour:
    """A letter of the same key whose number is one less, the same, or one more (`step`).

    texts       digests of its envelope, as it came first and again
    previous    the digest that it names of the one before
    is_settled  whether the staff know of the story that it tells
    """

    number: int
    step: int
    texts: frozenset[str]
    previous: str
    is_settled: bool


def story_columns(db: sa.Connection, letter: Letter) -> dict[str, Any]:
    """What is kept of a new letter's story: the letter that it contradicts, 0 for none, and whether that is settled."""
    envelope, own = letter.envelope, digest(letter.envelope.text)
    near = [
        Neighbour(row.number, row.n - envelope.n, *ends_of(bytes(row.letter), row.again), bool(row.settled))
        for row in db.execute(NEIGHBOURS, {"key": envelope.key, "n": envelope.n})
    ]
    before, beside, after = ([one for one in near if one.step == step] for step in (-1, 0, 1))
    parents = {text: one for one in before for text in one.texts}
    parent = parents.get(envelope.previous)
    known: list[int] = []
    new: list[int] = []
    for one in beside:
        its = parents.get(one.previous)  # Two that the staff know of go on; from one letter a new story begins.
        is_known = parent is not its and any(at is not None and at.is_settled for at in (parent, its))
        (known if is_known else new).append(one.number)
    if envelope.previous and parent is None:
        new.extend(one.number for one in before)
    if own not in {one.previous for one in after}:
        told = {text for one in beside for text in one.texts}
        new.extend(one.number for one in after if one.previous not in told)
    return {"contradicts": min(new or known, default=0), "settled": bool(known and not new), "again": ""}


def know_again(db: sa.Connection, letter: Letter) -> None:
    """Remembers that a letter came again, maybe with another time in it: the next one may name either."""
    same = [getattr(LETTERS.c, name) == getattr(letter.envelope, name) for name in ("n", "session", "head")]
    here = sa.update(LETTERS).where(LETTERS.c.table_id == letter.envelope.key, *same)
    db.execute(here.values(again=digest(letter.envelope.text)))


def ends_of(letter: bytes, again: str) -> tuple[frozenset[str], str]:
    """The digests of a letter's envelope, and the digest that it names of the one before."""
    text = letter.partition(b"\n")[0]
    return frozenset((digest(text.decode()), again)) - {""}, read_json(text, Envelope).previous
