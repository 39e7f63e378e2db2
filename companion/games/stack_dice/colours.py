"""The colours of the seats in Stack (ST-01, ST-04), and what a die is called by them."""

from companion.games.stack_dice import stacks
from companion.games.stack_dice.stacks import DieId
from companion.games.stack_dice.state import State
from companion.words import N_, _

# ST-01: one colour for each seat, those of the box first; the names are those that the dice reader gives
SEAT_COLOURS = ("red", "blue", "green", "purple", "yellow", "orange", "white", "black")

NUMBERED = {
    "red": N_("red {face}"),
    "blue": N_("blue {face}"),
    "green": N_("green {face}"),
    "purple": N_("purple {face}"),
    "yellow": N_("yellow {face}"),
    "orange": N_("orange {face}"),
    "white": N_("white {face}"),
    "black": N_("black {face}"),
}


def colour(state: State, player: str) -> str:
    """The colour of a player's dice, the same in every round (ST-04)."""
    return SEAT_COLOURS[state.players.index(player)]


def die_name(state: State, die: DieId, face: int | None = None) -> str:
    """What a die is called: "red 5"; by its colour alone where what it shows is not known."""
    owner = stacks.owner(die)
    shown = face or state.layout.faces.get(die)
    if owner not in state.players:
        return _("unknown die")
    body = colour(state, owner)
    return numbered(body, shown) if shown else _("{colour} die", colour=_(body))


def numbered(body: str, face: int) -> str:
    """A die by colour and number: "red 5"."""
    return _(NUMBERED[body], face=face)
