"""The colours of a table's own dice or pieces: which there are, and what the options of a game may say."""

from collections.abc import Collection, Sequence

from companion.errors import IllegalEvent
from companion.words import _


def check_colours(chosen: Sequence[str], players: int, choices: Collection[str]) -> None:
    """Raises IllegalEvent unless each of the first `players` colours is a known one and no two are the same."""
    colours = chosen[:players]
    if len(colours) < players:
        raise IllegalEvent(_("There are {players} players. Choose a colour for each.", players=players))
    for number, colour in enumerate(colours, start=1):
        if colour not in choices:
            raise IllegalEvent(
                _("The program doesn't know the colour {colour}. Choose one of those shown.", colour=colour)
            )
        first = colours.index(colour) + 1
        if first < number:
            raise IllegalEvent(
                _(
                    "Colours {first} and {number} are both {colour}. Choose another colour for one of them.",
                    first=first,
                    number=number,
                    colour=_(colour),
                )
            )
