"""The entry of a roll of Sack Stackers, and the draft of a player: a move that is not confirmed yet.

The fields of a draft are `marks` (die and step of each circle: "1 -1,2 1"), `box` ("section:box"), `gift` (for the wild
box) and `coal` (moment and column of each piece, and a later moment for one that lies there already, by its number:
"before 3,after 5,#1 after").
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

from companion.game.dice import D6, Throw
from companion.game.players import Viewer
from companion.game.widgets import Choice, Headline, Tap, Tone, Widget
from companion.games.sack_stackers.events import Coal, Event, Mark, Placed, Rolled, Unplaced, When
from companion.games.sack_stackers.groups import TYPES
from companion.games.sack_stackers.options import BOXES, COLUMNS, SECTIONS, WILD
from companion.games.sack_stackers.state import State
from companion.words import _


@dataclass(frozen=True)
class Draft:
    """A move that is not confirmed yet.

    box         (section, box), None until it is chosen
    gift        its type, None until it is chosen
    numbers     the number of each piece of coal among all that were tapped
    """

    marks: tuple[Mark, ...] = ()
    box: tuple[int, str] | None = None
    gift: str | None = None
    coal: tuple[Coal, ...] = ()
    numbers: tuple[int, ...] = ()

    @property
    def changes(self) -> tuple[int, int]:
        """The sum that the circles add to each die."""
        first, second = (sum(mark.step for mark in self.marks if mark.die == die) for die in (1, 2))
        return first, second


def draft_of(fields: Mapping[str, str]) -> Draft:
    """The draft in a viewer's fields; values that cannot be read (an old link) count as not chosen."""
    section, _, box = fields.get("box", "").partition(":")
    chosen = _whole(section, 1, SECTIONS)
    gift = fields.get("gift") if box == WILD else box
    marks = []
    for circle in fields.get("marks", "").split(","):
        die, _, step = circle.partition(" ")
        if die in ("1", "2") and step in ("1", "-1"):
            marks.append(Mark(int(die), int(step)))
    coal: list[Coal] = []
    for piece in filter(None, fields.get("coal", "").split(",")):
        before, _, after = piece.partition(" ")
        number, earlier = _whole(after, 1, COLUMNS), _whole(before.removeprefix("#"), 1, len(coal))
        if number and before in set(When):
            coal.append(Coal(number, When(before)))
        elif earlier and before.startswith("#") and after in set(When):
            coal[earlier - 1] = replace(coal[earlier - 1], when=When(after))
    return Draft(
        tuple(marks),
        (chosen, box) if chosen and box in BOXES else None,
        gift if gift in TYPES else None,
        tuple(coal),
        tuple(range(1, len(coal) + 1)),
    )


def _whole(text: str, low: int, high: int) -> int | None:
    try:
        number = int(text)
    except ValueError:
        return None
    return number if low <= number <= high else None


def mark_text(circle: Mark) -> str:
    """The draft's word for a circle. Every single one counts, also those without a net effect (SS-25)."""
    return f"{circle.die} {circle.step}"


def coal_text(piece: Coal) -> str:
    """The draft's word for a piece of coal."""
    return f"{piece.when} {piece.column}"


def drafted(_state: State, event: Event) -> Mapping[str, str]:
    """The draft that would post this event; a correction begins with it."""
    match event:
        case Placed(section=section, box=box, gift=gift):
            return {**_marks_and_coal(event), "box": f"{section}:{box}", "gift": gift if box == WILD else ""}
        case Unplaced():
            return _marks_and_coal(event)
    return {}


def _marks_and_coal(event: Placed | Unplaced) -> dict[str, str]:
    return {"marks": ",".join(map(mark_text, event.marks)), "coal": ",".join(map(coal_text, event.coal))}


def throw(state: State, _viewer: Viewer) -> Throw[Event] | None:
    """Both dice while they are to be rolled, once for all players (SS-10)."""
    if state.ended or state.dice is not None:
        return None
    return Throw((D6, D6), lambda dice: Rolled((dice[0], dice[1])))


def roll_entry(state: State) -> tuple[Widget[Event], ...]:
    """The page while the dice are to be rolled; without a camera, one tap on a pair of faces enters the roll.

    The dice are alike, so their order says nothing.
    """
    pairs: tuple[Tap[Event], ...] = tuple(
        Tap(f"{first} · {second}", event=Rolled((first, second)))
        for first, second in combinations_with_replacement(D6, 2)
    )
    detail = _("Turn {turn}. Everyone uses the same roll.", turn=state.turn)
    return (
        Headline(_("Roll both dice"), detail, Tone.PRIMARY),
        Choice(_("What do the two dice show?"), pairs, columns=0),
    )
