"""Rulings: decisions of a referee where no rule applies, the same in every game.

A game stores them in its state (`rulings`, by `added`), adds `points_of` to its score and `lines` to its explanation.
How many there may be is asked at the doors alone (`check_number`): a stored game opens with as many as it has.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from companion.errors import IllegalEvent
from companion.game.events import is_sealed
from companion.words import _, language

MOST_POINTS = 1000
LONGEST_REASON = 200
MOST_RULINGS = 200  # Each point of the result's chart goes through all rulings of the game before it.
CACHED_LINES = 4096  # A score is the sum of its lines, and translating them again took most of its time.


@dataclass(frozen=True)
class Ruling:
    """The referee gave a player points or took some, with a reason; 0 points records a decision."""

    player: str
    points: int
    why: str

    beside_play: ClassVar = True
    typed: ClassVar = "why"


def added(rulings: tuple[Ruling, ...], ruling: Ruling, players: Iterable[str]) -> tuple[Ruling, ...]:
    """The rulings with one more; raises IllegalEvent for an unknown player, too many points or letters."""
    if ruling.player not in players:
        raise IllegalEvent(_("A ruling is about somebody at this table. Choose a player."))
    if not -MOST_POINTS <= ruling.points <= MOST_POINTS:
        raise IllegalEvent(
            _("A ruling gives or takes {most_points} points at most. Choose fewer.", most_points=MOST_POINTS)
        )
    if not 1 <= len(ruling.why.strip()) <= LONGEST_REASON:
        raise IllegalEvent(
            _("A ruling needs a reason of 1 to {longest_reason} characters. Type one.", longest_reason=LONGEST_REASON)
        )
    return (*rulings, ruling)


def check_number(before: Iterable[object], after: Iterable[object]) -> None:
    """Raises IllegalEvent where the events `after` a change hold more rulings than a game may have and had `before`."""
    count = number_of(after)
    if count > MOST_RULINGS and count > number_of(before):
        raise IllegalEvent(
            _(
                "A game can have {most_rulings} rulings at most. Take one back, or change one.",
                most_rulings=MOST_RULINGS,
            )
        )


def number_of(events: Iterable[object]) -> int:
    """How many of these events are rulings."""
    return sum(isinstance(event, Ruling) for event in events)


def points_of(rulings: Iterable[Ruling], player: str) -> int:
    """The sum of a player's rulings."""
    return sum(ruling.points for ruling in rulings if ruling.player == player)


def lines(rulings: Iterable[Ruling], player: str) -> tuple[tuple[str, int, str], ...]:
    """The lines of explain() for a player's rulings."""
    current_language = language()
    return tuple(_line(ruling, current_language) for ruling in rulings if ruling.player == player)


@lru_cache(CACHED_LINES)
def _line(ruling: Ruling, current_language: str) -> tuple[str, int, str]:
    """A ruling's line of explain(); `current_language` is part of the cache's key."""
    return _("Ruling: {why}", why=reason_of(ruling)), ruling.points, _("ruling")


def reason_of(ruling: Ruling) -> str:
    """The reason in words; of one that was deleted, or stayed at another table, it says so."""
    return _("the reason isn't kept here") if is_sealed(ruling.why) else ruling.why


def described(ruling: Ruling, name: str) -> str:
    """One sentence for the history."""
    why = reason_of(ruling).strip().rstrip(".")
    if not ruling.points:
        return _("Ruling for {name}, no points: {why}.", name=name, why=why)
    return _("Ruling for {name}, {points:+d} points: {why}.", name=name, points=ruling.points, why=why)
