"""Games that look like another one under new ids: a copy is kept, and counts nowhere until the staff decide.

What a game looks like is its fingerprint: what happened, by seats in place of ids, and how many milliseconds passed
from each entry to the next. Somebody who also changes the times is not found by this.
"""

from dataclasses import dataclass
from itertools import pairwise

import msgspec
import sqlalchemy as sa

from companion.errors import BadInput, NotFound
from companion.foreign import read_json
from companion.hub.database import LETTERS, TABLES, Database, Standing
from companion.hub.tournament.desk import Desk
from companion.journal.record import digest_bytes
from companion.letters.chain import SORTED, Chain
from companion.words import _

LEAST_TIMES = 8  # By chance no two games have as many equal times between entries of people.

TWIN = (
    sa.select(LETTERS.c.session)
    .where(LETTERS.c.fingerprint == sa.bindparam("print"), LETTERS.c.session != sa.bindparam("of"))
    .order_by(LETTERS.c.number)
    .limit(1)
)


@dataclass(frozen=True)
class Double:
    """A letter that is held, and the game that it looks like.

    table, other_table          ids of the tables' keys
    received_us, first_us       when it came, and when the first letter of the other game came
    """

    session: str
    head: str
    game: str
    table: str
    received_us: int
    other: str
    other_table: str
    first_us: int


class Doubles:
    """The games of one hub's database that wait for a decision. Thread-safe."""

    def __init__(self, database: Database, desk: Desk) -> None:
        self._database, self._desk = database, desk

    def all(self) -> list[Double]:
        """Every letter that is held, oldest first."""
        other = LETTERS.alias("other")
        first = (
            sa.select(other.c.session, sa.func.min(other.c.number).label("number"))
            .group_by(other.c.session)
            .subquery("first")
        )
        query = (
            sa.select(LETTERS, other.c.table_id.label("other_table"), other.c.received_us.label("first_us"))
            .join(first, first.c.session == LETTERS.c.looks_like)
            .join(other, other.c.number == first.c.number)
            .where(LETTERS.c.standing == Standing.HELD.value)
            .order_by(LETTERS.c.number)
        )
        with self._database.reading() as db:
            return [
                Double(
                    *(row.session, row.head, row.game, row.table_id, row.received_us),
                    *(row.looks_like, row.other_table, row.first_us),
                )
                for row in db.execute(query)
            ]

    def sentence(self, session: str, head: str) -> str:
        """What its table is told of a letter that is held."""
        for double in self.all():
            if (double.session, double.head) == (session, head):
                query = sa.select(TABLES.c.name).where(TABLES.c.id == double.other_table)
                with self._database.reading() as db:
                    name = db.execute(query).scalar()
                return _(
                    "This game looks like game {other} of {table}, move by move. It's kept. The hub's staff decide.",
                    other=double.other,
                    table=name or _("another table"),
                )
        return _("This game looks like another one. It's kept. The hub's staff decide.")

    def settle(self, session: str, head: str, which: str) -> None:
        """Of a held game and the one that it looks like both count, or one does, as the staff say. Raises NotFound.

        which   "both", "this" or "other"
        """
        if which not in ("both", "this", "other"):
            raise BadInput(_("Choose which of the two games counts."))
        mine = LETTERS.c.session == session
        with self._database.changing() as db:
            query = sa.select(LETTERS).where(mine, LETTERS.c.head == head, LETTERS.c.standing == Standing.HELD.value)
            letter = db.execute(query).first()
            if letter is None:
                raise NotFound(_("There's nothing to decide about this game any more. Look again."))
            db.execute(
                sa.update(LETTERS)
                .where(mine, LETTERS.c.standing == Standing.HELD.value)
                .values(standing=Standing.SET_ASIDE.value)
            )
            if which != "other":
                db.execute(
                    sa.update(LETTERS)
                    .where(mine, LETTERS.c.standing == Standing.COUNTS.value)
                    .values(standing=Standing.REPLACED.value)
                )
                letter_itself = sa.update(LETTERS).where(LETTERS.c.number == letter.number)
                db.execute(letter_itself.values(standing=Standing.COUNTS.value))
            if which == "this":  # A letter that goes on from the other game will be held, too.
                other = (LETTERS.c.session == letter.looks_like) & (LETTERS.c.standing == Standing.COUNTS.value)
                db.execute(
                    sa.update(LETTERS).where(other).values(standing=Standing.SET_ASIDE.value, looks_like=session)
                )
            if which != "other" and letter.judged:
                self._desk.take(db, session, letter.table_id, head, read_json(letter.ranks))


def fingerprint(chain: Chain) -> str:
    """The fingerprint of a game, SHA-256 in hex; "" for one with too few times to be told from others by them."""
    entries = chain.entries
    passed = [(entry.at_us - before.at_us) // 1000 for before, entry in pairwise(entries)]
    by_people = {ms for ms, entry in zip(passed, entries[1:], strict=True) if entry.source != "clock" and ms > 0}
    if len(by_people) < LEAST_TIMES:
        return ""
    heading = (chain.stored.game, len(chain.stored.players), chain.stored.options, passed)
    text = msgspec.json.encode(heading, order="sorted") + SORTED.encode([entry.body for entry in entries])
    for seat, player in enumerate(chain.stored.players):
        text = text.replace(b'"%s"' % player.encode(), b'"#%d"' % seat)
    return digest_bytes(text)


def twin_of(db: sa.Connection, chain: Chain) -> tuple[str, str]:
    """A game's fingerprint, and the game with the same one that came first; "" for none."""
    own = fingerprint(chain)
    twin = db.execute(TWIN, {"print": own, "of": chain.stored.session}).scalar() if own else None
    return own, str(twin or "")
