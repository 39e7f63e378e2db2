"""The standings of Sack Stackers: the points during the game, and the result."""

from companion.game.players import Viewer
from companion.game.scores import best_first, score_lines
from companion.game.widgets import ScoreLine, ScoreTable, Standings, Widget
from companion.games.sack_stackers.drawing import patterns
from companion.games.sack_stackers.events import Event
from companion.games.sack_stackers.scoring import explain, winners
from companion.games.sack_stackers.state import State, awaiting
from companion.words import _, _n, listed


def scores(state: State, viewer: Viewer) -> ScoreTable:
    """All players' points if the game ended now, or has ended with a tie to be broken."""
    return ScoreTable(_("Points") if state.ended else _("Score so far"), _lines(state, viewer))


def below(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The end of every page while the game is on: the points, and the wrappings with their shapes (SS-03)."""
    return (scores(state, viewer), patterns(state.options))


def result(state: State, viewer: Viewer) -> Standings:
    """The winners, and all players' points."""
    lines = best_first(_lines(state, viewer))
    names = [line.name for line in lines if line.winner]
    title = _n("Head Elf: {names}", "Head Elves: {names}", len(names), names=listed(names))
    return Standings(title, lines)


def _lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    waiting = awaiting(state)

    def seat(player: str) -> str:
        if player in state.resting:
            return _("on a break")
        return _("choosing") if player in waiting else _("done") if player in state.done else ""

    explained = {player: explain(state, player) for player in state.players}
    return score_lines(explained, viewer, winners(state), waiting, seat)
