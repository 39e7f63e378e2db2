"""The dice that are to be thrown in Stack, for tables that have none at hand."""

from collections.abc import Callable

from companion.game.dice import D6, Throw
from companion.game.players import Viewer
from companion.games.stack_dice.events import AllDropped, Event, PenaltyRolled, Rolled, StartRolled
from companion.games.stack_dice.stacks import DICE, DieId, unstacked
from companion.games.stack_dice.state import Stage, State, stage, yet_to_drop, yet_to_roll


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
            return penalty_roll(state.accident.player) if acting(viewer)(state.accident.player) else None
        case Stage.TURNS if not state.decision and state.turn and acting(viewer)(state.turn):
            return turn(state, viewer, state.turn)
    return None


def acting(viewer: Viewer) -> Callable[[str], bool]:
    """Whether this page acts for a player: it is the player's own, or that of the whole table."""
    return lambda player: viewer.player in (None, player)


def start_roll(players: tuple[str, ...]) -> Throw[Event] | None:
    if not players:
        return None
    return Throw((D6,) * len(players), lambda dice: StartRolled(tuple(zip(players, dice, strict=True))))


def drop(players: tuple[str, ...]) -> Throw[Event] | None:
    if not players:
        return None

    def dropped(dice: tuple[int, ...]) -> Event:
        hands = (dice[number * DICE : (number + 1) * DICE] for number in range(len(players)))
        return AllDropped(tuple(zip(players, hands, strict=True)))

    return Throw((D6,) * (DICE * len(players)), dropped)


def turn(state: State, viewer: Viewer, player: str) -> Throw[Event] | None:
    """The roll of the die in hand, or of the one chosen on this page; None once it is rolled."""
    if state.hand:
        return roll(player, state.hand.die) if state.hand.was is None else None
    chosen = viewer.draft.get("die", "")
    return roll(player, chosen) if chosen in unstacked(state.layout, player) else None


def roll(player: str, die: DieId) -> Throw[Event]:
    return Throw((D6,), lambda dice: Rolled(player, die, dice[0]))


def penalty_roll(player: str) -> Throw[Event]:
    return Throw((D6,), lambda dice: PenaltyRolled(player, dice[0]))
