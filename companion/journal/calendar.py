"""The date by which tickets and pictures grow old: the wall clock's, unless that has just leapt.

A wall clock may be set wrong for a moment, decades ahead or back; what was shown out or deleted by it would not come
back. So the journal remembers a date that was believed, which the kernel's monotonic clock carries on. A wall clock far
from there is believed only once the table has run for some hours with it: after months in a cupboard, say.
"""

from dataclasses import astuple, dataclass

import msgspec

from companion.clock import boot_id, is_wall_sure, monotonic_us, wall_us
from companion.journal.settings import CALENDAR
from companion.journal.store import Journal

HOUR_US = 3_600_000_000
LEAP_US = 8 * 24 * HOUR_US  # believed at once: a table that is switched on each week; less than any ticket's lifetime
KEPT_EACH_US = HOUR_US  # while nothing is in doubt: more often would only wear the card
DOUBT_US = 3 * HOUR_US  # less, and a clock that is wrong for an evening deletes; more, and pictures stay longer


@dataclass(frozen=True)
class Believed:
    """A date that was believed at some moment, all in microseconds.

    doubt_us    for how long the table has run while its wall clock was far from there
    since_us    the date on which that began
    """

    wall_us: int
    boot_id: str
    monotonic_us: int
    doubt_us: int = 0
    since_us: int = 0

    def carried_us(self) -> int:
        """The date now, as far as the table was running since; what it ran unrecorded before a reboot is rounded up, so
        that nothing that comes now passes for older than what came then.
        """
        return self.wall_us + (self.ran_us() if self.boot_id == boot_id() else 2 * KEPT_EACH_US)

    def ran_us(self) -> int:
        """For how long the table has run since, as far as is known."""
        return monotonic_us() - self.monotonic_us if self.boot_id == boot_id() else 0


def date_us(journal: Journal) -> int:
    """The date now, in microseconds since 1970."""
    last, now_us = believed(journal), wall_us()
    if last is None or abs(now_us - last.carried_us()) <= LEAP_US:
        return now_us
    return last.carried_us()


def look_at_the_date(journal: Journal) -> None:
    """Remembers what is believed; to be called every few minutes while the table runs."""
    last, now_us, running = believed(journal), wall_us(), (boot_id(), monotonic_us())
    if last is None or abs(now_us - last.carried_us()) <= LEAP_US:
        is_old = last is None or last.since_us or last.boot_id != running[0] or last.ran_us() >= KEPT_EACH_US
        if is_old and is_wall_sure():
            CALENDAR.put(journal, written(Believed(now_us, *running)))
        return
    carried_us = last.carried_us()
    doubt_us = last.doubt_us + last.ran_us() if last.since_us else 0
    doubted = Believed(carried_us, *running, doubt_us, last.since_us or carried_us)
    if doubt_us < DOUBT_US or not is_wall_sure():
        CALENDAR.put(journal, written(doubted))
        return
    with journal.changing() as db:  # what came while it was in doubt is as new as it was
        moved = (now_us - carried_us, doubted.since_us)
        db.execute(
            "UPDATE tickets SET created_wall_us = created_wall_us + ?1, expires_wall_us = expires_wall_us + ?1"
            " WHERE created_wall_us >= ?2",
            moved,
        )
        db.execute("UPDATE pictures SET taken_wall_us = taken_wall_us + ?1 WHERE taken_wall_us >= ?2", moved)
        CALENDAR.insert(db, written(Believed(now_us, *running)))


def believed(journal: Journal) -> Believed | None:
    """What was believed last, None in a new house."""
    kept = CALENDAR.of(journal)
    return Believed(*msgspec.json.decode(kept, type=tuple[int, str, int, int, int])) if kept else None


def written(date: Believed) -> str:
    """As the setting keeps it."""
    return msgspec.json.encode(astuple(date)).decode()
