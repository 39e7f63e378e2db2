"""When a game was played: as its table says, as long as that can be; else the hub's first receipt is the witness."""

from enum import StrEnum

import sqlalchemy as sa

from companion.hub.database import LETTERS, TABLES
from companion.letters.envelope import Letter
from companion.words import N_

CLOCK_TOLERANCE_US = 5 * 60 * 1_000_000

FIRST_RECEIPT = sa.select(sa.func.min(LETTERS.c.received_us)).where(LETTERS.c.session == sa.bindparam("of"))
NOT_BEFORE = sa.select(
    TABLES.c.enrolled_us,
    sa.select(sa.func.max(LETTERS.c.made_us))
    .where(LETTERS.c.table_id == sa.bindparam("key"), LETTERS.c.n < sa.bindparam("number"))
    .scalar_subquery()
    .label("made_us"),
).where(TABLES.c.id == sa.bindparam("key"))


class Clock(StrEnum):
    """What the hub thinks of a table's clock, by one letter."""

    BELIEVED = ""
    UNSURE = "unsure"  # The table itself does not believe its clock, or did not when the game began.
    AHEAD = "ahead"  # The letter came before it was made.
    BEFORE_ENROLMENT = "before enrolment"  # The letter was made before the table was enrolled.
    BACKWARDS = "backwards"  # The letter was made before an earlier letter of the same table.


CLOCK_SENTENCES = {
    Clock.UNSURE: N_("Dated by its letter's arrival: the table doesn't trust its own clock."),
    Clock.AHEAD: N_("Dated by its letter's arrival: by the table's clock it came before it was sent."),
    Clock.BEFORE_ENROLMENT: N_("Dated by its letter's arrival: by the table's clock it ended before the enrolment."),
    Clock.BACKWARDS: N_("Dated by its letter's arrival: by the table's clock it ended before an earlier game."),
}


def date_columns(db: sa.Connection, letter: Letter, now_us: int) -> dict[str, int | str]:
    """The columns of a letter that say when: `created_us`, when the game was begun, `made_us` and `clock`."""
    clock = clock_of(db, letter, now_us)
    if clock is Clock.BELIEVED:
        created_us, made_us = letter.chain.stored.created_wall_us, letter.envelope.wall_us
    else:
        first_us = db.execute(FIRST_RECEIPT, {"of": letter.envelope.session}).scalar()
        created_us, made_us = int(first_us or now_us), 0
    return {"created_us": created_us, "made_us": made_us, "clock": clock.value}


def clock_of(db: sa.Connection, letter: Letter, now_us: int) -> Clock:
    """What a letter tells of the table's clock. What came before bounds it: a table makes its letters one by one."""
    envelope, entries = letter.envelope, letter.chain.entries
    if not envelope.wall_sure or not all(entry.wall_sure for entry in entries[:1]):
        return Clock.UNSURE
    if max(letter.chain.stored.created_wall_us, envelope.wall_us) > now_us + CLOCK_TOLERANCE_US:
        return Clock.AHEAD
    bound = db.execute(NOT_BEFORE, {"key": envelope.key, "number": envelope.n}).one()
    if envelope.wall_us < bound.enrolled_us - CLOCK_TOLERANCE_US:
        return Clock.BEFORE_ENROLMENT
    if envelope.wall_us < (bound.made_us or 0) - CLOCK_TOLERANCE_US:
        return Clock.BACKWARDS
    return Clock.BELIEVED
