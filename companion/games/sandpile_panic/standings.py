"""The standings of Sandpile Panic: points and islands during the game, the result, and its chart."""

from companion.game.charts import Bar, Bars, Figures
from companion.game.players import Viewer
from companion.game.scores import score_lines
from companion.game.widgets import ScoreLine, ScoreTable, Standings, Widget
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic import islands, scoring
from companion.games.sandpile_panic.events import Event
from companion.games.sandpile_panic.islands import Scoring
from companion.games.sandpile_panic.scoring import explain, player_islands
from companion.games.sandpile_panic.state import State, awaiting
from companion.words import _, _p, number


def scores(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The points if the game ended now, and the islands under all three scorings."""
    now = () if state.ended else (ScoreTable(_("Score so far"), _lines(state, viewer)),)
    rows = tuple((viewer.name(player), *islands_words(state, player)) for player in state.players)
    return (*now, Figures(_("Score under each rule"), ("", _("Islands"), _("Landgrab"), _("No small islands")), rows))


def islands_words(state: State, player: str) -> tuple[str, str, str]:
    """(island sizes for regular scoring, landgrab points, points without small islands) as texts."""
    all_islands, special = player_islands(state, player), state.options.special_piece
    regular, landgrab, no_small = (islands.counted(all_islands, special, scoring) for scoring in Scoring)
    return (
        ", ".join(map(str, regular)) or _p("islands", "none"),
        number(islands.points(landgrab, Scoring.LANDGRAB)),
        number(islands.points(no_small, Scoring.NO_SMALL_ISLANDS)),
    )


def _lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    def seat(player: str) -> str:
        return f"{state.colours[player]} {boards.in_words(state.colours[player])}"

    explained = {player: explain(state, player) for player in state.players}
    return score_lines(explained, viewer, scoring.winners(state), awaiting(state), seat)


def result(state: State, viewer: Viewer) -> Standings:
    """The winner, if there is no complete tie (SP-42), and the ranking, which only landgrab has (SP-43)."""
    winners = scoring.winners(state)
    places = [player for group in scoring.ranking(state) for player in group]
    lines = sorted(_lines(state, viewer), key=lambda line: places.index(line.player))
    won = _("{name} wins", name=viewer.name(winners[0])) if winners else ""
    title = won or _("A complete tie. Nobody wins: play another game")
    ranking = scoring.ranking(state) if state.options.scoring is Scoring.LANDGRAB else (winners,) if winners else ()
    return Standings(title, tuple(lines), ranking)


def charts(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """A chart of all players' islands, largest first."""
    sizes = {
        player: sorted((island.size for island in player_islands(state, player)), reverse=True)
        for player in state.players
    }
    bars = (
        Bar(
            _("{name}: {number} of {all}", name=viewer.name(player), number=number, all=len(sizes[player])),
            size,
            player=player,
        )
        for player in state.players
        for number, size in enumerate(sizes[player], start=1)
    )
    return (Bars(_("Islands, by their spaces"), tuple(bars)),)
