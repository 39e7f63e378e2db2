"""What Sack Stackers gives the table besides its rules: pages, words, and what dice and lights mean."""

from companion.game.contract import D6, BoxLook, Light, Phase, Preset, Signal, Thrown
from companion.games.sack_stackers import rules
from companion.games.sack_stackers.camera import propose
from companion.games.sack_stackers.entry import drafted
from companion.games.sack_stackers.pages import view
from companion.games.sack_stackers.rules import Rolled, State
from companion.games.sack_stackers.telling import describe
from companion.words import N_

__all__ = ["PRESETS", "bind", "describe", "drafted", "look", "propose", "thrown", "view"]

PRESETS = (
    Preset(
        "quick",
        N_("Quick"),
        N_("Fewer choices a turn: no die is altered beyond 1 to 6, and groups may share gifts."),
        {"altered_range": rules.Range.STRICT, "overlap": rules.Overlap.SHARED},
    ),
    Preset("tournament", N_("Tournament"), N_("As printed, locked, with a referee."), locked=True),
)


def thrown(event: rules.Event, _options: rules.Options) -> tuple[Thrown, ...]:
    """The two dice of a roll."""
    if not isinstance(event, Rolled):
        return ()
    names = (N_("First die"), N_("Second die"))
    return tuple(Thrown(name, D6, value) for name, value in zip(names, event.dice, strict=True))


def bind(state: State, signal: Signal) -> rules.Event | None:
    """Sack Stackers has no buttons: a move needs the sheet."""
    return None


def look(state: State, now_us: int) -> BoxLook:
    """A seat's light blinks while its player still has to place."""
    waiting = rules.awaiting(state)
    lights = tuple(Light.SLOW if player in waiting else Light.OFF for player in state.players)
    if rules.is_over(state):
        return BoxLook(Phase.OVER, lights)
    last = any(sheet.full for sheet in state.sheets.values())
    return BoxLook(Phase.LAST_TURN if last else Phase.WAITING, lights)
