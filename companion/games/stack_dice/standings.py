"""The standings of Stack: the points during the game, and the result."""

from companion.game.players import Viewer
from companion.game.scores import best_first, score_lines
from companion.game.widgets import ScoreLine, ScoreTable, Standings, Widget
from companion.games.stack_dice.drawing import seat_line
from companion.games.stack_dice.events import Event
from companion.games.stack_dice.scoring import explain, score, side_totals, winners
from companion.games.stack_dice.state import Stage, State, awaiting, sides, stage
from companion.words import _, _n, listed


def scores(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """All players' points if the round ended now, teams first."""
    if stage(state) is Stage.OVER:
        return ()
    teams = (ScoreTable(_("Teams"), _team_lines(state, viewer)),) if state.options.teams else ()
    title = _("Score so far · first past {target} wins", target=state.options.target)
    return (*teams, ScoreTable(title, _lines(state, viewer)))


def _lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    explained = {player: explain(state, player) for player in state.players}
    active = awaiting(state)
    return score_lines(explained, viewer, winners(state), active, lambda player: seat_line(state, player))


def _team_lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    """A line for each team with its combined score (ST-70, ST-74)."""
    totals, individual, won = side_totals(state), score(state), winners(state)
    return tuple(
        ScoreLine(
            f"team-{number}",
            _("Team {number}: {names}", number=number, names=listed(map(viewer.name, side))),
            totals[side],
            tuple((viewer.name(player), individual[player], "ST-70") for player in side),
            winner=side[0] in won,
            members=side,
        )
        for number, side in enumerate(sides(state), start=1)
    )


def result(state: State, viewer: Viewer) -> Standings:
    """The winners, and all points, once a total is above the target (ST-60)."""
    lines = _team_lines(state, viewer) if state.options.teams else _lines(state, viewer)
    won = winners(state)
    title = _n("{names} wins", "{names} win", len(won), names=listed(map(viewer.name, won)))
    return Standings(title, best_first(lines))
