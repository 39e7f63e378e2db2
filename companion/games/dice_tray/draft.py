"""What is chosen on a page of the tray and not yet posted.

The fields of a draft are `dice` (what was tapped so far: "6,5-red"), `colour` (of the next die that is tapped) and
`keep` (the places of dice that were tapped: a second tap takes it back).
"""

from collections import Counter
from collections.abc import Mapping

from companion.game.dice import D6
from companion.game.players import Viewer
from companion.games.dice_tray.lying import COLOURS, NO_COLOUR, Die, Stayed
from companion.games.dice_tray.options import MOST_DICE
from companion.games.dice_tray.rules import Event, Rolled, RolledAgain, State, is_over

FACES = tuple(map(str, D6))


def may_roll(state: State, viewer: Viewer) -> bool:
    """Whether this page enters the roll: that of the player, or of the whole table."""
    return not viewer.looks_on and not is_over(state) and viewer.player in (None, state.turn)


def kept(state: State, viewer: Viewer) -> tuple[Stayed, ...]:
    """The dice that are kept, by their places."""
    taps = Counter(viewer.draft.get("keep", "").split(","))
    places = () if state.fresh else enumerate(state.dice, start=1)
    return tuple(Stayed(place, die.colour) for place, die in places if taps[str(place)] % 2)


def colour(viewer: Viewer) -> str:
    """The colour of the next die that is tapped."""
    name = viewer.draft.get("colour", "")
    return name if name in COLOURS else NO_COLOUR


def word(value: int, of_colour: str) -> str:
    """A die as the draft has it."""
    return f"{value}-{of_colour}" if of_colour else str(value)


def dice(viewer: Viewer, most: int | None) -> tuple[Die, ...]:
    """The dice tapped so far, up to `most`."""
    parts = (each.partition("-") for each in viewer.draft.get("dice", "").split(","))
    found = [Die(int(face), name if name in COLOURS else NO_COLOUR) for face, _dash, name in parts if face in FACES]
    return tuple(found[: MOST_DICE if most is None else most])


def drafted(_state: State, event: Event) -> Mapping[str, str]:
    """The draft that would post this event; a correction begins with it."""
    if not isinstance(event, Rolled | RolledAgain):
        return {}
    places = ",".join(str(each.place) for each in event.kept) if isinstance(event, Rolled) else ""
    return {"dice": ",".join(word(die.value, die.colour) for die in event.dice), **({"keep": places} if places else {})}
