"""The presets of Pack & Stack, its score sheet, its dice for the statistics, and its buttons and lights."""

from companion.game.box import BoxLook, Device, Light, Phase, Signal
from companion.game.dice import Thrown
from companion.game.options import AS_PRINTED, Preset
from companion.game.sheets import ScoreSheet
from companion.games.pack_and_stack import rewards
from companion.games.pack_and_stack.events import Event, OrderRenewed, Rolled, RoundClosed
from companion.games.pack_and_stack.loads import SIZES
from companion.games.pack_and_stack.options import START_POINTS, Options
from companion.games.pack_and_stack.rounds import awaiting
from companion.games.pack_and_stack.scoring import BONUS
from companion.games.pack_and_stack.state import State, Step, step
from companion.words import N_

PRESETS = (
    AS_PRINTED,
    Preset(
        "quick", N_("Quick"), N_("Everyone starts with 40 points, so about half as many rounds."), {"start_points": 40}
    ),
    Preset("tournament", N_("Tournament"), N_("As printed, and nobody can change the rules."), {}, locked=True),
)
SHEET = ScoreSheet(
    (
        "Loss: 1 for each empty space, twice its size for each box left over.",
        f"Smallest loss of the round: + {BONUS}. It ends when somebody has 0 or less.",
    ),
    f"Start {START_POINTS}",
    rounds=16,
)
SIZE_NAMES = (N_("size 1"), N_("size 2"), N_("size 3"), N_("size 4"), N_("size 5"))


def thrown(event: Event, chosen: Options) -> tuple[Thrown, ...]:
    """The five dice of a roll, with the faces of this table's dice."""
    if not isinstance(event, Rolled | OrderRenewed):
        return ()
    return tuple(
        Thrown(SIZE_NAMES[size - 1], faces, value)
        for size, faces, value in zip(SIZES, chosen.dice_faces, event.dice, strict=True)
        if value in faces  # A ruled roll may show values that these dice do not have.
    )


def bind(state: State, signal: Signal) -> Event | None:
    """The event of the confirm button: it closes a scored round. Other events need a number."""
    if signal.pressed and signal.device is Device.CONFIRM and step(state) is Step.SCORING:
        return RoundClosed() if rewards.reward_due(state) is None else None
    return None


def look(state: State, now_us: int) -> BoxLook:
    """The box's appearance: a seat's light blinks while its player has to act, fast while trucks are grabbed."""
    now, waiting = step(state), awaiting(state)
    blink = Light.FAST if now is Step.TAKING else Light.SLOW
    lights = tuple(blink if player in waiting else Light.OFF for player in state.players)
    if now is Step.OVER:
        return BoxLook(Phase.OVER, lights)
    return BoxLook(Phase.FINISHED if now is Step.SCORING else Phase.WAITING, lights)
