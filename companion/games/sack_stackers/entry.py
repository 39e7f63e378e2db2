"""The draft of a player of Sack Stackers: a roll or a move that is not confirmed yet.

Its fields are `first` and `second` (the dice), `marks` (die and step of each circle: "1 -1,2 1"), `box`
("section:box"), `gift` (for the wild box) and `coal` ("before 3,after 5").
"""

from collections.abc import Mapping
from dataclasses import dataclass

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
    """

    marks: tuple[Mark, ...] = ()
    box: tuple[int, str] | None = None
    gift: str | None = None
    coal: tuple[Coal, ...] = ()

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
    coal = []
    for piece in filter(None, fields.get("coal", "").split(",")):
        when, _, column = piece.partition(" ")
        number = _whole(column, 1, COLUMNS)
        if number and when in set(When):
            coal.append(Coal(number, When(when)))
    return Draft(
        tuple(marks),
        (chosen, box) if chosen and box in BOXES else None,
        gift if gift in TYPES else None,
        tuple(coal),
    )


def _whole(text: str, low: int, high: int) -> int | None:
    try:
        number = int(text)
    except ValueError:
        return None
    return number if low <= number <= high else None


def marks_text(marks: tuple[Mark, ...]) -> str:
    """The draft's text for circles, every single one, since those without a net effect count too (SS-25)."""
    return ",".join(f"{circle.die} {circle.step}" for circle in marks)


def coal_text(coal: tuple[Coal, ...]) -> str:
    """The draft's text for coal."""
    return ",".join(f"{piece.when} {piece.column}" for piece in coal)


def drafted(_state: State, event: Event) -> Mapping[str, str]:
    """The draft that would post this event; a correction begins with it."""
    match event:
        case Rolled((first, second)):
            return {"first": str(first), "second": str(second)}
        case Placed(section=section, box=box, gift=gift):
            return {**_marks_and_coal(event), "box": f"{section}:{box}", "gift": gift if box == WILD else ""}
        case Unplaced():
            return _marks_and_coal(event)
    return {}


def _marks_and_coal(event: Placed | Unplaced) -> dict[str, str]:
    return {"marks": marks_text(event.marks), "coal": coal_text(event.coal)}


def throw(state: State, _viewer: Viewer) -> Throw[Event] | None:
    """Both dice while they are to be rolled, once for all players (SS-10)."""
    if state.ended or state.dice is not None:
        return None
    return Throw((D6, D6), lambda dice: Rolled((dice[0], dice[1])))


def roll_entry(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The page while the dice are to be rolled; without a camera, players tap the faces.

    The tap on the other die enters the roll; a correction, where both are known, has a tap of its own for it.
    """
    first, second = (_whole(viewer.draft.get(key, ""), 1, 6) for key in ("first", "second"))

    def tap(key: str, face: int) -> Tap[Event]:
        if key == "second" and first and not second:
            return Tap(str(face), event=Rolled((first, face)))
        if key == "first" and second and not first:
            return Tap(str(face), event=Rolled((face, second)))
        return Tap(str(face), draft={key: str(face)}, chosen=face == (first if key == "first" else second))

    entry: tuple[Choice[Event], ...] = tuple(
        Choice(prompt, tuple(tap(key, face) for face in range(1, 7)), faces=True)
        for key, prompt in (("first", _("First die")), ("second", _("Second die")))
    )
    detail = _("Turn {turn}. Everyone uses the same roll.", turn=state.turn)
    page: tuple[Widget[Event], ...] = (Headline(_("Roll both dice"), detail, Tone.PRIMARY), *entry)
    if not first or not second:  # The tap is there already, so that nothing moves under a finger.
        missing = _("Tap what you rolled first.")
        return (*page, Choice("", (Tap(_("Enter the roll"), tone=Tone.PRIMARY, refused=missing),)))
    label = _("We rolled {first} and {second}", first=first, second=second)
    return (*page, Choice("", (Tap(label, event=Rolled((first, second)), tone=Tone.PRIMARY),)))
