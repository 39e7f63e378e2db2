"""Events of every game: traits of their classes, the parts of the table they change, events that the clock brings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, TypeVar

from companion.game.players import PlayerId
from companion.words import N_

EventT_co = TypeVar("EventT_co", covariant=True)

NOW_US = -1  # An event with this at_us happens when it arrives; the table puts its time there.

DRAWN = N_("drawn by the program")
SOURCES = (N_("tablet"), N_("camera"), N_("button"), N_("clock"), DRAWN)


@dataclass(frozen=True)
class Due(Generic[EventT_co]):
    """An event that the clock brings: `event` happens at table time `at_us` unless something else happens first."""

    at_us: int
    event: EventT_co


@dataclass(frozen=True)
class Move:
    """An event of one player on a board that all share, so the shared part of the table changes too."""

    whole_table: ClassVar = True
    player: PlayerId


@dataclass(frozen=True)
class Ask:
    """A legal event that still needs a number: `field` of event `kind`, from `low` to `high`."""

    kind: str
    field: str
    low: int
    high: int
    prompt: str


SEALED = re.compile(r"sha256:[0-9a-f]{64}")  # It stands for a typed text whose words are not here.

TABLE = "table"  # This part belongs to all players.
CONCERNS, PART, WHOLE_TABLE, BESIDE_PLAY, GLANCE = "concerns", "part", "whole_table", "beside_play", "glance"
TYPED, THROW = "typed", "throw"
TRAITS: Mapping[str, str] = {
    CONCERNS: "The players whose parts of the table it changes, if not those of `player` alone.",
    PART: "Name of the part it changes, if that belongs to no player and no other event relies on it.",
    WHOLE_TABLE: "True: it changes the shared part too, since the players share one board.",
    BESIDE_PLAY: "True: it changes only points, nothing that a camera may have seen.",
    GLANCE: "True: the camera at table height looks at once.",
    TYPED: "Name of the field that somebody types: the chain has only a digest of its text.",
    THROW: "True: it says what dice on the table show; as long as they lie there unmoved they are no later throw.",
}


def check_traits(event: type[Any]) -> None:
    """Raises TypeError for a class attribute that is not a trait: a misspelled trait would have no effect."""
    field_names = {field.name for field in fields(event)}
    for name in dir(event):
        if name.startswith("_") or (name in field_names and name not in TRAITS):
            continue
        if name not in TRAITS:
            raise TypeError(
                f"{event.__name__} says {name!r}, which is no trait of an event: take one of {set(TRAITS)}."
            )
        if name == CONCERNS:
            continue
        is_trait = isinstance(getattr(event, name), str) if name in (PART, TYPED) else getattr(event, name) is True
        if name in field_names or not is_trait:
            wanted = '"its name"' if name in (PART, TYPED) else "True"
            raise TypeError(
                f"{event.__name__} says {name!r} otherwise than as a trait: write {name}: ClassVar = {wanted}."
            )


def seats(event: object) -> frozenset[PlayerId]:
    """The players an event belongs to; empty for an event of the whole table."""
    player = getattr(event, "player", None)
    return frozenset(getattr(event, CONCERNS, () if player is None else (player,)))


def affects(event: object) -> frozenset[str]:
    """The parts that an event changes: its player's, one that belongs to no player, or the shared part.

    They tell a stale tap from an independent one.
    """
    parts = seats(event) or frozenset({getattr(type(event), PART, TABLE)})
    return parts | {TABLE} if getattr(type(event), WHOLE_TABLE, False) else parts


def relies_on(event: object) -> frozenset[str]:
    """The parts that must not have changed since an event was prepared: those that it changes, and the shared part."""
    return affects(event) | {TABLE}


def is_beside_play(event: object) -> bool:
    """Whether an event changes only points, nothing that a camera may have seen."""
    return bool(getattr(type(event), BESIDE_PLAY, False))


def wants_glance(event: object) -> bool:
    """Whether the camera at table height looks at once because of an event."""
    return bool(getattr(type(event), GLANCE, False))


def is_throw(event: object) -> bool:
    """Whether an event says what dice on the table show."""
    return bool(getattr(type(event), THROW, False))


def typed_field(event: object) -> str:
    """The name of the event's field that somebody typed, or ""."""
    return str(getattr(type(event), TYPED, ""))


def is_sealed(text: str) -> bool:
    """Whether a typed text is only the digest of one: its words were deleted, or never came here."""
    return SEALED.fullmatch(text) is not None
