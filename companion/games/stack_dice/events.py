"""The events of Stack, with the ids of the rule sheet (ST-…)."""

from dataclasses import dataclass
from typing import ClassVar, get_args

from companion.game.events import Move
from companion.games.rulings import Ruling
from companion.games.stack_dice.stacks import DieId


@dataclass(frozen=True)
class StartRolled:
    """Players rolled a die each for the start (ST-10): (player, face)."""

    throw: ClassVar = True
    rolls: tuple[tuple[str, int], ...]

    @property
    def concerns(self) -> tuple[str, ...]:
        """The players who rolled; others may enter their rolls meanwhile."""
        return tuple(player for player, _value in self.rolls)


@dataclass(frozen=True)
class Dropped:
    """A player's dice lie on the table (ST-20), in any order."""

    throw: ClassVar = True
    player: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class AllDropped:
    """Several players' dice lie on the table, as a camera sees them: (player, faces in any order)."""

    throw: ClassVar = True
    dice: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def concerns(self) -> tuple[str, ...]:
        return tuple(player for player, _values in self.dice)


@dataclass(frozen=True)
class PickedUp(Move):
    """A player picked up an own unstacked die; it must be stacked or rolled (ST-34)."""

    die: DieId


@dataclass(frozen=True)
class Stacked(Move):
    """A player put an own unstacked die on `onto`, a rival's die on top (ST-31)."""

    die: DieId
    onto: DieId


@dataclass(frozen=True)
class Rolled(Move):
    """A player rolled an own unstacked die instead of stacking at once (ST-36)."""

    throw: ClassVar = True
    die: DieId
    value: int


@dataclass(frozen=True)
class KnockedOver(Move):
    """A player's rolled die knocked over one or more stacks; `rebuilt` says whether all could be set up again (ST-50).

    In either case the game goes on with the stacks as they stood.
    """

    rebuilt: bool


@dataclass(frozen=True)
class PenaltyRolled(Move):
    """The player who knocked stacks over rolled a die for the points it costs (ST-50)."""

    throw: ClassVar = True
    value: int


@dataclass(frozen=True)
class PickedUpWrong(Move):
    """A player picked up a rival's die by mistake, in turn (ST-53)."""

    die: DieId


@dataclass(frozen=True)
class RolledWrong(Move):
    """A player picked up a rival's die by mistake, in turn, and rolled it as well (ST-54)."""

    throw: ClassVar = True
    die: DieId
    value: int


@dataclass(frozen=True)
class NumberChosen(Move):
    """The owner of a die that a rival rolled chose the number it keeps (ST-54)."""

    value: int


@dataclass(frozen=True)
class PlayedOutOfTurn(Move):
    """A player played out of turn; the move is undone on the table (ST-56)."""


@dataclass(frozen=True)
class FellOffTable:
    """A die of a player fell off the table (ST-80)."""

    player: str


@dataclass(frozen=True)
class Swore:
    """A player swore (ST-81)."""

    player: str


@dataclass(frozen=True)
class Penalised:
    """A player incurred one of the table's own penalties (ST-85)."""

    player: str
    name: str


@dataclass(frozen=True)
class RoundCounted:
    """The table looked at the stacks of a finished round and agreed with the points (ST-58)."""


Event = (
    StartRolled
    | Dropped
    | AllDropped
    | PickedUp
    | Stacked
    | Rolled
    | KnockedOver
    | PenaltyRolled
    | PickedUpWrong
    | RolledWrong
    | NumberChosen
    | PlayedOutOfTurn
    | FellOffTable
    | Swore
    | Penalised
    | RoundCounted
    | Ruling
)
EVENTS: tuple[type[Event], ...] = get_args(Event)
