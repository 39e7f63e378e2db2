"""Rulings: what a referee decides where no rule foresees it, in every game alike.

A game keeps them in its state (`rulings`), adds `points_of` to its score and `lines` to its explanation.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from companion.errors import IllegalEvent

MOST_POINTS = 1000
LONGEST_REASON = 200


@dataclass(frozen=True)
class Ruling:
    """The referee gave a player points or took some, and said why; 0 points is a decision put on record."""

    player: str
    points: int
    why: str


def checked(ruling: Ruling, players: Iterable[str]) -> Ruling:
    """The ruling; raises IllegalEvent for one that cannot be."""
    if ruling.player not in players:
        raise IllegalEvent("A ruling concerns somebody at this table: choose a player.")
    if not -MOST_POINTS <= ruling.points <= MOST_POINTS:
        raise IllegalEvent(f"A ruling gives or takes at most {MOST_POINTS} points: choose fewer.")
    if not 1 <= len(ruling.why.strip()) <= LONGEST_REASON:
        raise IllegalEvent(f"A ruling has a reason of 1 to {LONGEST_REASON} characters: type it.")
    return ruling


def points_of(rulings: Iterable[Ruling], player: str) -> int:
    """What all rulings together give a player."""
    return sum(ruling.points for ruling in rulings if ruling.player == player)


def lines(rulings: Iterable[Ruling], player: str) -> tuple[tuple[str, int, str], ...]:
    """The lines of explain() for a player's rulings."""
    return tuple((f"Ruling: {ruling.why}", ruling.points, "ruling") for ruling in rulings if ruling.player == player)


def described(ruling: Ruling, name: str) -> str:
    """One sentence for the history."""
    points = f"{ruling.points:+d} points" if ruling.points else "no points"
    return f"Ruling for {name}, {points}: {ruling.why.strip().rstrip('.')}."
