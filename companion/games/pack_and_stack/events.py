"""The events of Pack & Stack."""

from dataclasses import dataclass
from enum import StrEnum
from typing import get_args

from companion.games.pack_and_stack.loads import Box, Counts
from companion.games.rulings import Ruling
from companion.words import N_


class Reward(StrEnum):
    """The reward cards, one of each (PS-08)."""

    NEW_ORDER = "New Order"
    REPLACING = "Replacing a Truck"
    VOUCHER = "Voucher"


REWARD_NAMES = (N_("New Order"), N_("Replacing a Truck"), N_("Voucher"))  # shown as `_(reward)`


@dataclass(frozen=True)
class StarterNamed:
    """The table named the youngest as the first starting player (PS-11)."""

    starter: str


@dataclass(frozen=True)
class Rolled:
    """A player rolled the five dice and took as many boxes of each size, size 1 first (PS-20, PS-21)."""

    player: str
    dice: Counts


@dataclass(frozen=True)
class CardShown:
    """A truck was turned up in front of a player (PS-31); a table may enter this before anybody takes one."""

    player: str
    card: int


@dataclass(frozen=True)
class Taken:
    """A player took a truck that lay in front of `owner`, None for the top card of the draw pile (PS-32)."""

    player: str
    card: int
    owner: str | None = None


@dataclass(frozen=True)
class Loaded:
    """A player finished loading; `unloaded` boxes of each size, size 1 first, stay beside the truck (PS-45).

    boxes       the place of each loaded box, if the table enters it; otherwise empty
    """

    player: str
    unloaded: Counts
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True)
class RoundClosed:
    """The table saw the losses, and boxes and trucks were put away (PS-13)."""


@dataclass(frozen=True)
class RewardDrawn:
    """The only player without loss drew a reward card (PS-61)."""

    player: str
    reward: Reward


@dataclass(frozen=True)
class OrderRenewed:
    """A player discarded New Order and rolled all dice again (PS-62)."""

    player: str
    dice: Counts


@dataclass(frozen=True)
class TruckReplaced:
    """A player discarded Replacing a Truck and drew `card` instead of the truck taken (PS-63)."""

    player: str
    card: int


@dataclass(frozen=True)
class VoucherUsed:
    """A player discarded Voucher: boxes left over cost half in this round (PS-64)."""

    player: str


Event = (
    StarterNamed
    | Rolled
    | CardShown
    | Taken
    | Loaded
    | RoundClosed
    | RewardDrawn
    | OrderRenewed
    | TruckReplaced
    | VoucherUsed
    | Ruling
)
EVENTS: tuple[type[Event], ...] = get_args(Event)
