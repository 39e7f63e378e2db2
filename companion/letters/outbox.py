"""The table's outbox: every letter that this table has made for its hub, in the journal's own file.

A letter is in the file before it is sent, so neither a kill nor a week without a network loses one. The outbox and the
key are in no copy of the journal: a table that was brought back from one is enrolled anew, and gives no number twice.
A table that is enrolled anew signs with another key, so its letters are made anew from the journal.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from companion.clock import wall_us
from companion.errors import BadInput
from companion.foreign import read_address
from companion.journal.settings import (
    HUB,
    HUB_ASKED,
    HUB_CODE,
    HUB_ENROLLED,
    HUB_KEY,
    HUB_PERSON,
    HUB_PIN,
    HUB_SINCE_TABLE_US,
    HUB_SINCE_US,
)
from companion.journal.store import Journal
from companion.letters.counting import LEAP, challenge_of
from companion.words import _

NONE = "none"  # In place of a hub's address it says that this table sends nothing any more.
EVENING_US = 12 * 60 * 60 * 1_000_000  # A hub that lost everything gets so much from a table that is enrolled anew.
MOST_REFUSED = 5  # A summary has the newest.
CHANGED = """
    SELECT sessions.id, last.hash, EXISTS (SELECT 1 FROM outbox WHERE session = sessions.id)
    FROM sessions JOIN entries AS last ON last.session = sessions.id
        AND last.seq = (SELECT max(seq) FROM entries WHERE session = sessions.id)
    WHERE (json_extract(last.content, '$.wall_us') >= ? OR (
            ? > 0 AND json_extract(last.content, '$.at_us') > ?
            AND NOT EXISTS (SELECT 1 FROM settings WHERE name = 'ahead:' || sessions.id)
        ))
        AND NOT EXISTS (SELECT 1 FROM outbox WHERE session = sessions.id AND head = last.hash)
    ORDER BY sessions.created_wall_us, sessions.id
"""

# The newest entry by table time. An imported game has a time of its own.
NEWEST = """
    SELECT coalesce(max(json_extract(content, '$.at_us')), 1) FROM entries
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'ahead:' || session)
"""

# When the oldest game was played of which something waits.
OLDEST_WAITING = """
    SELECT min(json_extract(last.content, '$.wall_us'))
    FROM outbox JOIN entries AS last ON last.session = outbox.session
        AND last.seq = (SELECT max(seq) FROM entries WHERE session = outbox.session)
    WHERE outbox.state = 'waiting'
"""
AGAIN = "UPDATE outbox SET state = 'waiting' WHERE n = ? AND state IN ('uploaded', 'refused') AND instr(letter, x'0a')"

# Of letters about deleted games nothing but the envelope stays, on which the next letter's builds; one that waits stays
# at home. The hub then sees by the numbers that a letter was withheld, and nothing else.
FORGET = """
    UPDATE outbox SET
        state = CASE state WHEN 'waiting' THEN 'withdrawn' ELSE state END,
        letter = substr(letter, 1, instr(letter, x'0a') - 1)
    WHERE session NOT IN (SELECT id FROM sessions) AND instr(letter, x'0a')
