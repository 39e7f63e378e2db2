"""The button box of a game: what its buttons mean, and how it looks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

from companion.game.box import BoxLook, Light, Phase, Signal
from companion.game.parts.derived import EventT, StateT, derived, nothing
from companion.game.parts.rules import AnyRules


def lit(rules: AnyRules, state: Any) -> BoxLook:
    """The lights of all who may act blink."""
    waiting = rules.awaiting(state)
    lights = tuple(Light.SLOW if player in waiting else Light.OFF for player in rules.score(state))
    return BoxLook(Phase.OVER if rules.is_over(state) else Phase.WAITING, lights)


@dataclass(frozen=True)
class Box(Generic[StateT, EventT]):
    """What a game makes of the button box, each function pure.

    bind    (state, signal) → event, or None when the button means nothing now
    look    (state, now_us) → the box's appearance, else `lit`
    """

    bind: Callable[[StateT, Signal], EventT | None] = nothing
    look: Callable[[StateT, int], BoxLook] = derived(lambda rules: lambda state, _now_us: lit(rules, state))
