"""How to play High Roll, for newcomers."""

from companion.games.high_roll.rules import Event, Options

from companion.game.how_to import HowTo, Topic
from companion.game.widgets import DiceRow, Face
from companion.words import _


def how_to(options: Options) -> HowTo:
    """How to play High Roll."""
    return HowTo(
        goal=Topic((_("Be the first with {target} points.", target=options.target),), (die(6),)),  # HR-03
        turn=Topic((_("Roll the die. Then it is the next player's turn."),), (die(4),)),  # HR-01
        scoring=Topic((_("Each pip is a point, but a one brings nothing."),), (die(1),)),  # HR-02
        set_up=(_("Lay one die on the table."),),
        end=(_("Whoever first has enough points wins."),),  # HR-03
    )


def die(value: int) -> DiceRow[Event]:
    """A die that shows a value."""
    return DiceRow(_("The die"), (Face(value),))
