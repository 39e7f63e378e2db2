"""Everybody's line in a table of scores, in every game alike."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from companion.game.contract import PlayerId, Viewer
from companion.game.widgets import ScoreLine


class Rules(Protocol):
    """What a game's rules.py knows of everybody; see `contract.Game`."""

    def awaiting(self, state: Any, /) -> frozenset[PlayerId]: ...

    def explain(self, state: Any, player: PlayerId, /) -> tuple[tuple[str, int, str], ...]: ...

    def winners(self, state: Any, /) -> tuple[PlayerId, ...]: ...


def score_lines(
    rules: Rules,
    state: Any,
    viewer: Viewer,
    seat: Callable[[PlayerId], str] = lambda _player: "",
    *,
    turns: bool = True,
) -> tuple[ScoreLine, ...]:
    """A line for each player; the points are the sum of what they are made of, as in every game's score().

    seat    what to say beside a name
    turns   whether those who may act now stand out
    """
    active = rules.awaiting(state) if turns else frozenset()
    won = rules.winners(state)
    parts = {player: rules.explain(state, player) for player in state.players}
    return tuple(
        ScoreLine(
            player,
            viewer.name(player),
            sum(points for _text, points, _rule in made_of),
            made_of,
            seat(player),
            active=player in active,
            winner=player in won,
        )
        for player, made_of in parts.items()
    )


def best_first(lines: Iterable[ScoreLine]) -> tuple[ScoreLine, ...]:
    """The lines by their points; of those with as many the winners first."""
    return tuple(sorted(lines, key=lambda line: (-line.points, not line.winner)))
