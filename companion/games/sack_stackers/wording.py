"""Sentences for the history about events of Sack Stackers."""

from companion.game.players import Viewer
from companion.games import resting, rulings
from companion.games.resting import Rested, Returned
from companion.games.rulings import Ruling
from companion.games.sack_stackers.events import Coal, Event, Mark, Placed, Rolled, Unplaced, YoungestNamed
from companion.games.sack_stackers.options import UNNAMED, WILD
from companion.games.sack_stackers.state import State
from companion.words import _, _n, listed


def describe(state: State, event: Event, viewer: Viewer) -> str:
    """A sentence for the history."""
    match event:
        case Rolled((first, second)):
            return _("Rolled {first} and {second}.", first=first, second=second)
        case Placed(player, marks=marks, coal=coal):
            return _with_extras(_placed_words(state, event, viewer.name(player)), marks, coal)
        case Unplaced(player, marks, coal):
            return _with_extras(_("{name} placed no gift", name=viewer.name(player)), marks, coal)
        case YoungestNamed(players) if len(players) > 1:
            return _(
                "Nobody knows who is the youngest. {names} share the win.", names=listed(map(viewer.name, players))
            )
        case YoungestNamed(players):
            return _("{names} won the tie as the youngest.", names=listed(map(viewer.name, players)))
        case Rested(player) | Returned(player):
            return resting.described(event, viewer.name(player))
        case Ruling(player):
            return rulings.described(event, viewer.name(player))
    raise TypeError(event)


def gift_words(state: State, gift: str) -> str:
    """The type of a gift, with the name of its wrapping if the table gave it one (SS-03)."""
    named = {shape: wrapping for wrapping, shape in state.options.pattern_map if wrapping not in UNNAMED}
    return f"{gift} ({_(named[gift])})" if gift in named else gift


def _placed_words(state: State, event: Placed, name: str) -> str:
    values = {"name": name, "gift": gift_words(state, event.gift), "section": event.section, "column": event.column}
    if event.box == WILD:
        return _("{name} took the {gift} gift from section {section} (wild box) into column {column}", **values)
    return _("{name} took the {gift} gift from section {section} into column {column}", **values)


def _with_extras(sentence: str, marks: tuple[Mark, ...], coal: tuple[Coal, ...]) -> str:
    """The sentence, with the circles and the columns of the coal."""
    columns = listed(str(piece.column) for piece in coal)
    extras = (
        _n("{n} circle", "{n} circles", len(marks)) if marks else "",
        _("coal into column {columns}", columns=columns) if coal else "",
    )
    return f"{', '.join(filter(None, (sentence, *extras)))}."
