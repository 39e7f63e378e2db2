"""How High Roll looks on a tablet, and what dice and lights mean to it."""

from companion.games.high_roll import rules
from companion.games.high_roll.rules import Event, Options, PipsRolled, State

from companion.game.box import BoxLook, Light, Phase
from companion.game.dice import D6, Thrown
from companion.game.options import AS_PRINTED, Preset
from companion.game.players import Viewer
from companion.game.readings import DiceReading, Reading
from companion.game.seeing import Proposed
from companion.game.widgets import Choice, Headline, ScoreLine, ScoreTable, Standings, Tap, Widget
from companion.games import rulings
from companion.games.rulings import Ruling
from companion.games.scores import best_first, score_lines
from companion.words import N_, _, listed

PRESETS = (
    AS_PRINTED,
    Preset("quick", N_("Quick"), N_("To ten points."), {"target": 10}),
    Preset("tournament", N_("Tournament"), N_("As printed, locked, with a referee."), locked=True),
)


def view(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """Who is to roll, the six numbers to tap, everybody's points."""
    explained = {player: rules.explain(state, player) for player in state.players}
    lines: tuple[ScoreLine, ...] = score_lines(explained, viewer, rules.winners(state), rules.awaiting(state))
    if rules.is_over(state):
        names = listed(line.name for line in lines if line.winner)
        return (Standings(_("Highest roller: {names}", names=names), best_first(lines)),)
    (player,) = rules.awaiting(state)
    taps = tuple(Tap(str(value), event=PipsRolled(player, value)) for value in range(1, 7))
    return (
        Headline(_("{name} rolls.", name=viewer.name(player))),
        Choice(_("What does the die show?"), taps, faces=True),
        ScoreTable(_("Points"), lines),
    )


def describe(_state: State, event: Event, viewer: Viewer) -> str:
    """One sentence for the history."""
    if isinstance(event, Ruling):
        return rulings.described(event, viewer.name(event.player))
    return _("{name} rolled {value}.", name=viewer.name(event.player), value=event.value)


def propose(state: State, reading: Reading) -> Proposed[Event] | None:
    """One die that lies there is the roll of whoever is to roll."""
    if not isinstance(reading, DiceReading) or len(reading.dice) != 1 or reading.unread:
        return None
    for player in rules.awaiting(state):
        return Proposed(PipsRolled(player, reading.dice[0].value), ("value",))
    return None


def thrown(event: Event, _options: Options) -> tuple[Thrown, ...]:
    """The die of a roll."""
    return (Thrown(N_("Die"), D6, event.value),) if isinstance(event, PipsRolled) else ()


def look(state: State, _now_us: int) -> BoxLook:
    """The light of whoever is to roll blinks."""
    waiting = rules.awaiting(state)
    lights = tuple(Light.SLOW if player in waiting else Light.OFF for player in state.players)
    return BoxLook(Phase.WAITING if waiting else Phase.OVER, lights)
