"""The presets of Sack Stackers, its sheet on paper, its dice for the statistics, and its lights."""

from companion.game.box import BoxLook, Light, Phase
from companion.game.dice import D6, Thrown
from companion.game.options import AS_PRINTED, Preset
from companion.game.sheets import BoardSheet
from companion.games.sack_stackers.events import Event, Rolled
from companion.games.sack_stackers.groups import SHAPES
from companion.games.sack_stackers.options import BOXES, CIRCLES, COLUMNS, ROWS, SECTIONS, Options, Overlap, Range
from companion.games.sack_stackers.scoring import CIRCLE_POINTS, COAL_POINTS, GROUP_POINTS, is_over
from companion.games.sack_stackers.state import State, awaiting
from companion.words import N_

PRESETS = (
    AS_PRINTED,
    Preset(
        "quick",
        N_("Quick"),
        N_("Fewer choices each turn: dice stay between 1 and 6, and groups can share gifts."),
        {"altered_range": Range.STRICT, "overlap": Overlap.SHARED},
    ),
    Preset("tournament", N_("Tournament"), N_("As printed, locked, with a referee."), locked=True),
)

SHEET = BoardSheet(
    (
        ("Gifts: cross out the one that you take.", tuple((box,) * SECTIONS for box in BOXES)),
        ("Sack: gifts and coal drop to the lowest free square.", (("",) * COLUMNS,) * ROWS),
    ),
    CIRCLES,
    tuple(SHAPES.items()),
    (f"Groups × {GROUP_POINTS}", f"Coal alone × {COAL_POINTS}", f"Circles left × {CIRCLE_POINTS}", "Points"),
)


def thrown(event: Event, _options: Options) -> tuple[Thrown, ...]:
    """The two dice of a roll, for the statistics."""
    if not isinstance(event, Rolled):
        return ()
    names = (N_("First die"), N_("Second die"))
    return tuple(Thrown(name, D6, value) for name, value in zip(names, event.dice, strict=True))


def look(state: State, now_us: int) -> BoxLook:
    """The box's appearance: a seat's light blinks while its player still has to place."""
    waiting = awaiting(state)
    lights = tuple(Light.SLOW if player in waiting else Light.OFF for player in state.players)
    if is_over(state):
        return BoxLook(Phase.OVER, lights)
    last = any(sheet.full for sheet in state.sheets.values())
    return BoxLook(Phase.LAST_TURN if last else Phase.WAITING, lights)
