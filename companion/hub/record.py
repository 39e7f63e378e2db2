"""What a hub keeps: the tables that were enrolled, and every letter that they sent, in one database.

A letter that was taken is on the disk before its table hears of it, and is never deleted or changed. Which letter of a
game counts is one word beside it (`Standing`).
"""

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from companion.clock import boot_id, uptime_us, wall_us
from companion.errors import BadInput, NotAllowed, NotFound
from companion.foreign import read_json
from companion.hub.chimes import Chimes
from companion.hub.database import CODES, LETTERS, OWN, TABLES, Database, Standing
from companion.hub.dating import CLOCK_TOLERANCE_US, date_columns
from companion.hub.doubles import Doubles, twin_of
from companion.hub.judging import Judge, can_judge, judge
from companion.hub.league import League
from companion.hub.orders import Orders
from companion.hub.questions import Questions
from companion.hub.staff_tickets import StaffTickets
from companion.hub.stories import Stories, know_again, story_columns
from companion.hub.tournament.desk import Desk
from companion.journal.session import digest
from companion.letters.chain import Relation, relation, unpack
from companion.letters.envelope import Letter, open_letter
from companion.letters.keys import KEY_BYTES, Key, check_signature, key_id
from companion.letters.people import open_person
from companion.names import shortened
from companion.words import _

CODE_LETTERS, CODE_LENGTH = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ", 10  # No two look alike, and 50 bits are random.
CODE_LIFETIME_US = 24 * 60 * 60 * 1_000_000
MOST_LISTED = 1_000
OWN_KEY = "key"


class Answer(StrEnum):
    """What the hub says to a letter that it took."""

    NEW = "new"
    KNOWN = "known"
    UNJUDGED = "unjudged"  # The hub keeps the letter, but has other rules than those of its game.
    FORK = "fork"
    HELD = "held"


# These statements are made once, as making one takes longer than running it.
PUBLIC = sa.select(TABLES.c.public).where(TABLES.c.id == sa.bindparam("key"), TABLES.c.revoked_us == 0)
OF_GAME = LETTERS.c.session == sa.bindparam("of")
THAT_COUNTS = OF_GAME & (LETTERS.c.standing == Standing.COUNTS.value)
FIND_LETTER = sa.select(LETTERS.c.standing, LETTERS.c.judged).where(OF_GAME, LETTERS.c.head == sa.bindparam("at"))
COUNTING = sa.select(LETTERS.c.table_id, LETTERS.c.letter, LETTERS.c.looks_like).where(THAT_COUNTS)
REPLACE = sa.update(LETTERS).where(THAT_COUNTS).values(standing=Standing.REPLACED.value)
HELD_BEFORE = (
    sa.select(LETTERS.c.looks_like)
    .where(OF_GAME, LETTERS.c.looks_like != "")
    .order_by(LETTERS.c.number.desc())
    .limit(1)
)
INSERT = sa.insert(LETTERS).values(
    {column.name: sa.bindparam(column.name) for column in LETTERS.c if column.name != "number"}
)

TO_DECIDE = LETTERS.c.standing.in_([Standing.COUNTS.value, Standing.FORK.value])

UNDECIDED = {Standing.FORK.value: Answer.FORK, Standing.HELD.value: Answer.HELD}


@dataclass(frozen=True)
class EnrolledTable:
    """A table as it was enrolled; its name is "" if nobody gave it one."""

    id: str
    name: str


