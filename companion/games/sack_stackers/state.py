"""The state of a game of Sack Stackers."""

from collections.abc import Mapping
from dataclasses import dataclass

from companion.errors import IllegalEvent
from companion.games.rulings import Ruling
from companion.games.sack_stackers.options import COLUMNS, ROWS, Options
from companion.words import _


@dataclass(frozen=True)
class Sheet:
    """One player's sheet: the sack's columns from the bottom up, the marked boxes, the number of marked circles."""

    sack: tuple[str, ...] = ("",) * COLUMNS
    boxes: frozenset[tuple[int, str]] = frozenset()
    circles: int = 0

    @property
    def full(self) -> bool:
        """Whether the sack has no empty square."""
        return all(len(column) >= ROWS for column in self.sack)


@dataclass(frozen=True)
class State:
    """The state of a game.

    dice        None while the next roll is awaited
    done        the players who finished this turn
    resting     the players who left for a while: no turn waits for them, and each they miss leaves their sheet alone
    youngest    the players named as youngest of `tied`, who were tied then (SS-51)
    """

    options: Options
    players: tuple[str, ...]
    sheets: Mapping[str, Sheet]
    turn: int = 1
    dice: tuple[int, int] | None = None
    done: frozenset[str] = frozenset()
    ended: bool = False
    youngest: tuple[str, ...] = ()
    tied: tuple[str, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    resting: frozenset[str] = frozenset()


def awaiting(state: State) -> frozenset[str]:
    """The players who have not finished the turn and do not rest; empty while the dice are to be rolled."""
    if state.ended or state.dice is None:
        return frozenset()
    return frozenset(state.players) - state.done - state.resting


def rolled_dice(state: State) -> tuple[int, int]:
    """The roll of this turn; raises IllegalEvent before it."""
    if state.dice is None:
        raise IllegalEvent(_("The dice haven't been rolled. Roll both first."))
    return state.dice
