"""Whether a table is there: the one answer for all that seats, gives, takes or shows.

A letter, a question at the hub's door and a message over MQTT are signs of life, each signed by the table. When a sign
came is counted by the hub's own uptime, so no clock that is set makes a table silent. The newest sign of each table is
on the disk, too: a hub that was started anew knows what was played, and waits for these tables before it calls one
silent.
"""

import logging
import statistics
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from companion.errors import JournalUnusable
from companion.hub.database import PRESENCE, TABLES, Database
from companion.hub.dating import CLOCK_TOLERANCE_US
from companion.letters.offer import Doing, veil_session
from companion.words import _, _n

SILENT_S = 90.0  # A table in peace gives a sign every five seconds, one that found no hub every minute.
KEPT_S = 30.0  # A sign that says nothing new is written so rarely: a hall of 200 tables gives 40 a second.
MINUTE_US, HOUR_US, DAY_US = 60_000_000, 3_600_000_000, 86_400_000_000

log = logging.getLogger(__name__)


class Reason(StrEnum):
    """Why a table is held for here or not."""

    HERE = "here"
    NEVER = "never"  # It was enrolled, and has said nothing since.
    AWAITED = "awaited"  # It was here before the hub's start, and still has time to come back.
    SILENT = "silent"
    LEFT = "left"  # It said so itself.
    REVOKED = "revoked"


@dataclass(frozen=True)
class Presence:
    """Whether one table is there.

    since_us    when its newest sign of life came, by the hub's clock; 0 for none
    ahead_us    how far its clock is ahead of the hub's, less than 0 if it is behind; 0 within CLOCK_TOLERANCE_US
    playing     the id of the game that it has, over or not, maybe veiled; "" for none
    """

    table: str
    reason: Reason
    since_us: int = 0
    ahead_us: int = 0
    playing: str = ""
    is_over: bool = False

    @property
    def is_here(self) -> bool:
        return self.reason is Reason.HERE

    @property
    def is_lost(self) -> bool:
        """Whether nobody waits for it any more: what it has to play, another table plays sooner."""
        return self.reason not in (Reason.HERE, Reason.AWAITED)

    @property
    def is_missed(self) -> bool:
        """Whether its key counts, and it is not heard."""
        return bool(self.table) and self.reason not in (Reason.HERE, Reason.REVOKED)

    @property
    def is_busy(self) -> bool:
        """Whether something is played there, as far as the table has said."""
        return self.reason in (Reason.HERE, Reason.AWAITED) and bool(self.playing) and not self.is_over

    def has(self, session: str) -> bool:
        """Whether this game lies on the table, and its result may still come from there by itself."""
        return self.reason in (Reason.HERE, Reason.AWAITED) and self.playing in (session, veil_session(session))


NOWHERE = Presence("", Reason.NEVER)


@dataclass(frozen=True)
class Sign:
    """The newest sign of life of a table: `at_s` by the hub's uptime, `heard_us` by its clock, the rest as Presence.

    said_us     the newest time by the table's own clock that it sent over MQTT; kept_s, when this was written
    """

    at_s: float
    heard_us: int
    said_us: int = 0
    ahead_us: int = 0
    playing: str = ""
    is_over: bool = False
    has_left: bool = False
    kept_s: float = -KEPT_S


