"""How to play a game, from its rules: the docstrings of its module and events, of `start`, `score` and `is_over`."""

import inspect
import re
from typing import Any

from companion.game.events import BESIDE_PLAY
from companion.game.how_to import HowTo, Topic
from companion.game.parts.rules import AnyRules
from companion.words import _

CITATION = re.compile(r"\s*\([A-Z]{2,3}-[^)]*\)")


def tagline(rules: AnyRules) -> str:
    """The first sentence about the game."""
    return "".join(_about(rules)[:1])


def how_to(rules: AnyRules) -> HowTo:
    """How to play a game with these rules."""
    fewest, most = rules.seats
    seats = (
        _("For {n} players.", n=most)
        if fewest == most
        else _("For {fewest} to {most} players.", fewest=fewest, most=most)
    )
    turn = tuple(
        sentence for event in rules.events if not hasattr(event, BESIDE_PLAY) for sentence in _sentences(event)
    )
    most_points = _("The game is over once nobody can move any more. Whoever has the most points then wins.")
    return HowTo(
        goal=Topic(_about(rules) or (most_points,)),
        turn=Topic(turn or (_("Tap what you did when it's your turn."),)),
        scoring=Topic(_sentences(rules.score) or (_("The page counts your points."),)),
        set_up=(seats, *_sentences(rules.start)),
        end=_sentences(rules.is_over) or (most_points,),
    )


def _about(rules: AnyRules) -> tuple[str, ...]:
    """The sentences of the module that the rules stand in, without the game's name before them."""
    module = inspect.getmodule(rules.apply)
    text = (module and module.__doc__) or ""
    name, _colon, about = text.partition(": ")
    return _split(about[:1].upper() + about[1:] if name.lower() == rules.name.replace("_", " ") else text)


def _sentences(documented: Any) -> tuple[str, ...]:
    """The first paragraph of a docstring; none of a class whose docstring is only what dataclass says of its fields."""
    text = getattr(documented, "__doc__", None) or ""
    is_made = inspect.isclass(documented) and text.startswith(f"{documented.__name__}(")
    return () if is_made else _split(text)


def _split(text: str) -> tuple[str, ...]:
    paragraph = " ".join(inspect.cleandoc(text).partition("\n\n")[0].split())
    return tuple(filter(None, re.split(r"(?<=[.?!])\s+", CITATION.sub("", paragraph))))
