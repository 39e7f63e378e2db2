"""Shared parts of Sandpile Panic's pages: the player a page acts for, the board and the pieces."""

from collections.abc import Callable, Iterable, Mapping

from companion.game.players import Viewer
from companion.game.widgets import Cell, Grid, Tap
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic.board import NAMES, PINK, Board
from companion.games.sandpile_panic.events import Event, Placed
from companion.games.sandpile_panic.state import State, awaiting
from companion.words import _, listed


def acting(state: State, viewer: Viewer) -> str | None:
    """The player whose move this page may make, None on another player's page."""
    return next((player for player in awaiting(state) if viewer.player in (None, player)), None)


def pieces_words(letters: str) -> str:
    """Pieces in words: "2 white and 1 black"."""
    return listed(f"{letters.count(letter)} {boards.in_words(letter)}" for letter in dict.fromkeys(letters))


def board_grid(
    state: State,
    tap: Callable[[str], Tap[Event] | None] = lambda at: None,
    play: Placed | None = None,
    marked: Iterable[str] = (),
) -> Grid[Event]:
    """The board with the placement `play` already on it; `marked` spaces stand out."""
    board = state.board
    if play is not None:
        board = boards.placed(board, play.at, PINK if play.pink else state.colours[play.player])

    def cell(at: str) -> Cell[Event]:
        touch = tap(at)
        mark = "target" if touch or at in marked else "new" if at in state.changed else ""
        return pile_cell(board[at], mark, touch)

    return grid(_("Board"), board, cell)


def grid(title: str, board: Board, cell: Callable[[str], Cell[Event]]) -> Grid[Event]:
    """The board as a grid with the headings 1, 2, … of its columns and rows."""
    return Grid(title, tuple(tuple(map(cell, line)) for line in boards.rows(board)), *heads(board), large=True)


def heads(board: Board) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The headings of a board's columns and rows, with which `boards.spot` names its spaces."""
    names = boards.rows(board)
    columns, rows = (tuple(map(str, range(1, number + 1))) for number in (len(names[0]), len(names)))
    return columns, rows


def pile_cell(pile: str, mark: str, tap: Tap[Event] | None = None) -> Cell[Event]:
    """A pile: its layers, and as text the letter of the top colour with the height, for colour-blind players."""
    if not pile:
        return Cell("", "", mark, tap)
    layers = tuple(NAMES.get(piece, piece) for piece in pile)
    return Cell(f"{pile[-1]}{len(pile)}", layers[-1], mark, tap, layers)


def read_aloud(at: str, pile: str) -> str:
    """The text of a space for reading aloud."""
    spot = boards.spot(at)
    if not pile:
        return _("{at}, empty", at=spot)
    return _("{at}, {colour} on top, {height} high", at=spot, colour=boards.in_words(pile[-1]), height=len(pile))


def around_grid(board: Board, at: str, landing: Mapping[str, str]) -> tuple[tuple[Cell[Event], ...], ...]:
    """The 3 × 3 spaces around a pile; `landing` has the letters of pieces that spill, by the space off the board."""

    def cell(near: str) -> Cell[Event]:
        return pile_cell(board[near], "") if near in board else Cell(landing.get(near, ""), "", "crossed")

    north, _, south, _ = boards.beside(at)
    lines = []
    for middle in (north, at, south):
        _, east, _, west = boards.beside(middle)
        lines.append((cell(west), cell(middle), cell(east)))
    return tuple(lines)
