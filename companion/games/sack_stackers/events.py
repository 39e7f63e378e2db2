"""The events of Sack Stackers."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, get_args

from companion.games.resting import Rested, Returned
from companion.games.rulings import Ruling


@dataclass(frozen=True)
class Rolled:
    """Both dice were rolled, once for all players (SS-10)."""

    throw: ClassVar = True
    dice: tuple[int, int]


@dataclass(frozen=True)
class Mark:
    """A circle was marked: `step` +1 or −1 on die 1 or 2 (SS-20)."""

    die: int
    step: int


class When(StrEnum):
    """The moment at which coal falls: before or after the gift (SS-33)."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True)
class Coal:
    """One coal dropped into a column (SS-31)."""

    column: int
    when: When = When.AFTER


@dataclass(frozen=True)
class Placed:
    """A player marked the box `box` of `section` and dropped `gift` into `column` (SS-11, SS-12).

    gift_die    1 or 2: the die that names the section; the other names the column (SS-13)
    box         the gift's type, or "?" for the wild box (SS-15)
    """

    player: str
    gift_die: int
    section: int
    box: str
    gift: str
    column: int
    marks: tuple[Mark, ...] = ()
    coal: tuple[Coal, ...] = ()


@dataclass(frozen=True)
class Unplaced:
    """A player placed no gift and took a coal instead (SS-32, SS-24), besides any for circles."""

    player: str
    marks: tuple[Mark, ...] = ()
    coal: tuple[Coal, ...] = ()


@dataclass(frozen=True)
class YoungestNamed:
    """The table named the youngest of the players tied for the win; several share it (SS-51)."""

    players: tuple[str, ...]


Event = Rolled | Placed | Unplaced | YoungestNamed | Rested | Returned | Ruling
EVENTS: tuple[type[Event], ...] = get_args(Event)
