"""Readings that a game asks the cameras for, and their meaning to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic

from companion.game.events import EventT_co
from companion.game.readings.kinds import Kind


@dataclass(frozen=True)
class Eyes:
    """The readings that a game wants now, each time the table comes to rest.

    above   by the camera above the table
    front   by the camera at table height; it is also asked at once when an event says `glance = True`
    knows   what the game knows of the table, in the fields of a scene file: how many spaces its board has, say
    """

    above: Kind | None = Kind.DICE
    front: Kind | None = None
    knows: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Proposed(Generic[EventT_co]):
    """The meaning of a reading to a game.

    event       the event as read
    paths       for each die of the reading, then each unread box, the dotted path of its value in the event ("dice.0"),
                "" for one that is no part of it; of other readings none
    confirm     True: a person must tap even when the camera is sure (the roll came early, say)
    instead     what it might be as well, likeliest first: what to call it, and the event
    which       True: `event` is no likelier than those, so a bare yes, such as the box's Confirm, is no answer
    lasting     True: what it says no later look can undo (a stack that fell has fallen, though it stands again)
    goes_on     True: the look shows more than this; once this is entered, it is looked at again
    patience_s  of a question that the camera is sure of: seconds after which it counts by itself where the house wants
                that of this kind of reading, unless somebody taps or the table changes; 0: it always waits for a tap
    of_before   True: it is about how the table lay at the last look; that picture is shown beside the new one
    """

    event: EventT_co
    paths: tuple[str, ...] = ()
    confirm: bool = False
    note: str = ""
    instead: tuple[tuple[str, EventT_co], ...] = ()
    which: bool = False
    lasting: bool = False
    of_before: bool = False
    goes_on: bool = False
    patience_s: int = 0


@dataclass(frozen=True)
class Remark:
    """One sentence for the players about a reading that is no event now: what is wrong, then what to do.

    source      who brought it, one of SOURCES
    """

    text: str
    source: str = "camera"
