"""The events of the turn clock. `at_us` is the stamp of each, in microseconds of table time (TC-02)."""

from dataclasses import dataclass
from typing import ClassVar, get_args

from companion.games.rulings import Ruling


@dataclass(frozen=True)
class AtTable:
    """Something that the whole table did, or the clock."""

    at_us: int


@dataclass(frozen=True)
class OfPlayer:
    """Something that is about one player."""

    player: str
    at_us: int


class Started(AtTable):
    """Somebody started the clock, or the next round (TC-10, TC-28)."""


class Passed(OfPlayer):
    """A player pressed: the turn passes on (TC-11)."""


class TurnGiven(OfPlayer):
    """The table gave the turn to a player out of the order (TC-42)."""

    whole_table: ClassVar = True


class Skipped(AtTable):
    """The turn was skipped (TC-41)."""


class Reversed(AtTable):
    """The order turned round (TC-40)."""


class DroppedOut(OfPlayer):
    """A player dropped out (TC-43)."""

    whole_table: ClassVar = True


class CameBack(OfPlayer):
    """A player who dropped out came back (TC-44)."""

    whole_table: ClassVar = True


class Paused(AtTable):
    """Somebody paused all clocks (TC-50)."""


class Resumed(AtTable):
    """Somebody let the clocks go on (TC-51)."""


@dataclass(frozen=True)
class Corrected(OfPlayer):
    """The table gave a player's clock seconds, or took some (TC-52)."""

    seconds: int


class TimeRanOut(OfPlayer):
    """A player's time was up (TC-30, TC-31)."""


class RoundRang(AtTable):
    """The buzzer ended the round for all (TC-27)."""


class Won(OfPlayer):
    """The table said who has won (TC-60)."""

    whole_table: ClassVar = True


class Drawn(AtTable):
    """The table said that it is over, and that nobody has won alone (TC-60)."""


Table = Started | Skipped | Reversed | Paused | Resumed | RoundRang | Drawn
Personal = Passed | TurnGiven | DroppedOut | CameBack | Corrected | TimeRanOut | Won
Timed = Table | Personal
Event = Timed | Ruling
EVENTS: tuple[type[Event], ...] = get_args(Event)
