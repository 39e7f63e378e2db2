"""Score sheets of a game, to print and write on."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ScoreSheet:
    """A sheet to keep the score by hand: a column for each player, a line for the start and for each round.

    reminders   what counts, a line each
    start       what stands before the first line
    rounds      how many lines follow
    """

    reminders: tuple[str, ...]
    start: str
    rounds: int
