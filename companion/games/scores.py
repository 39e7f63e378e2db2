"""Everybody's line in a table of scores, in every game alike."""

from collections.abc import Callable, Iterable

from companion.contract import PlayerId, Viewer
from companion.widgets import ScoreLine


def score_lines(
    players: Iterable[PlayerId],
    viewer: Viewer,
    explain: Callable[[PlayerId], tuple[tuple[str, int, str], ...]],
    waiting: Iterable[PlayerId] = (),
    winners: Iterable[PlayerId] = (),
    seat: Callable[[PlayerId], str] = lambda _player: "",
) -> tuple[ScoreLine, ...]:
    """A line for each of `players`; the points are the sum of what they are made of, as in every game's score().

    waiting     those who may act now
    seat        what to say beside a name
    """
    active, won = frozenset(waiting), frozenset(winners)
    parts = {player: explain(player) for player in players}
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
