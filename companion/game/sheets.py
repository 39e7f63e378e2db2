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


@dataclass(frozen=True)
class BoardSheet:
    """A sheet of one player who crosses out and draws.

    fields      two fields of squares side by side: the heading, and the texts of the squares, top row first
    circles     number of circles to cross out
    shapes      (name, squares (x, y) from the lower left corner) of each shape that scores
    points      the parts of the points, a line each
    """

    fields: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]
    circles: int
    shapes: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    points: tuple[str, ...]
