"""The advice of Sandpile Panic: all outcomes of a turn, the play that explains a board, and the board by layers."""

from companion.game.parts.pages import Advice
from companion.game.players import Viewer
from companion.game.widgets import Cell, Grid, Notice, Tap, Tone, Variant, Variants, Widget
from companion.games.sandpile_panic import advice
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic.advice import Outcome
from companion.games.sandpile_panic.drawing import acting, grid, heads, pieces_words, pile_cell
from companion.games.sandpile_panic.entry import chosen, drafted_tops
from companion.games.sandpile_panic.events import Event, Turned
from companion.games.sandpile_panic.scoring import ranking, winners
from companion.games.sandpile_panic.standings import islands_words
from companion.games.sandpile_panic.state import Stage, State, stage
from companion.games.sandpile_panic.wording import path_words
from companion.words import N_, _, _n

OUTCOMES_ON_PAGE = 12


def all_outcomes(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """All outcomes of the turn, best for its player first, each with a tap that plays it."""
    player = acting(state, viewer)
    play = chosen(state, viewer)[1] if stage(state) is Stage.PLACING and player else None
    if player is None or (play is None and state.mover is None):
        return (Notice(_("Choose a space of your own turn first."), Tone.WARN),)
    outcomes = advice.outcomes(state, play)
    best = advice.ranked(outcomes.endings, player)
    many = _n("{n} outcome", "{n} outcomes", len(best))
    if not outcomes.complete:
        many = _n(
            "More than {n} outcome, too many to work out. Here are some",
            "More than {n} outcomes, too many to work out. Here are some",
            len(best),
        )
    title = _("{many}, the best for {name} first", many=many, name=viewer.name(player)) if len(best) > 1 else many
    return (Variants(title, tuple(_variant(state, outcome, viewer) for outcome in best[:OUTCOMES_ON_PAGE])),)


def find_play(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The plays that explain the board in the draft."""
    if acting(state, viewer) is None:
        return (Notice(_("Only the player whose turn it is can enter this. Choose their page."), Tone.WARN),)
    explained = advice.explanations(state, drafted_tops(state, viewer))
    if not explained.plays:
        return (Notice(explained.why, Tone.WARN),)
    many = len(explained.plays)
    title = _("This is my move") if many == 1 else _("{many} moves look like that. Which was it?", many=many)
    if not explained.complete:
        title = (
            _("This is my move (not every way could be tried)")
            if many == 1
            else _("{many} moves look like that (not every way could be tried)", many=many)
        )
    return (Variants(title, tuple(_variant(state, outcome, viewer) for outcome in explained.plays[:OUTCOMES_ON_PAGE])),)


def _variant(state: State, outcome: Outcome, viewer: Viewer) -> Variant[Event]:
    """An outcome as a small board, with the islands under all three scorings and a tap that plays it."""
    before, after = boards.tops(state.board), outcome.state

    def cell(at: str) -> Cell[Event]:
        return pile_cell(after.board[at], "group" if boards.top(after.board[at]) != before[at] else "")

    topples = outcome.event.topples
    title = path_words(topples) if topples else ""
    if isinstance(outcome.event, Turned):
        spot = boards.spot(outcome.event.at)
        at = _("{at} pink", at=spot) if outcome.event.pink else spot
        title = ", ".join(filter(None, (at, title)))
    rows = grid("", after.board, cell).rows
    return Variant(
        title, rows, _variant_lines(after, outcome.event.player, viewer), Tap(_("Play this"), event=outcome.event)
    )


def _variant_lines(after: State, mover: str, viewer: Viewer) -> tuple[str, ...]:
    """Lines about the spilled pieces, then the islands of the mover and the best rival."""
    lines = []
    if after.spilled:
        won = winners(after)
        pieces = pieces_words(after.spilled)
        lines.append(
            _("Spills {pieces}: the game ends, {name} wins", pieces=pieces, name=viewer.name(won[0]))
            if won
            else _("Spills {pieces}: the game ends, nobody wins", pieces=pieces)
        )
    best_rival = next(player for group in ranking(after) for player in group if player != mover)
    for player in (mover, best_rival):
        regular, landgrab, no_small = islands_words(after, player)
        lines.append(
            _(
                "{name}: {regular} · landgrab {landgrab} · no small islands {no_small}",
                name=viewer.name(player),
                regular=regular,
                landgrab=landgrab,
                no_small=no_small,
            )
        )
    return tuple(lines)


def layers(state: State, _viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The board layer by layer from the bottom, to rebuild it after a bump."""
    highest = boards.highest(state.board)
    if not highest:
        return (Notice(_("The board is empty.")),)
    names = boards.rows(state.board)
    return tuple(
        Grid(
            _n("Layer {layer}: {n} piece", "Layer {layer}: {n} pieces", pieces_in(state, layer), layer=layer),
            tuple(tuple(layer_cell(state.board[at], layer) for at in line) for line in names),
            *heads(state.board),
        )
        for layer in range(1, highest + 1)
    )


def pieces_in(state: State, layer: int) -> int:
    """The number of pieces in a layer, from 1."""
    return sum(len(pile) >= layer for pile in state.board.values())


def layer_cell(pile: str, layer: int) -> Cell[Event]:
    """The piece of a pile in a layer, from 1."""
    if len(pile) < layer:
        return Cell("", "")
    letter = pile[layer - 1]
    return Cell(letter, boards.NAMES.get(letter, letter))


REBUILD = Advice("rebuild", N_("Rebuild the board, layer by layer"), layers)
ADVICE = (Advice("outcomes", N_("All outcomes"), all_outcomes), Advice("play", N_("Find the move"), find_play), REBUILD)
