"""The date by which tickets and pictures grow old: while the table runs, the kernel's uptime carries it on.

A wall clock that jumps meanwhile is being set, right or wrong; no time has passed. So whatever was made since the table
was started moves along when the date does, and keeps its age. Without a clock chip the wall clock may have been behind
for several starts: all that was made since it was last sure moves along.

A wall clock may be set wrong for a moment, decades ahead or back; older tickets and pictures deleted by it would not
come back. So a wall clock far from the date is believed only once the table has run with it for some hours, as after
months in a cupboard.
"""

from uuid import uuid4

import msgspec

from companion.clock import boot_id, is_wall_sure, uptime_us, wall_us
from companion.foreign import read_json
from companion.journal.settings import CALENDAR
from companion.journal.store import Journal

HOUR_US = 3_600_000_000
STEP_US = 60_000_000  # A clock that is set by less changes no age that matters.
JUMP_US = 8 * 24 * HOUR_US  # A smaller jump is believed at once: a table may be on once a week; no ticket lasts less.
SAVED_EVERY_US = HOUR_US  # More often would only wear the card while the clock is believed.
DOUBT_US = 3 * HOUR_US  # With less, a clock that is wrong for one evening deletes; with more, pictures stay longer.
THIS_RUN = uuid4().hex  # It is in place of a boot's id where the system has none.


class Believed(msgspec.Struct, frozen=True, array_like=True):
    """A date that was believed at some moment, all in microseconds.

    doubt_us    how long the table has run while its wall clock was far from that date, 0 while it is near
    since_us    what is dated from here on moves along with the date
    sure        whether the wall clock was near and sure
    """

    wall_us: int
    boot_id: str
    uptime_us: int
    doubt_us: int = 0
    since_us: int = 0
    sure: bool = True

    def is_of_this_boot(self) -> bool:
        """Whether the kernel has run ever since. Earlier checkouts left out its sleep; they wrote a since_us of 0."""
        return self.since_us != 0 and self.boot_id == boot_here()

    def ran_us(self) -> int:
        """The time the table has run since, as far as is known."""
        return uptime_us() - self.uptime_us if self.is_of_this_boot() else 0

    def carried_us(self) -> int:
        """The believed date, carried on by the time the table has run since.

        Unrecorded time before a reboot is rounded up, so that nothing new is dated before anything old.
        """
        return self.wall_us + (self.ran_us() if self.is_of_this_boot() else 2 * SAVED_EVERY_US)

    def date_us(self) -> int:
        """The date now: after a reboot the wall clock's, if it is near."""
        carried_us, now_us = self.carried_us(), wall_us()
        return carried_us if self.is_of_this_boot() or abs(now_us - carried_us) > JUMP_US else now_us


def date_us(journal: Journal) -> int:
    """The date now, in microseconds since 1970."""
    last = believed(journal)
    return wall_us() if last is None else last.date_us()


def save_date(journal: Journal) -> None:
    """Saves the believed date, and sets it by the wall clock. To be called at the start, and every few minutes."""
    last, now_us, is_sure, running = believed(journal), wall_us(), is_wall_sure(), (boot_here(), uptime_us())
    if last is None:  # A first date is better than none, even if it may be wrong.
        _put(journal, Believed(now_us, *running, 0, now_us, is_sure))
        return
    moved_us = now_us - last.carried_us()
    since_us = last.since_us if last.is_of_this_boot() or not last.sure else last.date_us()
    if abs(moved_us) > JUMP_US:
        # A laptop that is asleep isn't seen to run with its clock.
        doubt_us = last.doubt_us + min(last.ran_us(), SAVED_EVERY_US) if last.doubt_us else 1
        if doubt_us < DOUBT_US or not is_sure:
            _put(journal, Believed(last.carried_us(), *running, doubt_us, since_us, sure=False))
            return
    elif not last.is_of_this_boot() or abs(moved_us) <= STEP_US:
        is_old = not last.is_of_this_boot() or last.ran_us() >= SAVED_EVERY_US
        if is_old or last.doubt_us or last.sure != is_sure:
            _put(journal, Believed(now_us, *running, 0, since_us, is_sure))
        return
    with journal.changing() as db:
        moved = (moved_us, min(since_us, now_us))  # Nothing is left in the future, whenever it was made.
        db.execute(
            "UPDATE tickets SET created_wall_us = created_wall_us + ?1, expires_wall_us = expires_wall_us + ?1"
            " WHERE created_wall_us >= ?2",
            moved,
        )
        db.execute("UPDATE pictures SET taken_wall_us = taken_wall_us + ?1 WHERE taken_wall_us >= ?2", moved)
        CALENDAR.insert(db, as_text(Believed(now_us, *running, 0, since_us + moved_us, is_sure)))


def boot_here() -> str:
    """The id of this boot of the kernel, or of this run of the program."""
    return boot_id() or THIS_RUN


def believed(journal: Journal) -> Believed | None:
    """The date last believed, or None in a new house."""
    saved = CALENDAR.of(journal)
    return read_json(saved, Believed) if saved else None


def as_text(date: Believed) -> str:
    """The text of a believed date for the setting CALENDAR."""
    return msgspec.json.encode(date).decode()


def _put(journal: Journal, date: Believed) -> None:
    CALENDAR.put(journal, as_text(date))
