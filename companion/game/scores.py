"""The players' lines in a score table, the same in every game."""

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
    """A line for each player; the points are the sum of the parts, as in every game's score().

    explained   player → the lines of explain(), in seat order
    active      players to highlight
    seat        player → text beside the name
    """
    return tuple(
        ScoreLine(
            player,
            viewer.name(player),
            sum(points for _text, points, _rule in parts),
            parts,
            seat(player),
            active=player in active,
            winner=player in winners,
        )
        for player, parts in explained.items()
    )


def best_first(lines: Iterable[ScoreLine]) -> tuple[ScoreLine, ...]:
    """The lines by points, the winners first among equals."""
    return tuple(sorted(lines, key=lambda line: (-line.points, not line.winner)))
