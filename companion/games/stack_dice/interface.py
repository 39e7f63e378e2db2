"""The presets of Stack, its dice (for the statistics, and drawn for tables without any), its buttons and lights."""

from collections.abc import Callable, Mapping

from companion.game.box import BoxLook, Device, Light, Phase, Signal
from companion.game.dice import D6, Throw, Thrown
from companion.game.options import AS_PRINTED, Preset
from companion.game.players import Viewer
from companion.games.stack_dice import events
from companion.games.stack_dice.events import Event
from companion.games.stack_dice.options import Options
from companion.games.stack_dice.stacks import DICE, unstacked
from companion.games.stack_dice.state import Stage, State, awaiting, colour, stage, yet_to_drop, yet_to_roll
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
        case events.StartRolled(rolls):
            values = tuple(face for _, face in rolls)
        case events.Dropped(_, values):
            pass
        case events.AllDropped(dice):
            values = tuple(face for _, hand in dice for face in hand)
        case events.Rolled(value=value) | events.PenaltyRolled(value=value) | events.RolledWrong(value=value):
            values = (value,)
        case _:
            return ()
    return tuple(Thrown(N_("die"), D6, value) for value in values)


def throw(state: State, viewer: Viewer) -> Throw[Event] | None:
    """The start roll (ST-10), the drop (ST-20), the turn's die (ST-36) or the penalty roll (ST-50).

    A player's own page throws that player's dice, the page of the whole table those of all who have to throw.
    """
    match stage(state):
        case Stage.START_ROLL:
            return start_roll(tuple(filter(acting(viewer), yet_to_roll(state))))
        case Stage.DROP:
            return drop(tuple(filter(acting(viewer), yet_to_drop(state))))
        case Stage.TURNS if state.accident:
            culprit = state.accident.player
            return (
                Throw((D6,), lambda dice: events.PenaltyRolled(culprit, dice[0])) if acting(viewer)(culprit) else None
            )
        case Stage.TURNS if not state.decision and state.turn and acting(viewer)(state.turn):
            return turn(state, viewer, state.turn)
    return None


def acting(viewer: Viewer) -> Callable[[str], bool]:
    """Whether this page acts for a player: it is the player's own, or that of the whole table."""
    return lambda player: viewer.player in (None, player)


def start_roll(players: tuple[str, ...]) -> Throw[Event] | None:
    if not players:
        return None
    return Throw((D6,) * len(players), lambda dice: events.StartRolled(tuple(zip(players, dice, strict=True))))


def drop(players: tuple[str, ...]) -> Throw[Event] | None:
    if not players:
        return None

    def dropped(dice: tuple[int, ...]) -> Event:
        hands = (dice[number * DICE : (number + 1) * DICE] for number in range(len(players)))
        return events.AllDropped(tuple(zip(players, hands, strict=True)))

    return Throw((D6,) * (DICE * len(players)), dropped)


def turn(state: State, viewer: Viewer, player: str) -> Throw[Event] | None:
    """The roll of the die in hand, or of the one chosen on this page; None once it is rolled."""
    if state.hand and state.hand.was is not None:
        return None
    die = state.hand.die if state.hand else viewer.draft.get("die", "")
    if die not in unstacked(state.layout, player):
        return None
    return Throw((D6,), lambda dice: events.Rolled(player, die, dice[0]))


def bind(state: State, signal: Signal) -> Event | None:
    """The event of the confirm button: it counts a finished round. No button makes a move."""
    confirms = signal.device is Device.CONFIRM and signal.pressed and stage(state) is Stage.COUNT
    return events.RoundCounted() if confirms else None


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
