"""The date by which tickets and pictures grow old: the wall clock's, unless that has just jumped.

A wall clock may be set wrong for a moment, decades ahead or back; tickets and pictures deleted by it would not come
back. So the journal remembers a date that was believed, and the kernel's monotonic clock carries it on. A wall clock
far from that date is believed only once the table has run with it for some hours, as after months in a cupboard.
"""

from dataclasses import astuple, dataclass

import msgspec

from companion.clock import boot_id, is_wall_sure, monotonic_us, wall_us
from companion.journal.settings import CALENDAR
from companion.journal.store import Journal

HOUR_US = 3_600_000_000
JUMP_US = 8 * 24 * HOUR_US  # a smaller jump is believed at once: a table may be on once a week; no ticket lasts less
SAVED_EVERY_US = HOUR_US  # while the clock is believed: more often would only wear the card
DOUBT_US = 3 * HOUR_US  # less: a clock that is wrong for one evening deletes; more: pictures stay longer


@dataclass(frozen=True)
class Believed:
    """A date that was believed at some moment, all in microseconds.

    doubt_us    how long the table has run while its wall clock was far from that date
    since_us    the believed date when that began
    """

    wall_us: int
    boot_id: str
    monotonic_us: int
    doubt_us: int = 0
    since_us: int = 0

    def carried_us(self) -> int:
        """The believed date, carried on by the time the table has run since.

        Unrecorded time before a reboot is rounded up, so that nothing new is dated before anything old.
        """
        return self.wall_us + (self.ran_us() if self.boot_id == boot_id() else 2 * SAVED_EVERY_US)

    def ran_us(self) -> int:
        """The time the table has run since, as far as is known."""
        return monotonic_us() - self.monotonic_us if self.boot_id == boot_id() else 0


def date_us(journal: Journal) -> int:
    """The date now, in microseconds since 1970."""
    last, now_us = believed(journal), wall_us()
    if last is None or abs(now_us - last.carried_us()) <= JUMP_US:
        return now_us
    return last.carried_us()


def save_date(journal: Journal) -> None:
    """Saves the believed date. To be called at the start, and every few minutes while the table runs."""
    last, now_us, running = believed(journal), wall_us(), (boot_id(), monotonic_us())
    if last is None or abs(now_us - last.carried_us()) <= JUMP_US:
        is_old = last is None or last.since_us or last.boot_id != running[0] or last.ran_us() >= SAVED_EVERY_US
        if last is None or (is_old and is_wall_sure()):  # a first date is better than none, even if it may be wrong
            CALENDAR.put(journal, as_text(Believed(now_us, *running)))
        return
    carried_us = last.carried_us()
    doubt_us = last.doubt_us + last.ran_us() if last.since_us else 0
    doubted = Believed(carried_us, *running, doubt_us, last.since_us or carried_us)
    if doubt_us < DOUBT_US or not is_wall_sure():
        CALENDAR.put(journal, as_text(doubted))
        return
    with journal.changing() as db:  # rows made while the clock was in doubt keep their age
        moved = (now_us - carried_us, doubted.since_us)
        db.execute(
            "UPDATE tickets SET created_wall_us = created_wall_us + ?1, expires_wall_us = expires_wall_us + ?1"
            " WHERE created_wall_us >= ?2",
            moved,
        )
        db.execute("UPDATE pictures SET taken_wall_us = taken_wall_us + ?1 WHERE taken_wall_us >= ?2", moved)
        CALENDAR.insert(db, as_text(Believed(now_us, *running)))


def believed(journal: Journal) -> Believed | None:
    """The date last believed, or None in a new house."""
    saved = CALENDAR.of(journal)
    return Believed(*msgspec.json.decode(saved, type=tuple[int, str, int, int, int])) if saved else None


def as_text(date: Believed) -> str:
    """The text of a believed date for the setting CALENDAR."""
    return msgspec.json.encode(astuple(date)).decode()