class Presences:
    """The presence of every table in one hub's database. Thread-safe; another process may hear other tables."""

    def __init__(self, database: Database, now_us: Callable[[], int], now_s: Callable[[], float] = time.monotonic):
        """now_us    gives the wall time; now_s, seconds since the machine was started that pass while it works"""
        self._database, self._now_us, self._now_s = database, now_us, now_s
        self._started_s = now_s()
        self._lock = threading.Lock()
        self._signs: dict[str, Sign] = {}
        self._is_told = False  # whether the log has it that signs can't be written

    def enrolled(self, table: str) -> None:
        """A table was enrolled now: it is here, though it has not said anything yet."""
        with self._lock:
            self._signs.setdefault(table, Sign(self._now_s(), 0))

    def hear(self, table: str, doing: Doing | None = None, said_us: int = 0, *, has_left: bool = False) -> bool:
        """An enrolled table has given a sign of life; returns whether it was not here before.

        doing       what it says of itself, None for nothing
        said_us     when it says that it sent this, for a message that somebody else could send again; 0 for none
        """
        with self._lock:
            known = self._signs.get(table)
        kept = known or self._kept(table)  # Whoever has the database may wait for this lock, so nothing is asked in it.
        with self._lock:
            known = self._signs.get(table, kept)
            if 0 < said_us <= known.said_us:
                return False
            now_us, now_s = self._now_us(), self._now_s()
            new = replace(known, at_s=now_s, heard_us=now_us, said_us=said_us or known.said_us, has_left=has_left)
            if doing is not None:
                new = replace(new, playing=doing.session or "", is_over=doing.over, ahead_us=doing.wall_us - now_us)
            was_here = bool(known.heard_us) and not known.has_left and now_s - known.at_s <= SILENT_S
            is_news = not was_here or says_more(new, known) or now_s - known.kept_s >= KEPT_S
            if is_news:
                new = replace(new, kept_s=now_s)
            self._signs[table] = new
        if is_news and not self._keep(table, new):
            with self._lock:  # The next one is written.
                self._signs[table] = replace(self._signs[table], kept_s=now_s - KEPT_S)
        return not was_here and not has_left

    def all(self) -> dict[str, Presence]:
        """Key → its presence, of every table that was ever enrolled."""
        with self._database.reading() as db:
            return self.all_in(db)

    def all_in(self, db: sa.Connection) -> dict[str, Presence]:
        """The same, as a part of a transaction."""
        rows = db.execute(sa.select(TABLES.c.id, TABLES.c.revoked_us, *PRESENCE.c).select_from(WITH_PRESENCE)).all()
        with self._lock:
            signs = dict(self._signs)
        return {row.id: self._presence(row, signs.get(row.id)) for row in rows}

    def _presence(self, row: Any, sign: Sign | None) -> Presence:
        """What its newest sign says of a table: one that this process heard, or the one on the disk."""
        if row.revoked_us:
            return Presence(row.id, Reason.REVOKED, row.heard_us or 0)
        now_us, now_s = self._now_us(), self._now_s()
        if sign and not sign.has_left and now_s - sign.at_s <= SILENT_S:
            return presence_of(row.id, Reason.HERE, sign)
        kept = sign_of(row) if row.heard_us else None
        # Another hub of the same record may have heard it since, and one that was started anew just before its start.
        if kept and not kept.has_left and 0 <= now_us - kept.heard_us <= SILENT_S * 1e6 and is_newer(kept, sign):
            return presence_of(row.id, Reason.HERE, kept)
        newest = sign or kept
        if newest is None or not newest.heard_us:
            return Presence(row.id, Reason.NEVER)
        if newest.has_left:
            return presence_of(row.id, Reason.LEFT, newest)
        is_awaited = sign is None and now_s - self._started_s <= SILENT_S
        return presence_of(row.id, Reason.AWAITED if is_awaited else Reason.SILENT, newest)

    def _kept(self, table: str) -> Sign:
        """The sign on the disk, as long ago as makes it none of this run."""
        with self._database.reading() as db:
            row = db.execute(sa.select(PRESENCE).where(PRESENCE.c.table_id == table)).first()
        return sign_of(row) if row else Sign(-SILENT_S - 1, 0)

    def _keep(self, table: str, sign: Sign) -> bool:
        """Writes a sign; returns whether the disk took it. If not, the staff hear of that from the database."""
        values = {
            "heard_us": sign.heard_us,
            "said_us": sign.said_us,
            "ahead_us": sign.ahead_us,
            "playing": sign.playing,
            "is_over": sign.is_over,
            "has_left": sign.has_left,
        }
        try:
            with self._database.changing() as db:
                here = sa.update(PRESENCE).where(PRESENCE.c.table_id == table)
                if db.execute(here.values(values)).rowcount == 0:
                    db.execute(sa.insert(PRESENCE).values({"table_id": table, **values}))
        except JournalUnusable as error:
            # A hall of 200 tables would tell it 40 times a second, on a disk that may be full of it.
            log.log(logging.DEBUG if self._is_told else logging.WARNING, "signs of life can't be written: %s", error)
            self._is_told = True
            return False
        self._is_told = False
        return True


