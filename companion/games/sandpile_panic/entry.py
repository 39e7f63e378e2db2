"""The drafts of Sandpile Panic: a placement, and the look of the board after a turn that was played there first.

Draft fields: `at` (the space for a piece), `pink` ("1" for the pink piece), `seen` (the colours on top of the known
board, a letter or "." for each space, row by row, then each tap: a colour, or a space that gets it) and `brush` (the
colour that was tapped last).
"""

from companion.game.players import Viewer
from companion.game.widgets import Cell, Choice, Consult, Headline, Tap, Tone, Widget
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic import rules
from companion.games.sandpile_panic.board import NAMES
from companion.games.sandpile_panic.drawing import grid
from companion.games.sandpile_panic.events import Event, Placed
from companion.games.sandpile_panic.state import State, letters, on_turn
from companion.games.sandpile_panic.turns import not_in_hand
from companion.words import _

EMPTY = "."  # It stands in the draft for a space without a piece.


def chosen(state: State, viewer: Viewer) -> tuple[bool, Placed | None]:
    """(the pink piece is chosen, the placement in the draft if it is legal now)."""
    player = on_turn(state)
    pink = viewer.draft.get("pink") == "1" and not not_in_hand(state, player, pink=True)
    play = Placed(player, viewer.draft.get("at", ""), pink)
    return pink, play if play in rules.legal(state, player) else None


def board_to_tap(state: State, viewer: Viewer, player: str) -> tuple[Widget[Event], ...]:
    """The page on which players tap the colours on top of the real board, to find the play that explains them."""
    before, offered = boards.tops(state.board), letters(state)
    now, brush = _painted(state, viewer, player)

    def cell(at: str) -> Cell[Event]:
        spot = boards.spot(at)
        tap: Tap[Event] = Tap(
            f"{spot}, {boards.in_words(now[at])}" if now[at] else _("{at}, empty", at=spot),
            adds={"seen": at},
        )
        mark = "new" if now[at] != before[at] else ""
        return Cell(now[at], NAMES.get(now[at], now[at]), mark, tap)

    brushes: tuple[Tap[Event], ...] = tuple(
        Tap(
            f"{letter} {boards.in_words(letter)}" if letter != EMPTY else _("Empty"),
            draft={"brush": letter},
            adds={"seen": letter},
            chosen=letter == brush,
        )
        for letter in (*offered, EMPTY)
    )
    changed = sum(now[at] != before[at] for at in now)
    return (
        Headline(
            _("What does it look like now?"),
            _("Choose a colour, then tap the spaces where it's on top. {changed} changed.", changed=changed),
            Tone.PRIMARY,
        ),
        Choice(_("Colour on top"), brushes),
        grid(_("Seen from above"), state.board, cell),
        Choice("", (Tap(_("Back to the turn"), draft={"seen": "", "brush": ""}, tone=Tone.DIM),)),
        Consult(_("Find the move"), "play"),
    )


def drafted_tops(state: State, viewer: Viewer) -> boards.Tops:
    """The tops in the draft, or those of the known board if the draft cannot be read."""
    return _painted(state, viewer, on_turn(state))[0]


def _painted(state: State, viewer: Viewer, player: str) -> tuple[boards.Tops, str]:
    """(the tops in the draft, the colour that the next tap sets): its taps one after the other."""
    colours = {*letters(state), EMPTY}
    begun, *taps = viewer.draft.get("seen", "").split(",")
    before = now = boards.tops(state.board)
    if len(begun) == len(state.board) and set(begun) <= colours:
        now = {at: "" if letter == EMPTY else letter for at, letter in zip(state.board, begun, strict=True)}
    brush = viewer.draft.get("brush", "")
    brush = state.colours[player] if brush not in colours or colours & {*taps} else brush
    for tap in taps:
        if tap in colours:
            brush = tap
        elif tap in now:
            colour = "" if brush == EMPTY else brush
            now = {**now, tap: before[tap] if now[tap] == colour else colour}  # A second tap takes it back.
    return now, brush
