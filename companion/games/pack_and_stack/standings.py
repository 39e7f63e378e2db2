"""The standings of Pack & Stack: truck and load of each seat, the points during the game, and the result."""

from companion.game.players import Viewer
from companion.game.scores import best_first, score_lines
from companion.game.widgets import ScoreLine, ScoreTable, SeatCard, Standings, Tone
from companion.games.pack_and_stack import scoring
from companion.games.pack_and_stack.drawing import boxes_words, truck_words
from companion.games.pack_and_stack.events import Event
from companion.games.pack_and_stack.rounds import awaiting
from companion.games.pack_and_stack.scoring import explain, winners
from companion.games.pack_and_stack.state import State, Step, step
from companion.words import _, _n, listed


def seats(state: State, viewer: Viewer) -> tuple[SeatCard[Event], ...]:
    """All players' trucks, loads and losses in this round."""
    return tuple(_seat(state, viewer, player) for player in state.players)


def _seat(state: State, viewer: Viewer, player: str) -> SeatCard[Event]:
    """A player's truck, load and loss in this round."""
    current, waiting = state.current, awaiting(state)
    words = [_("Starts")] if player == current.starter else []
    if player in current.dice:
        words.append(boxes_words(current.dice[player]) or _("No boxes"))
    if player in current.trucks:
        words.append(truck_words(state, current.trucks[player]))
    words += [_(reward) for reward, owner in state.held.items() if owner == player]
    name = viewer.name(player)
    detail = ". ".join(words)
    if player in current.unloaded:
        lost = scoring.losses(state.options, current)[player]
        return SeatCard(player, name, _("Lost {lost}", lost=lost), detail, Tone.GOOD)
    if player in waiting:
        return SeatCard(player, name, _doing(step(state)), detail, Tone.PRIMARY)
    return SeatCard(player, name, _("Ready") if player in current.dice else _("Waits"), detail, Tone.DIM)


def _doing(now: Step) -> str:
    match now:
        case Step.ROLLING:
            return _("Rolls")
        case Step.TAKING:
            return _("Grabs")
        case Step.LOADING:
            return _("Loads")
    return _("Draws")


def scores(state: State, viewer: Viewer) -> ScoreTable:
    """All players' points if the game ended now."""
    return ScoreTable(_("Score so far"), _lines(state, viewer))


def _lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    explained = {player: explain(state, player) for player in state.players}
    return score_lines(explained, viewer, winners(state), awaiting(state))


def result(state: State, viewer: Viewer) -> Standings:
    """The winners, and all players' points."""
    lines = best_first(_lines(state, viewer))
    names = [line.name for line in lines if line.winner]
    return Standings(_n("{names} wins", "{names} win", len(names), names=listed(names)), lines)
