"""Sentences for the history about events of Stack."""

from collections.abc import Mapping

from companion.game.players import Viewer
from companion.games import rulings
from companion.games.rulings import Ruling
from companion.games.stack_dice import events, stacks
from companion.games.stack_dice.events import Event
from companion.games.stack_dice.options import OutOfTurn
from companion.games.stack_dice.stacks import DieId
from companion.games.stack_dice.state import State, colour, round_number
from companion.words import N_, _, joined, listed


def _start_words(state: State, rolls: Mapping[str, int], viewer: Viewer) -> str:
    """Who starts, or who rolls again (ST-10, ST-11)."""
    rolled = {**state.rolls, **rolls}
    if len(rolled) < len(state.contenders):
        words = joined(f"{viewer.name(player)} {face}" for player, face in rolls.items())
        return _("Rolled for the start: {rolls}.", rolls=words)
    best = max(rolled.values(), key=stacks.worth)
    highest = [player for player, face in rolled.items() if face == best]
    if len(highest) > 1:
        return _("{names} roll again: {face} each.", names=listed(map(viewer.name, highest)), face=best)
    others = listed(str(face) for player, face in rolled.items() if player not in highest)
    return _("{name} starts ({face} beats {others}).", name=viewer.name(highest[0]), face=best, others=others)


def describe(state: State, event: Event, viewer: Viewer) -> str:
    """A sentence for the history."""
    match event:
        case events.StartRolled(rolls):
            return _start_words(state, dict(rolls), viewer)
        case events.Dropped(player, values):
            return _("{name} dropped the dice: {faces}.", name=viewer.name(player), faces=_drop_words(values))
        case events.AllDropped(dice):
            drops = "; ".join(f"{viewer.name(player)} {_drop_words(values)}" for player, values in dice)
            return _("Dice dropped: {drops}.", drops=drops)
        case events.PickedUp(player, die):
            return _("{name} took the {die} to roll it.", name=viewer.name(player), die=die_name(state, die))
        case events.Stacked():
            return _stacked(state, event, viewer)
        case events.Rolled(player, die, value):
            name = viewer.name(player)
            return _("{name} rolled the {die}: {value}.", name=name, die=die_name(state, die), value=value)
        case events.KnockedOver():
            return _knocked_over(event, viewer)
        case events.PenaltyRolled(player, value):
            return _("{name} rolled {value} for the penalty.", name=viewer.name(player), value=value)
        case events.PickedUpWrong(player, die):
            name, body = viewer.name(player), die_name(state, die)
            return _("{name} picked up the {die} by mistake and lost the turn.", name=name, die=body)
        case events.RolledWrong(player, die, value):
            name, body = viewer.name(player), die_name(state, die)
            return _("{name} rolled the {die} by mistake: {value}. The turn is lost.", name=name, die=body, value=value)
        case events.NumberChosen(player, value):
            return _("{name} chose: the die shows {value}.", name=viewer.name(player), value=value)
        case events.PlayedOutOfTurn():
            return _played_out_of_turn(state, event, viewer)
        case events.FellOffTable(player):
            return _("A die of {name} fell off the table.", name=viewer.name(player))
        case events.Swore(player):
            return _("{name} swore.", name=viewer.name(player))
        case events.Penalised(player, penalty):
            return _("Penalty for {name}: {why}.", name=viewer.name(player), why=penalty.strip().rstrip("."))
        case events.RoundCounted():
            return _("Round {round_number} counted.", round_number=round_number(state))
        case Ruling(player):
            return rulings.described(event, viewer.name(player))
    raise TypeError(event)


def _drop_words(values: tuple[int, ...]) -> str:
    return " ".join(map(str, sorted(values)))


def _stacked(state: State, event: events.Stacked, viewer: Viewer) -> str:
    under = stacks.stack_under(state.layout, event.onto)
    name, put, below = viewer.name(event.player), die_name(state, event.die), die_name(state, event.onto)
    if under is None or len(under) == 1:
        return _("{name} put the {die} on the {below}.", name=name, die=put, below=below)
    return _(
        "{name} put the {die} on a stack of {height}, {below} on top.",
        name=name,
        die=put,
        height=len(under),
        below=below,
    )


def _knocked_over(event: events.KnockedOver, viewer: Viewer) -> str:
    name = viewer.name(event.player)
    if event.rebuilt:
        return _("{name}'s rolled die knocked over a stack; the stacks were rebuilt.", name=name)
    return _("{name}'s rolled die knocked over a stack; they could not be rebuilt.", name=name)


def _played_out_of_turn(state: State, event: events.PlayedOutOfTurn, viewer: Viewer) -> str:
    name = viewer.name(event.player)
    if state.options.lost_turn_out_of_turn is OutOfTurn.WARNING:
        return _("{name} played out of turn and was warned.", name=name)
    return _("{name} played out of turn and loses the next.", name=name)


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


def die_name(state: State, die: DieId, face: int | None = None) -> str:
    """The name of a die: "red 5", or its colour alone when the face is unknown."""
    owner = stacks.owner(die)
    number = face or state.layout.faces.get(die)
    if owner not in state.players:
        return _("unknown die")
    body = colour(state, owner)
    return numbered(body, number) if number else _("{colour} die", colour=_(body))


def numbered(body: str, face: int) -> str:
    """A die's colour and number: "red 5"."""
    return _(NUMBERED[body], face=face)