WITH_PRESENCE = TABLES.outerjoin(PRESENCE, PRESENCE.c.table_id == TABLES.c.id)


def presence_of(table: str, reason: Reason, sign: Sign) -> Presence:
    ahead_us = sign.ahead_us if abs(sign.ahead_us) > CLOCK_TOLERANCE_US else 0
    return Presence(table, reason, sign.heard_us, ahead_us, sign.playing, sign.is_over)


def sign_of(row: Any) -> Sign:
    """The sign in a row. When it came by the uptime nobody knows."""
    more = {name: getattr(row, name) for name in ("heard_us", "said_us", "ahead_us", "playing")}
    return Sign(-SILENT_S - 1, **more, is_over=bool(row.is_over), has_left=bool(row.has_left))


def is_newer(kept: Sign, sign: Sign | None) -> bool:
    """Whether the sign on the disk is another process's, newer than the one that this one heard."""
    return sign is None or kept.heard_us > sign.heard_us


def says_more(new: Sign, known: Sign) -> bool:
    """Whether a sign says something else than the one before."""
    same = (new.playing, new.is_over, new.has_left) == (known.playing, known.is_over, known.has_left)
    return not same or abs(new.ahead_us - known.ahead_us) > MINUTE_US


def clock_sentences(presences: Mapping[str, Presence], names: Mapping[str, str]) -> list[str]:
    """What is wrong with clocks, for the staff: the hub's own, if several tables agree on it, else each table's.

    names       table → its name; the tables that are spoken of
    """
    here = [presence for presence in presences.values() if presence.is_here and presence.table in names]
    wrong = [presence for presence in here if presence.ahead_us]
    by_us = int(statistics.median(presence.ahead_us for presence in wrong)) if wrong else 0
    alike = [presence for presence in wrong if abs(presence.ahead_us - by_us) <= CLOCK_TOLERANCE_US]
    if len(alike) > 1 and len(alike) > len(here) / 2:  # So many tables are not wrong by the same.
        return [hub_sentence(by_us), *(table_sentence(names[one.table], one) for one in wrong if one not in alike)]
    return [table_sentence(names[one.table], one) for one in wrong]


def table_sentence(table: str, presence: Presence) -> str:
    """How far a table's clock is wrong."""
    time_ = length_of_time(presence.ahead_us)
    if presence.ahead_us > 0:
        return _("The clock of {table} is {time} ahead of the hub's. Set it right.", table=table, time=time_)
    return _("The clock of {table} is {time} behind the hub's. Set it right.", table=table, time=time_)


def hub_sentence(ahead_us: int) -> str:
    """How far the hub's clock is wrong, where its tables are so far ahead of it."""
    time_ = length_of_time(ahead_us)
    if ahead_us > 0:
        return _("The hub's clock is {time} behind the clocks of its tables. Set it right.", time=time_)
    return _("The hub's clock is {time} ahead of the clocks of its tables. Set it right.", time=time_)


def length_of_time(us: int) -> str:
    """A length of time in its largest unit, as in "2 hours"."""
    if abs(us) >= DAY_US:
        return _n("{n} day", "{n} days", round(abs(us) / DAY_US))
    if abs(us) >= HOUR_US:
        return _n("{n} hour", "{n} hours", round(abs(us) / HOUR_US))
    return _n("{n} minute", "{n} minutes", round(abs(us) / MINUTE_US))
