"""The events of Sandpile Panic."""

from dataclasses import dataclass
from typing import get_args

from companion.game.events import Move
from companion.games.rulings import Ruling
from companion.games.sandpile_panic.board import Side


@dataclass(frozen=True)
class Placed(Move):
    """A player put one piece on a space (SP-20, SP-21), an own one or the pink one (SP-51)."""

    at: str
    pink: bool = False


@dataclass(frozen=True)
class Toppled(Move):
    """A player toppled a pile; the bottom piece of the block went to side `start`, the rest clockwise (SP-32)."""

    at: str
    start: Side


@dataclass(frozen=True)
class Topple:
    """One topple of several: the pile's space, and the side to which the bottom piece of its block went."""

    at: str
    start: Side


@dataclass(frozen=True)
class ToppledRest(Move):
    """A player toppled pile after pile until none was ready."""

    topples: tuple[Topple, ...]


@dataclass(frozen=True)
class Turned(Move):
    """A player's whole turn at once: a placed piece, then every topple in order."""

    at: str
    pink: bool = False
    topples: tuple[Topple, ...] = ()


@dataclass(frozen=True)
class TakenOver(Move):
    """Player two took over the opening placement: white from now on, and player one is black (SP-12)."""


@dataclass(frozen=True)
class Left(Move):
    """Player two left the opening placement to white (SP-12)."""


Event = Placed | Toppled | ToppledRest | Turned | TakenOver | Left | Ruling
EVENTS: tuple[type[Event], ...] = get_args(Event)
