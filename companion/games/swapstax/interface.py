"""The presets of SWAPSTAX, and the meaning of its buttons and lights."""

from companion.equipment import deck
from companion.game.box import BoxLook, Device, Light, Phase, Signal
from companion.game.options import AS_PRINTED, Preset
from companion.games.maxstax import round_view
from companion.games.maxstax.events import RoundClosed, TimerEvent
from companion.games.maxstax.options import TOURNAMENT
from companion.games.swapstax import rules
from companion.games.swapstax.state import Passed, State, awaiting, drawing, swapping
from companion.words import N_

PRESETS = (
    AS_PRINTED,
    Preset(
        "quick",
        N_("Quick"),
        N_("The printed cards with one to four stars. No stack has more than nine blocks."),
        {"deck_subset": deck.cards_with_stars((1, 2, 3, 4))},
    ),
    TOURNAMENT,
)


def bind(state: State, signal: Signal) -> Passed | TimerEvent | RoundClosed | None:
    """The event of a signal: the button of the player whose turn it is to swap passes; then as in every round."""
    if rules.is_over(state) or not state.order or drawing(state) is not None:
        return None
    swapper = swapping(state)
    if swapper is None:
        return round_view.bind(state.current, state.players, signal)
    pressed = signal.pressed and signal.device is Device.SEAT and round_view.seated(state.players, signal) == swapper
    return Passed(swapper) if pressed else None


def look(state: State, now_us: int) -> BoxLook:
    """The box's appearance: the light of the player who draws or swaps blinks; then as in every round."""
    if rules.is_over(state):
        return BoxLook(Phase.OVER, (Light.OFF,) * len(state.players))
    if not state.order or drawing(state) is not None or swapping(state) is not None:
        waiting = awaiting(state)
        return BoxLook(Phase.WAITING, tuple(Light.SLOW if player in waiting else Light.OFF for player in state.players))
    return round_view.look(state.current, state.players, now_us)
