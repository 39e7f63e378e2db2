"""The table's demands on every game's events: what their classes say beside the fields, who brought them, and when."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar

from companion.game.players import PlayerId
from companion.words import N_

EventT_co = TypeVar("EventT_co", covariant=True)  # an event of one game

NOW_US = -1  # in an event's at_us: "when this arrives"; the table puts its time there

SOURCES = (N_("tablet"), N_("camera"), N_("button"), N_("clock"))


@dataclass(frozen=True)
class Due(Generic[EventT_co]):
    """An event that the clock brings: `event` happens at table time `at_us` unless something comes first."""

    at_us: int
    event: EventT_co


@dataclass(frozen=True)
class Ask:
    """A legal event that still needs a number: `field` of event `kind`, from `low` to `high`."""

    kind: str
    field: str
    low: int
    high: int
    prompt: str


TABLE = "table"  # the part of the table that is nobody's own
CONCERNS, PART, WHOLE_TABLE, BESIDE_PLAY, GLANCE = "concerns", "part", "whole_table", "beside_play", "glance"
TRAITS: Mapping[str, str] = {
    CONCERNS: "The players whose part of the table it changes, where it is not the one `player`'s.",
    PART: "Name of what it changes, where that is nobody's and nothing else on the table relies on it.",
    WHOLE_TABLE: "True: it changes the table's part as well, since the players share one board.",
    BESIDE_PLAY: "True: it changes points alone, and nothing that a camera may have seen.",
    GLANCE: "True: the camera at table height shall look at this very moment.",
}


def check_traits(event: type[Any]) -> None:
    """Raises TypeError where an event's class says what nobody asks for: a misspelled trait would say nothing."""
    of_dataclasses = {field.name for field in fields(event)}
    for name in dir(event):
        if name.startswith("_") or (name in of_dataclasses and name not in TRAITS):
            continue
        if name not in TRAITS:
            raise TypeError(
                f"{event.__name__} says {name!r}, which is no trait of an event: take one of {set(TRAITS)}."
            )
        if name == CONCERNS:
            continue
        is_trait = isinstance(getattr(event, name), str) if name == PART else getattr(event, name) is True
        if name in of_dataclasses or not is_trait:
            wanted = '"its name"' if name == PART else "True"
            raise TypeError(
                f"{event.__name__} says {name!r} otherwise than as a trait: write {name}: ClassVar = {wanted}."
            )


def seats(event: object) -> frozenset[PlayerId]:
    """The players whose event it is, none for one of the whole table."""
    player = getattr(event, "player", None)
    return frozenset(getattr(event, CONCERNS, () if player is None else (player,)))


def affects(event: object) -> frozenset[str]:
    """The parts an event changes, to tell a stale tap from an independent one: its player's part, a part that is
    nobody's, or the whole table."""
    parts = seats(event) or frozenset({getattr(type(event), PART, TABLE)})
    return parts | {TABLE} if getattr(type(event), WHOLE_TABLE, False) else parts


def relies_on(event: object) -> frozenset[str]:
    """The parts that must not have changed since an event was prepared: the table's part and its own player's."""
    return affects(event) | {TABLE}


def is_beside_play(event: object) -> bool:
    """Whether an event changes points alone, and nothing that a camera may have seen."""
    return bool(getattr(type(event), BESIDE_PLAY, False))


def wants_glance(event: object) -> bool:
    """Whether the camera at table height shall look at this very moment."""
    return bool(getattr(type(event), GLANCE, False))
