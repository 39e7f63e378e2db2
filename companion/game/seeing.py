"""A game's requests to the cameras (`Eyes`), and its answers to readings (`Proposed`, `Remark`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic

from companion.game.events import EventT_co
from companion.game.readings.kinds import Kind


@dataclass(frozen=True)
class Eyes:
    """The readings that a game wants each time the table comes to rest.

    above   by the camera above the table
    front   by the camera at table height; an event with `glance = True` also makes it look at once
    judges  whether something that the front shows waits for a verdict, and nobody is in a hurry: a photo taken by hand
            will do
    knows   facts that the game knows about the table, in the fields of a scene file: the spaces of its board, say
    """

    above: Kind | None = Kind.DICE
    front: Kind | None = None
    judges: bool = False
    knows: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Proposed(Generic[EventT_co]):
    """The event that a reading means to a game.

    event       the event as read
    paths       the dotted path in the event ("dice.0") of the value of each die of the reading, then of each unread
                box, "" for a die that is no part of the event; empty for other readings
    confirm     True: a person must confirm it even when the camera is sure (the roll came early, say)
    instead     (label, event) of each alternative, likeliest first
    which       True: `event` is no likelier than the alternatives, so a bare yes (the box's Confirm) is no answer
    lasting     True: no later look can undo it (a stack that fell has fallen, even if it stands again)
    goes_on     True: the look shows more than this event; once it is entered, the same look is judged again
    patience_s  seconds after which a question that the camera is sure of counts by itself, if the house wants that
                for this kind of reading, nobody taps and the table does not change; 0: it always waits for a tap
    agree       the event in words short enough for a button; "" for those of the history
    of_before   True: it is about the table at the last look; that picture is shown beside the new one
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
    agree: str = field(default="", compare=False)  # Words change nothing that is meant.


@dataclass(frozen=True)
class Remark:
    """A sentence for the players about a reading that leads to no event: what is wrong, then what to do.

    source      where it came from, one of SOURCES
    """

    text: str
    source: str = "camera"