"""


class State(StrEnum):
    """How far a letter is."""

    WAITING = "waiting"
    UPLOADED = "uploaded"
    REFUSED = "refused"  # Sending it again would not change the hub's reason.
    WITHDRAWN = "withdrawn"  # Its game was deleted before it left.


@dataclass(frozen=True)
class Waiting:
    """A letter that waits to be sent."""

    n: int
    session: str
    head: str
    letter: bytes


@dataclass(frozen=True)
class Changed:
    """A game that goes on beyond what was sent of it.

    was_sent    whether an earlier state of it was put into the outbox
    """

    session: str
    head: str
    was_sent: bool


@dataclass(frozen=True)
class Summary:
    """What the host's page shows.

    url         of the hub, "" for none
    uploaded    games whose newest letter the hub has; `all`, how many games have one
    refused     (session, the hub's sentence) of the newest letters that were refused; `not_taken`, how many there are
    """

    url: str
    enrolled: bool
    uploaded: int
    all: int
    refused: tuple[tuple[str, str], ...]
    not_taken: int

    @property
    def waiting(self) -> int:
        """Games that wait to be sent."""
        return self.all - self.uploaded - self.not_taken


def check_hub(url: str) -> str:
    """The address of a hub without a slash at its end, or NONE; raises BadInput."""
    if url == NONE:
        return NONE
    parts = read_address(url)
    is_good = parts.scheme in ("http", "https") and parts.hostname and parts.path in ("", "/")
    if not is_good or parts.query or parts.fragment or parts.username:
        raise BadInput(_("A hub's address looks like http://192.168.1.5:8100. Correct it."))
    return url.rstrip("/")


class Outbox:
    """The letters of one journal, and what the table knows of its hub. Thread-safe, as the journal is."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._asked = self._counted = HUB_ASKED.of(journal)

    @property
    def hub(self) -> str:
        """The hub's address, "" for none."""
        return HUB.of(self._journal)

    @property
    def code(self) -> str:
        """The code that the table was given last."""
        return HUB_CODE.of(self._journal)

    @property
    def is_enrolled(self) -> bool:
        """Whether the hub knows this table's key."""
        return HUB_ENROLLED.of(self._journal) and bool(self.secret)

    @property
    def secret(self) -> bytes:
        """What the table signs with (32 bytes), empty for none."""
        return bytes.fromhex(HUB_KEY.of(self._journal))

    @property
    def pin(self) -> str:
        """The id of the hub's key, "" until this table has met it."""
        return HUB_PIN.of(self._journal)

    def set_pin(self, key: str) -> None:
        HUB_PIN.put(self._journal, key)

    def remember(self, hub: str, code: str) -> None:
        """Keeps what a start of the table said of its hub. A new code begins a new outbox, with a new key.

        What waited, and what went to the hub before within EVENING_US, is put into it again by `changed`: the hub may
        be another one, or one that has lost it.

        hub     as `check_hub` gives it, "" for no change
        code    "" for no change; the one that was given last changes nothing either
        """
        had_hub = bool(self.hub) and HUB_SINCE_US.of(self._journal) > 0
        if hub:
            HUB.put(self._journal, "" if hub == NONE else hub)
        if hub == NONE or (code and code != self.code):
            since_us = self._since_us() if had_hub and hub != NONE else wall_us()
            with self._journal.changing() as db:
                db.execute("DELETE FROM outbox")
                db.execute("DELETE FROM settings WHERE name GLOB ?", (f"{HUB_PERSON.for_key('').name}*",))
                HUB_CODE.insert(db, code)
                HUB_KEY.insert(db, secrets.token_hex(32) if code else "")
                HUB_ENROLLED.insert(db, False)
                HUB_PIN.insert(db, "")
                HUB_SINCE_US.insert(db, since_us)
                HUB_SINCE_TABLE_US.insert(db, db.execute(NEWEST).fetchone()[0])
                HUB_ASKED.insert(db, 0)  # By the new key nothing was asked yet.
            self._asked = self._counted = 0

    def _since_us(self) -> int:
        """Since when games are for the next hub, of a table that has one: none from before its first enrolment."""
        rows = self._journal.select(OLDEST_WAITING)
        oldest_us = rows[0][0] if rows[0][0] is not None else wall_us()
        return max(HUB_SINCE_US.of(self._journal), min(oldest_us, wall_us() - EVENING_US))

    def next_challenge(self, leap: int = 0) -> str:
        """What this table asks its hub to sign next. Its count rises through every restart.

        leap    how many questions are left out, as the hub may hold them for asked
        """
        self._asked += 1 + leap
        if self._asked >= self._counted:
            self._counted = self._asked + LEAP
            HUB_ASKED.put(self._journal, self._counted)
        return challenge_of(self._asked)

    def set_enrolled(self) -> None:
        HUB_ENROLLED.put(self._journal, True)

    def changed(self) -> tuple[Changed, ...]:
        """The games that were played on since this table was told of its hub, without those sent as they are now.

        A wall clock that was set back since keeps none at home: table time knows better.
        """
        since_table_us = HUB_SINCE_TABLE_US.of(self._journal)
        rows = self._journal.select(CHANGED, (HUB_SINCE_US.of(self._journal), since_table_us, since_table_us))
        return tuple(Changed(session, head, bool(was_sent)) for session, head, was_sent in rows)

    def newest(self) -> bytes | None:
        """The letter made last, or None."""
        rows = self._journal.select("SELECT letter FROM outbox ORDER BY n DESC LIMIT 1")
        return rows[0][0] if rows else None

    def count(self) -> int:
        """How many letters this table has made with its key."""
        return int(self._journal.select("SELECT coalesce(max(n), 0) FROM outbox")[0][0])

    def send_again(self, numbers: Iterable[int]) -> None:
        """Letters that the hub has not, or has no more, wait again; those about deleted games stay at home."""
        with self._journal.changing() as db:
            db.executemany(AGAIN, [(n,) for n in numbers])

    def add(self, letter: Waiting) -> None:
        """Puts a letter in; once this returns, it survives a power cut."""
        values = (letter.n, letter.session, letter.head, letter.letter, State.WAITING.value)
        with self._journal.changing() as db:
            db.execute("INSERT INTO outbox VALUES (?, ?, ?, ?, ?, '')", values)

    def first_waiting(self) -> Waiting | None:
        """The oldest letter that waits, or None."""
        waiting = "SELECT n, session, head, letter FROM outbox WHERE state = ? ORDER BY n LIMIT 1"
        rows = self._journal.select(waiting, (State.WAITING.value,))
        return Waiting(*rows[0]) if rows else None

    def mark(self, n: int, state: State, sentence: str = "") -> None:
        """Says how far a letter is, and what the hub said."""
        with self._journal.changing() as db:
            db.execute("UPDATE outbox SET state = ?, said = ? WHERE n = ?", (state.value, sentence, n))
            db.execute(FORGET)

    def has(self, session: str, *states: State) -> bool:
        """Whether a letter with this game is in one of these states."""
        rows = self._journal.select("SELECT DISTINCT state FROM outbox WHERE session = ?", (session,))
        return any(state in states for (state,) in rows)

    def forget_deleted(self) -> None:
        """Leaves only the envelopes of letters about deleted games; those that wait are not sent any more.

        One that is on its way just now arrives.
        """
        with self._journal.changing() as db:
            db.execute(FORGET)

    def summary(self) -> Summary:
        """How much of it the hub has."""
        newest = "SELECT session, state, said, max(n) AS n FROM outbox WHERE state <> ? GROUP BY session"
        rows = self._journal.select(f"{newest} ORDER BY n DESC", (State.WITHDRAWN.value,))
        uploaded = sum(state == State.UPLOADED for _session, state, _sentence, _n in rows)
        refused = [(session, sentence) for session, state, sentence, _n in rows if state == State.REFUSED]
        return Summary(self.hub, self.is_enrolled, uploaded, len(rows), tuple(refused[:MOST_REFUSED]), len(refused))