class HubRecord:
    """The record of one hub. Thread-safe; another process may open it, too.

    key         of the hub itself, by which its tables know it again
    league      the people
    desk        the tournaments
    doubles     the games that look like others
    stories     the keys that tell two stories
    questions   what tables have asked
    orders      what the staff want corrected at tables
    chimes      what they have tables ring
    now_us      gives the wall time
    """

    def __init__(
        self, folder: Path, now_us: Callable[[], int] = wall_us, database: str = "", judge: Judge = judge
    ) -> None:
        """Opens or makes the record in a folder, or in the database with this URL; raises JournalUnusable."""
        self._judge = judge
        self._database, self._now_us = Database(folder, database), now_us
        self.key = self._own_key()
        self.league = League(self._database)
        self.desk = Desk(self._database, now_us)
        self.doubles = Doubles(self._database, self.desk)
        self.stories = Stories(self._database)
        self.questions = Questions(self._database)
        self.orders = Orders(self._database, now_us)
        self.chimes = Chimes(self._database, now_us)
        self.staff = StaffTickets(self._database, now_us)

    def close(self) -> None:
        """Closes the database, with every letter that was taken in it."""
        self._database.close()

    def _own_key(self) -> Key:
        """The hub's key, made at its first start."""
        with self._database.changing() as db:
            secret = db.execute(sa.select(OWN.c.value).where(OWN.c.name == OWN_KEY)).scalar()
            if secret is None:
                secret = secrets.token_hex(KEY_BYTES)
                db.execute(sa.insert(OWN).values({"name": OWN_KEY, "value": secret}))
        return Key(bytes.fromhex(secret))

    def new_code(self) -> str:
        """A new code that enrols one table, once, within a day."""
        code = "".join(secrets.choice(CODE_LETTERS) for _number in range(CODE_LENGTH))
        with self._database.changing() as db:
            self._forget_codes(db)
            values = {"digest": digest(code), "until_us": self._now_us() + CODE_LIFETIME_US, "used_by": ""}
            db.execute(sa.insert(CODES).values(values | {"boot": boot_id(), "uptime_us": uptime_us()}))
        return code

    def enrol(self, code: str, public: bytes, signature: bytes, name: str) -> EnrolledTable:
        """Enrols a table by its code; the same table may send it again, since an answer can get lost.

        public, signature   of the table's key, and its signature of the code, which shows that the table has the key

        Raises NotAllowed for a code that does not count, or a signature that does not hold.
        """
        if len(public) != KEY_BYTES:
            raise BadInput(_("The table's key has the wrong length. Update the table's companion."))
        check_signature(public, signature, code.encode())
        key = key_id(public)
        with self._database.changing() as db:  # What has ended is gone for good, though the code is refused.
            self._forget_codes(db)
        with self._database.changing() as db:
            invitation = db.execute(sa.select(CODES).where(CODES.c.digest == digest(code))).first()
            if invitation is None or invitation.used_by not in ("", key):
                raise NotAllowed(
                    _("This code doesn't count, or was used already. Get a new one with companion hub code.")
                )
            db.execute(sa.update(CODES).where(CODES.c.digest == digest(code)).values(used_by=key))
            earlier = db.execute(sa.select(TABLES.c.name).where(TABLES.c.id == key)).first()
            if earlier is not None:
                return EnrolledTable(key, earlier.name)
            table = EnrolledTable(key, shortened(name))
            values = {"id": key, "public": public, "name": table.name, "enrolled_us": self._now_us()}
            db.execute(sa.insert(TABLES).values(values))
        return table

    def _forget_codes(self, db: sa.Connection) -> None:
        """Deletes the codes that have ended: no clock that is set back brings one again."""
        for code in db.execute(sa.select(CODES)).all():
            if has_ended(code, self._now_us()):
                db.execute(sa.delete(CODES).where(CODES.c.digest == code.digest))

    def public_of(self, key: str) -> bytes | None:
        """The public part of an enrolled table's key, None for any other key and for one that was revoked."""
        with self._database.reading() as db:
            return db.execute(PUBLIC, {"key": key}).scalar()

    def revoke(self, key: str) -> None:
        """From now on nothing counts that this table's key signs; what came before stays. Raises NotFound."""
        here = sa.update(TABLES).where(TABLES.c.id == key, TABLES.c.revoked_us == 0)
        with self._database.changing() as db:
            if db.execute(here.values(revoked_us=self._now_us())).rowcount == 0:
                raise NotFound(_("There's no such table here, or its key was taken away already. Look again."))

    def meet(self, person: str, data: bytes) -> None:
        """Takes what a table says of a person; raises as `take` does."""
        message = open_person(data, self.public_of)
        if message.person != person:
            raise BadInput(_("The address names another person than the message. Let the table send it again."))
        self.league.take(message)

    def take(self, session: str, head: str, data: bytes) -> Answer:
        """Takes a letter for this game and head; once this returns, it survives a power cut.

        Raises NotAllowed if no enrolled table signed it, BadInput if it is damaged or against the rules. Then nothing
        is kept.
        """
        letter = open_letter(data, self.public_of)
        if (letter.envelope.session, letter.envelope.head) != (session, head):
            raise BadInput(_("The address names another game than the letter. Let the table send it again."))
        judged = can_judge(letter)
        if judged:
            self._judge(letter, data)
        with self._database.changing() as db:
            earlier = db.execute(FIND_LETTER, {"of": session, "at": head}).first()
            if earlier is not None:
                know_again(db, letter)
                return UNDECIDED.get(earlier.standing, Answer.KNOWN)
            print_, twin = twin_of(db, letter.chain)
            standing, looks_like = self._standing_of(db, letter, twin)
            if standing == Standing.COUNTS:
                db.execute(REPLACE, {"of": session})
            likeness = {"fingerprint": print_, "looks_like": looks_like} | story_columns(db, letter)
            row = self._row(letter, data, standing, judged) | date_columns(db, letter, self._now_us()) | likeness
            db.execute(INSERT, row)
            if standing == Standing.COUNTS and judged:
                self.desk.take(db, session, letter.envelope.key, head, letter.envelope.ranks)
        return UNDECIDED.get(standing, Answer.NEW if judged else Answer.UNJUDGED)

    def decide(self, session: str, head: str) -> None:
        """Of a game's contradicting letters this one counts, as the staff say. Raises NotFound.

        The others are set aside. A letter that goes on from the one that counts takes its place as ever; one that goes
        on from another is a fork again.
        """
        mine = LETTERS.c.session == session
        with self._database.changing() as db:
            forks = sa.select(LETTERS.c.number).where(mine, LETTERS.c.standing == Standing.FORK.value)
            chosen = sa.select(LETTERS).where(mine, LETTERS.c.head == head, TO_DECIDE)
            letter = db.execute(chosen).first()
            if letter is None or db.execute(forks).first() is None:
                raise NotFound(_("There's nothing to decide about this game any more. Look again."))
            db.execute(sa.update(LETTERS).where(mine, TO_DECIDE).values(standing=Standing.SET_ASIDE.value))
            counts = sa.update(LETTERS).where(LETTERS.c.number == letter.number)
            db.execute(counts.values(standing=Standing.COUNTS.value))
            if letter.judged:
                self.desk.take(db, session, letter.table_id, head, read_json(letter.ranks))

    def forks(self) -> list[dict[str, Any]]:
        """The letters of every game that people have to decide about, game by game; `id` is the head."""
        forked = sa.select(LETTERS.c.session).where(LETTERS.c.standing == Standing.FORK.value)
        query = sa.select(LETTERS).where(LETTERS.c.session.in_(forked), TO_DECIDE)
        with self._database.reading() as db:
            rows = db.execute(query.order_by(LETTERS.c.session, LETTERS.c.number)).all()
        return [{"id": row.head, **letter_values(row)} for row in rows]

    def _standing_of(self, db: sa.Connection, letter: Letter, twin: str) -> tuple[Standing, str]:
        """What a new letter is to its game, and the other game that it looks like; `twin` as `twin_of` finds it."""
        counting = db.execute(COUNTING, {"of": letter.envelope.session}).first()
        if counting is None:  # A letter that goes on from a held game is held, too.
            looks_like = twin or str(db.execute(HELD_BEFORE, {"of": letter.envelope.session}).scalar() or "")
            return (Standing.HELD if looks_like else Standing.COUNTS), looks_like
        if counting.table_id != letter.envelope.key:
            return Standing.FORK, ""
        chain = unpack(bytes(counting.letter).split(b"\n", 2)[2])
        match relation(chain.hashes, letter.chain.hashes):
            case Relation.LONGER:  # The staff may have said already that both count.
                if twin in ("", counting.looks_like):
                    return Standing.COUNTS, counting.looks_like
                return Standing.HELD, twin
            case Relation.OLDER:
                return Standing.REPLACED, ""
        return Standing.FORK, ""

    def _row(self, letter: Letter, data: bytes, standing: Standing, judged: bool) -> dict[str, Any]:
        envelope = letter.envelope
        return {
            "session": envelope.session,
            "head": envelope.head,
            "table_id": envelope.key,
            "n": envelope.n,
            "game": letter.chain.stored.game,
            "entries": envelope.entries,
            "players": json.dumps(letter.chain.stored.players),
            "ranks": json.dumps(envelope.ranks),
            "standing": standing.value,
            "judged": judged,
            "received_us": self._now_us(),
            "letter": data,
        }

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


def has_ended(code: Any, now_us: int) -> bool:
    """Whether a code's day is over: by the kernel's uptime, which nobody sets, while it is known. Else by the wall
    clock, also where that shows less than when the code was made."""
    if code.boot and code.boot == boot_id():
        return bool(uptime_us() - code.uptime_us > CODE_LIFETIME_US)
    return not code.until_us - CODE_LIFETIME_US - CLOCK_TOLERANCE_US <= now_us <= code.until_us


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
