"""The presets of Sandpile Panic, its colours, and its lights."""

from collections.abc import Mapping

from companion.game.box import BoxLook, Light, Phase
from companion.game.options import AS_PRINTED, Preset
from companion.games.sandpile_panic.board import NAMES
from companion.games.sandpile_panic.islands import Scoring
from companion.games.sandpile_panic.state import Stage, State, awaiting, stage
from companion.words import N_

PRESETS = (
    AS_PRINTED,
    Preset(
        "quick",
        N_("Quick"),
        N_("The smallest board, 4×4. It takes a few minutes, for two or three players."),
        {"board_size": 4},
    ),
    Preset(
        "tournament",
        N_("Tournament"),
        N_("Landgrab scoring, which ranks everyone. Nobody can change the rules."),
        {"scoring": Scoring.LANDGRAB},
        locked=True,
    ),
)


def colours(state: State) -> Mapping[str, str]:
    """The name of each player's colour, as pieces are drawn."""
    return {player: NAMES.get(state.colours[player], state.colours[player]) for player in state.players}


def look(state: State, now_us: int) -> BoxLook:
    """The box's appearance: the current player's light blinks, fast while piles must topple."""
    waiting, now = awaiting(state), stage(state)
    busy = Light.FAST if now is Stage.TOPPLING else Light.SLOW
    lights = tuple(busy if player in waiting else Light.OFF for player in state.players)
    if now is Stage.OVER:
        return BoxLook(Phase.OVER, lights)
    return BoxLook(Phase.LAST_TURN if state.spilled else Phase.WAITING, lights)
