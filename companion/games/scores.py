"""Everybody's line in a table of scores, in every game alike."""

from collections.abc import Callable, Collection, Iterable, Mapping

from companion.game.players import PlayerId, Viewer
from companion.game.widgets import ScoreLine


def score_lines(
    explained: Mapping[PlayerId, tuple[tuple[str, int, str], ...]],
    viewer: Viewer,
    winners: Collection[PlayerId],
    active: Collection[PlayerId] = (),
    seat: Callable[[PlayerId], str] = lambda _player: "",
) -> tuple[ScoreLine, ...]:
    """A line for each player; the points are the sum of what they are made of, as in every game's score().

    explained   player → the lines of explain(), in seat order
    active      who stands out
    seat        what to say beside a name
    """
    return tuple(
        ScoreLine(
            player,
            viewer.name(player),
            sum(points for _text, points, _rule in made_of),
            made_of,
            seat(player),
            active=player in active,
            winner=player in winners,
        )
        for player, made_of in explained.items()
    )


def best_first(lines: Iterable[ScoreLine]) -> tuple[ScoreLine, ...]:
    """The lines by their points; of those with as many the winners first."""
    return tuple(sorted(lines, key=lambda line: (-line.points, not line.winner)))
