"""The presets of Stack, its dice for the statistics, and the meaning of its buttons and lights."""

from collections.abc import Mapping

from companion.game.box import BoxLook, Device, Light, Phase, Signal
from companion.game.dice import D6, Thrown
from companion.game.options import AS_PRINTED, Preset
from companion.games.stack_dice.events import (
    AllDropped,
    Dropped,
    Event,
    PenaltyRolled,
    Rolled,
    RolledWrong,
    RoundCounted,
    StartRolled,
)
from companion.games.stack_dice.options import Options
from companion.games.stack_dice.state import Stage, State, awaiting, colour, stage
from companion.words import N_

PRESETS = (
    AS_PRINTED,
    Preset("quick", N_("Quick"), N_("Two or three rounds. The first past 50 wins."), {"target": 50}),
    Preset(
        "tournament", N_("Tournament"), N_("The official rules. No house rules, and nobody can change them."), {}, True
    ),
)


def thrown(event: Event, _options: Options) -> tuple[Thrown, ...]:
    """Every die that was rolled or dropped; the one that knocked over a stack has no known face."""
    match event:
        case StartRolled(rolls):
            values = tuple(face for _, face in rolls)
        case Dropped(_, values):
            pass
        case AllDropped(dice):
            values = tuple(face for _, hand in dice for face in hand)
        case Rolled(value=value) | PenaltyRolled(value=value) | RolledWrong(value=value):
            values = (value,)
        case _:
            return ()
    return tuple(Thrown(N_("die"), D6, value) for value in values)


def bind(state: State, signal: Signal) -> Event | None:
    """The event of the confirm button: it counts a finished round. No button makes a move."""
    confirms = signal.device is Device.CONFIRM and signal.pressed and stage(state) is Stage.COUNT
    return RoundCounted() if confirms else None


def colours(state: State) -> Mapping[str, str]:
    """The colour of each player's dice."""
    return {player: colour(state, player) for player in state.players}


def look(state: State, now_us: int) -> BoxLook:
    """The box's appearance: the light of a player who has to act blinks, and last turns have a phase of their own."""
    waiting = awaiting(state)
    lights = tuple(Light.SLOW if player in waiting else Light.OFF for player in state.players)
    match stage(state):
        case Stage.OVER:
            return BoxLook(Phase.OVER, lights)
        case Stage.COUNT:
            return BoxLook(Phase.FINISHED, lights)
        case Stage.TURNS if state.last_turns:
            return BoxLook(Phase.LAST_TURN, lights)
    return BoxLook(Phase.WAITING, lights)
