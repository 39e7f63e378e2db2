"""What a hub keeps: the tables that were enrolled, and every letter that they sent, in one database.

A letter that was taken is on the disk before its table hears of it, and is never deleted or changed. Which letter of a
game counts is one word beside it (`Standing`).
"""

import json
import secrets
import time
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
from companion.hub.database import CODES, LETTERS, OWN, OWN_KEY, TABLES, Database, Standing
from companion.hub.dating import CLOCK_TOLERANCE_US, date_columns
from companion.hub.doubles import Doubles, twin_of
from companion.hub.entrant_links import Links
from companion.hub.judging import Judge, can_judge, judge
from companion.hub.league import League
from companion.hub.lists import TO_DECIDE, Lists
from companion.hub.orders import Orders
from companion.hub.presence import Presences
from companion.hub.questions import Questions
from companion.hub.results import Results
from companion.hub.series import SeriesList
from companion.hub.staff_tickets import StaffTickets
from companion.hub.stories import Stories, know_again, story_columns
from companion.hub.tournament.desk import Desk
from companion.journal.session import digest
from companion.letters.chain import Relation, relation, unpack
from companion.letters.envelope import Letter, open_letter
from companion.letters.keys import KEY_BYTES, Key, check_signature, key_id
from companion.letters.offer import Doing
from companion.letters.people import open_person
from companion.names import shortened
from companion.words import _

CODE_LETTERS, CODE_LENGTH = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ", 10  # No two look alike, and 50 bits are random.
CODE_LIFETIME_US = 24 * 60 * 60 * 1_000_000


class Answer(StrEnum):
    """What the hub says to a letter that it took."""

    NEW = "new"
    KNOWN = "known"
    UNJUDGED = "unjudged"  # The hub keeps the letter, but has other rules than those of its game.
    FORK = "fork"
    HELD = "held"
    WAITS = "waits"  # A tournament's game whose result the staff take or leave.
    FOREIGN = "foreign"  # Likewise, and it was given to another table.


# These statements are made once, as making one takes longer than running it.
PUBLIC = sa.select(TABLES.c.public).where(TABLES.c.id == sa.bindparam("key"), TABLES.c.revoked_us == 0)
OF_GAME = LETTERS.c.session == sa.bindparam("of")
THAT_COUNTS = OF_GAME & (LETTERS.c.standing == Standing.COUNTS.value)
FIND_LETTERS = sa.select(LETTERS.c.number, LETTERS.c.table_id, LETTERS.c.standing).where(
    OF_GAME, LETTERS.c.head == sa.bindparam("at")
)
WAITING = sa.select(LETTERS.c.number, LETTERS.c.head, LETTERS.c.table_id).where(
    OF_GAME, LETTERS.c.standing == Standing.WAITS.value
)
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

UNDECIDED = {
    Standing.FORK.value: Answer.FORK,
    Standing.HELD.value: Answer.HELD,
}


@dataclass(frozen=True)
class EnrolledTable:
    """A table as it was enrolled; its name is "" if nobody gave it one."""

    id: str
    name: str


