"""The pages that teach a game: what a person needs who has never seen its rules, in sentences and drawings."""

from dataclasses import dataclass

from companion.game.widgets import AnyWidget


@dataclass(frozen=True)
class Topic:
    """One card: a sentence a paragraph, in the reader's language, and drawings without taps below them."""

    sentences: tuple[str, ...]
    drawings: tuple[AnyWidget, ...] = ()


@dataclass(frozen=True)
class Hint:
    """One short sentence on what the buttons of a phase do, for the first game of its kind in a house."""

    phase: str
    sentence: str


@dataclass(frozen=True)
class HowTo:
    """How to play a game with certain options; all sentences are in the reader's language.

    goal                    the card that comes first
    set_up                  what is done before the first round, a step each
    each_round              what is dealt or laid out before every round; empty for games without rounds
    turn, scoring           cards that come once the table is set up
    end                     when it is over and who wins
    """

    goal: Topic
    turn: Topic
    scoring: Topic
    set_up: tuple[str, ...]
    end: tuple[str, ...]
    each_round: tuple[str, ...] = ()
