"""SWAPSTAX for the table, besides its rules: pages, words, and what cameras, buttons and lights mean."""

from companion.equipment import deck
from companion.game.box import BoxLook, Device, Light, Phase, Signal
from companion.game.options import AS_PRINTED, Preset
from companion.games.maxstax import board
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
        N_("The printed cards with one to four stars: no stack of more than nine blocks."),
        {"deck_subset": deck.cards_with_stars((1, 2, 3, 4))},
    ),
    TOURNAMENT,
)


def bind(state: State, signal: Signal) -> Passed | TimerEvent | RoundClosed | None:
    """Before the stacking the button of whose turn it is to swap passes; then as in every round."""
    if rules.is_over(state) or not state.order or drawing(state) is not None:
        return None
    swapper = swapping(state)
    if swapper is None:
        return board.bind(state.current, state.players, signal)
    pressed = signal.pressed and signal.device is Device.SEAT and board.seated(state.players, signal) == swapper
    return Passed(swapper) if pressed else None


def look(state: State, now_us: int) -> BoxLook:
    """Who draws, swaps or passes blinks; then as in every round."""
    if rules.is_over(state):
        return BoxLook(Phase.OVER, (Light.OFF,) * len(state.players))
    if not state.order or drawing(state) is not None or swapping(state) is not None:
        waiting = awaiting(state)
        return BoxLook(Phase.WAITING, tuple(Light.SLOW if player in waiting else Light.OFF for player in state.players))
    return board.look(state.current, state.players, now_us)
