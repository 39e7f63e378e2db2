"""The contract between the rules and the table: the data and functions that every game provides.

A game is a package that builds its own `GAME = Game(...)`, in `companion/games/` or elsewhere: pure functions over its
own frozen values, the state, the events and the options. Nothing else in the project knows a game by name.
"""

from dataclasses import dataclass, field
from typing import Any, Generic

from companion.game.parts.box import Box
from companion.game.parts.derived import EventT, OptionsT, StateT, with_derived
from companion.game.parts.pages import Pages
from companion.game.parts.rules import Dice, Rules, rules_of
from companion.game.parts.sight import Sight

CONTRACT = 1  # It rises when a game that was written for an older one could no longer be played.

__all__ = [
    "CONTRACT",
    "AnyGame",
    "Box",
    "Dice",
    "Event",
    "Game",
    "Options",
    "Pages",
    "Rules",
    "Sight",
    "State",
    "rules_of",
]


@dataclass(frozen=True)
class Game(Generic[StateT, EventT, OptionsT]):
    """A game as the rest of the project sees it. Its rules are enough: all else is made from them if it is left out.

    contract    the CONTRACT that it was written for
    """

    rules: Rules[StateT, EventT, OptionsT]
    pages: Pages[StateT, EventT, OptionsT] = field(default_factory=Pages)
    sight: Sight[StateT, EventT] = field(default_factory=Sight)
    box: Box[StateT, EventT] = field(default_factory=Box)
    contract: int = 1

    def __post_init__(self) -> None:
        for name in ("rules", "pages", "sight", "box"):
            object.__setattr__(self, name, with_derived(getattr(self, name), self.rules))


# Code that serves every game stores these values and passes them on without looking inside.
AnyGame = Game[Any, Any, Any]
State = Any
Event = Any
Options = Any
