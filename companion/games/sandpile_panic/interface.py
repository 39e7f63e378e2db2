"""What Sandpile Panic gives the table besides its rules: pages, words, and what lights mean."""

from collections.abc import Mapping

from companion.game.box import BoxLook, Light, Phase, Signal
from companion.game.options import AS_PRINTED, Preset
from companion.games.sandpile_panic import rules
from companion.games.sandpile_panic.islands import Scoring
from companion.games.sandpile_panic.rules import Stage, State
from companion.words import N_

PRESETS = (
    AS_PRINTED,
    Preset(
        "quick", N_("Quick"), N_("The smallest board, 4×4: over within minutes, for two or three."), {"board_size": 4}
    ),
    Preset(
        "tournament",
        N_("Tournament"),
        N_("Landgrab scoring, which ranks everybody; the options stay as they are."),
        {"scoring": Scoring.LANDGRAB},
        locked=True,
    ),
)


def colours(state: State) -> Mapping[str, str]:
    """The colour of each player's pieces."""
    return {player: rules.colour_name(state, player) for player in state.players}


def bind(state: State, signal: Signal) -> rules.Event | None:
    """Sandpile Panic has no buttons: a move needs the board."""
    return None


def look(state: State, now_us: int) -> BoxLook:
    """The light of the one who is to move blinks, fast while piles must topple; a spilled piece is the last turn."""
    waiting, stage = rules.awaiting(state), rules.stage(state)
    busy = Light.FAST if stage is Stage.TOPPLING else Light.SLOW
    lights = tuple(busy if player in waiting else Light.OFF for player in state.players)
    if stage is Stage.OVER:
        return BoxLook(Phase.OVER, lights)
    return BoxLook(Phase.LAST_TURN if state.spilled else Phase.WAITING, lights)