class HubRecord(Lists):
    """The record of one hub. Thread-safe; another process may open it, too.

    key         of the hub itself, by which its tables know it again
    league      the people
    presences   which tables are there
    desk        the tournaments
    series      whose evenings they are
    links       by which their entrants' phones come in
    results     the results of tournaments that people decide about
    doubles     the games that look like others
    stories     the keys that tell two stories
    questions   what tables have asked
    orders      what the staff want corrected at tables
    chimes      what they have tables ring
    now_us      gives the wall time; now_s, seconds of the machine's own, which nobody sets
    """

    def __init__(
        self,
        folder: Path,
        now_us: Callable[[], int] = wall_us,
        database: str = "",
        judge: Judge = judge,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Opens or makes the record in a folder, or in the database with this URL; raises JournalUnusable."""
        self._judge = judge
        self._database, self._now_us = Database(folder, database), now_us
        self.key = self._own_key()
        self.league = League(self._database)
        self.presences = Presences(self._database, now_us, now_s)
        self.desk = Desk(self._database, now_us, self.presences)
        self.series = SeriesList(self._database, now_us)
        self.links = Links(self._database)
        self.results = Results(self._database, self.desk)
        self.doubles = Doubles(self._database, self.desk)
        self.stories = Stories(self._database)
        self.questions = Questions(self._database)
        self.orders = Orders(self._database, now_us)
        self.chimes = Chimes(self._database, now_us)
        self.staff = StaffTickets(self._database, now_us)

    def close(self) -> None:
        """Closes the database, with every letter that was taken in it."""
        self._database.close()

    def troubles(self) -> list[str]:
        """What is wrong with its disk, for the staff alone: a sentence may name a file."""
        return self._database.troubles()

    @property
    def is_failing(self) -> bool:
        """Whether nothing can be kept now."""
        return self._database.is_failing

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
            table = EnrolledTable(key, earlier.name if earlier else shortened(name))
            if earlier is None:
                values = {"id": key, "public": public, "name": table.name, "enrolled_us": self._now_us()}
                db.execute(sa.insert(TABLES).values(values))
        self.presences.enrolled(key)
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

    def hear(self, key: str, doing: Doing | None = None, said_us: int = 0, *, has_left: bool = False) -> None:
        """An enrolled table has given a sign of life (`Presences.hear`); one that has come gets a game that waits."""
        if self.presences.hear(key, doing, said_us, has_left=has_left):
            self.desk.seat_waiting()

    def meet(self, person: str, data: bytes) -> None:
        """Takes what a table says of a person; raises as `take` does."""
        message = open_person(data, self.public_of)
        if message.person != person:
            raise BadInput(_("The address names another person than the message. Let the table send it again."))
        self.league.take(message)
        self.hear(message.key)

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
        key = letter.envelope.key
        with self._database.changing() as db:
            same = {row.table_id: row for row in db.execute(FIND_LETTERS, {"of": session, "at": head})}
            given = self.results.given(db, session, letter.chain.stored.players)
            is_asked = given is not None and self.results.is_asked(db, given, key)
            waits = Answer.FOREIGN if given and given.table not in ("", key) else Answer.WAITS
            undecided = {**UNDECIDED, Standing.WAITS.value: waits}
            if key in same:
                know_again(db, letter)
                return undecided.get(same[key].standing, Answer.KNOWN)
            print_, twin = twin_of(db, letter.chain)
            if same and not (is_asked and all(row.standing == Standing.WAITS.value for row in same.values())):
                standing, looks_like = Standing.REPLACED, ""  # It has this game from another table already.
            else:
                standing, looks_like = self._standing_of(db, letter, twin, is_foreign=bool(given and not is_asked))
            if standing == Standing.COUNTS:
                db.execute(REPLACE, {"of": session})
            if standing in (Standing.COUNTS, Standing.WAITS):
                self._replace_waiting(db, letter)
            likeness = {"fingerprint": print_, "looks_like": looks_like} | story_columns(db, letter)
            row = self._row(letter, data, standing, judged) | date_columns(db, letter, self._now_us()) | likeness
            db.execute(INSERT, row)
            if standing == Standing.COUNTS and judged:
                self.desk.take(db, session, key, head, letter.envelope.ranks)
        self.hear(key)
        if same and standing == Standing.REPLACED:
            return next((undecided[row.standing] for row in same.values() if row.standing in undecided), Answer.KNOWN)
        return undecided.get(standing, Answer.NEW if judged else Answer.UNJUDGED)

    def _replace_waiting(self, db: sa.Connection, letter: Letter) -> None:
        """The letters wait no more that this one of the same table goes on from, and those of other tables with the
        same course."""
        for row in db.execute(WAITING, {"of": letter.envelope.session}).all():
            mine = row.table_id == letter.envelope.key and row.head in letter.chain.hashes
            if mine or row.head == letter.envelope.head:
                here = sa.update(LETTERS).where(LETTERS.c.number == row.number)
                db.execute(here.values(standing=Standing.REPLACED.value))

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

    def _standing_of(self, db: sa.Connection, letter: Letter, twin: str, *, is_foreign: bool) -> tuple[Standing, str]:
        """What a new letter is to its game, and the other game that it looks like; `twin` as `twin_of` finds it.

        is_foreign  whether it is of a tournament that did not ask this table for it
        """
        counting = db.execute(COUNTING, {"of": letter.envelope.session}).first()
        if is_foreign:
            return Standing.WAITS, ""
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


def has_ended(code: Any, now_us: int) -> bool:
    """Whether a code's day is over: by the kernel's uptime, which nobody sets, while it is known. Else by the wall
    clock, also where that shows less than when the code was made."""
    if code.boot and code.boot == boot_id():
        return bool(uptime_us() - code.uptime_us > CODE_LIFETIME_US)
    return not code.until_us - CODE_LIFETIME_US - CLOCK_TOLERANCE_US <= now_us <= code.until_us
