"""The events of a timed round in any MaxStax game."""

from dataclasses import dataclass
from typing import ClassVar

from companion.game.events import NOW_US


@dataclass(frozen=True)
class Readied:
    """A player's blocks lie ready (MX-12)."""

    player: str


@dataclass(frozen=True)
class Started:
    """The Shuffler or Creator started the countdown (MX-12); COUNTDOWN_US later all begin with the timer (MX-13).

    The camera checks that the stack to be copied stands (SAM-06).

    everyone    the table says with it that all are ready: one tap on the tablet that all share
    """

    glance: ClassVar = True
    at_us: int
    everyone: bool = False


@dataclass(frozen=True)
class FalseStarted:
    """A player pressed before the go: announced and recorded, without further effect (MX-13)."""

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
    at_us: int = NOW_US  # Older games did not record it.


@dataclass(frozen=True)
class Witnessed:
    """The stack in a shout's picture stands and matches (MX-20): the table agreed, or nobody objected to the camera."""

    player: str


@dataclass(frozen=True)
class Collapsed:
    """A builder's own stack fell before the shout (MX-22)."""

    player: str


@dataclass(frozen=True)
class Bumped:
    """Somebody else or the table made a player's stack fall (MX-24)."""

    player: str


@dataclass(frozen=True)
class GaveUp:
    """A player builds no further in this round: their stack is not complete, and the others go on (MX-14)."""

    player: str
    at_us: int


@dataclass(frozen=True)
class Paused:
    """The players agreed on a pause (MX-17)."""

    at_us: int


@dataclass(frozen=True)
class Resumed:
    """The round went on with the time that was left (MX-17)."""

    at_us: int


@dataclass(frozen=True)
class TimeRanOut:
    """The stacking time ended (MX-10). The camera looks at the stacks, which count now if no shout is required."""

    glance: ClassVar = True
    at_us: int


@dataclass(frozen=True)
class Judged:
    """The table judged whether a stack stands and matches when the time was up (without `shout_required`)."""

    player: str
    complete: bool


@dataclass(frozen=True)
class RoundClosed:
    """The table looked at the stacks and agreed; the blocks are laid out again."""


TimerEvent = (
    Readied
    | Started
    | FalseStarted
    | Shouted
    | ShoutRejected
    | Witnessed
    | Collapsed
    | Bumped
    | GaveUp
    | Paused
    | Resumed
    | TimeRanOut
)
