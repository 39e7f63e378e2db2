"""What may happen in a timed round of any MaxStax game: seen, slapped or said at the table."""

from dataclasses import dataclass
from typing import ClassVar

from companion.game.events import NOW_US


@dataclass(frozen=True)
class Readied:
    """A player's blocks lie ready (MX-12)."""

    player: str


@dataclass(frozen=True)
class Started:
    """Shuffler or Creator set off the countdown (MX-12); COUNTDOWN_US later all begin with the timer (MX-13).

    The camera looks whether the stack stands that the others are to copy (SAM-06).
    """

    glance: ClassVar = True
    at_us: int


@dataclass(frozen=True)
class FalseStarted:
    """A player pressed before the go. It counts for nothing, but is said and kept (MX-13)."""

    player: str
    at_us: int


@dataclass(frozen=True)
class Shouted:
    """A player slapped the button: "MAX STAX" (MX-21). The camera at table height looks at the stack at once."""

    glance: ClassVar = True
    player: str
    at_us: int


@dataclass(frozen=True)
class ShoutRejected:
    """The stack was not exact when its player shouted; the player goes on (MX-23)."""

    player: str
    at_us: int = NOW_US  # not known in games that were played before it was kept


@dataclass(frozen=True)
class Witnessed:
    """The picture of a shout was looked at, and the stack stands and matches (MX-20): the table agrees, or nobody
    objected to the camera."""

    player: str


@dataclass(frozen=True)
class Collapsed:
    """A stack fell by its builder's hand before the shout (MX-22)."""

    player: str


@dataclass(frozen=True)
class Bumped:
    """Somebody else or the table made a player's stack fall (MX-24)."""

    player: str


@dataclass(frozen=True)
class Paused:
    """The round stands still, by agreement (MX-17)."""

    at_us: int


@dataclass(frozen=True)
class Resumed:
    """The round goes on with the time that was left (MX-17)."""

    at_us: int


@dataclass(frozen=True)
class TimeRanOut:
    """The stacking time is over (MX-10). The camera looks at the stacks: where no shout is needed they count now."""

    glance: ClassVar = True
    at_us: int


@dataclass(frozen=True)
class Judged:
    """The table looked at a stack once the time was up: it stands and matches, or not (without `shout_required`)."""

    player: str
    complete: bool


@dataclass(frozen=True)
class RoundClosed:
    """The table has looked at the stacks and agrees; the blocks are laid out again."""


TimerEvent = (
    Readied
    | Started
    | FalseStarted
    | Shouted
    | ShoutRejected
    | Witnessed
    | Collapsed
    | Bumped
    | Paused
    | Resumed
    | TimeRanOut
)
