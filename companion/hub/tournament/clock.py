"""The clock of a round: it begins when the round is seated, or when the staff begin it anew."""

from collections.abc import Sequence
from dataclasses import dataclass

from companion.hub.tournament.entry import Entry
from companion.hub.tournament.events import RoundPaired, Timed
from companion.hub.tournament.state import taken_back

MINUTE_US = 60_000_000


@dataclass(frozen=True)
class RoundClock:
    """The clock of the newest round.

    seated_us   when the round was seated
    zero_us     when it shows zero, 0 for a round without an end
    """

    seated_us: int
    zero_us: int


def clock_of(entries: Sequence[Entry], minutes: int) -> RoundClock:
    """The clock after these entries, which have a round; `minutes` a round has unless the staff say otherwise."""
    gone = taken_back([entry.event for entry in entries])
    seated_us = since_us = left = 0
    for entry in entries:
        if entry.seq in gone:
            continue
        if isinstance(entry.event, RoundPaired):
            seated_us, since_us, left = entry.wall_us, entry.wall_us, minutes
        elif isinstance(entry.event, Timed):
            since_us, left = entry.wall_us, entry.event.minutes
    return RoundClock(seated_us, since_us + left * MINUTE_US if left else 0)
