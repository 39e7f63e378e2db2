"""The rounds of a game: which one each of its events belongs to, and what everybody gained in each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from companion.game.players import PlayerId


@dataclass(frozen=True)
class Round:
    """A round: its number, and in the order of the seats the points gained in it and those at its end."""

    number: int
    gains: tuple[int, ...]
    points: tuple[int, ...]


def by_turns(events: Iterable[Any]) -> tuple[int, ...]:
    """The round of each event in a game that does not say: everybody has one turn in it.

    Events of one player in a row are one turn; the next round begins with a second turn of the same player. Events of
    nobody belong to the round that goes on.
    """
    rounds: list[int] = []
    number, had_turn, last = 1, set[PlayerId](), None
    for event in events:
        player = getattr(event, "player", None)
        if player is not None and player != last:
            if player in had_turn:
                number, had_turn = number + 1, set()
            had_turn.add(player)
            last = player
        rounds.append(number)
    return tuple(rounds)


def rounds_played(numbers: Sequence[int], course: Sequence[tuple[int, ...]]) -> tuple[Round, ...]:
    """The rounds of a game.

    numbers     the round of each event that counts
    course      everybody's points before the first event and after each of them
    """
    rounds: list[Round] = []
    before, end = course[0], 0
    for number, events in groupby(numbers):
        end += len(list(events))
        points = course[end]
        rounds.append(Round(number, tuple(now - then for now, then in zip(points, before, strict=True)), points))
        before = points
    return tuple(rounds)
