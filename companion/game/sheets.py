"""Score sheets of a game, to print and write on."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ScoreSheet:
    """A sheet for scoring by hand: a column for each player, a line for the start and for each round.

    reminders   scoring rules, a line each
    start       text before the first line
    rounds      number of lines that follow
    """

    reminders: tuple[str, ...]
    start: str
    rounds: int
