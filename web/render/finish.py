"""What the end screen and the result page tell of a finished game: the standings, and the best moment."""

from dataclasses import dataclass

from companion.game.players import Viewer
from companion.game.widgets import Standings
from companion.games.rulings import Ruling
from companion.table.table import Table
from companion.words import _


@dataclass(frozen=True)
class Moment:
    """The event that brought a player the most points at once: whose, how many, and its sentence."""

    name: str
    gain: int
    sentence: str


def standings(table: Table) -> Standings | None:
    """The game's own standings, None until it is over."""
    widgets = table.game.view(table.state, Viewer(None, table.names))
    return next((widget for widget in widgets if isinstance(widget, Standings)), None)


def best_moment(table: Table) -> Moment | None:
    """The best moment, of equal ones the first; None where nothing that was played gained a point."""
    lines, course = table.history.with_course()
    counted = [line for line in lines if line.event is not None]
    gains = [
        (after - before, -step, seat)
        for step, line in enumerate(counted)
        if not isinstance(line.event, Ruling)
        for seat, (before, after) in enumerate(zip(course[step], course[step + 1], strict=True))
    ]
    gain, step, seat = max(gains, default=(0, 0, 0))
    if gain <= 0:
        return None
    player, line = table.session.players[seat], counted[-step]
    sentence = line.sentence if line.player in (player, None) else ""  # it would speak of somebody else
    return Moment(table.names.get(player, _("somebody")), gain, sentence)
