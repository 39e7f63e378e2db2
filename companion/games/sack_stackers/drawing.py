"""Shared parts of Sack Stackers' pages: the colours of gifts, and how sacks are shown."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from companion.game.players import Viewer
from companion.game.widgets import Cell, Grid, Tap, Widget
from companion.games.sack_stackers.options import COAL, COLUMNS, ROWS
from companion.games.sack_stackers.scoring import found_groups
from companion.games.sack_stackers.state import State
from companion.words import _

COLOURS: Mapping[str, str] = {
    "I": "red",
    "O": "yellow",
    "T": "purple",
    "L": "orange",
    "S": "green",
    "C": "black",
    "?": "grey",
}


def standing_sack(state: State, player: str, title: str = "") -> Grid:
    """A sack as it stands, with nothing to tap."""
    sack = state.sheets[player].sack
    drawn = sack_grid(state, player, sack, sack, lambda _column: None)
    return replace(drawn, title=title) if title else drawn


def all_sacks(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """Everybody's sack, with nothing to tap."""
    return tuple(standing_sack(state, player, viewer.name(player)) for player in state.players)


def sack_grid(
    state: State, player: str, sack: tuple[str, ...], before: tuple[str, ...], tap: Callable[[int], Tap | None]
) -> Grid:
    """A sack; what is new since `before` is marked, and `tap` is what a tap on a column does."""
    grouped = {square for found in found_groups(state, player).values() for group in found for square in group}

    def cell(column: int, row: int) -> Cell:
        squares = sack[column]
        if row >= len(squares):
            lowest = row == len(squares)
            return Cell("", "", "target" if tap(column) and lowest else "", tap(column) if lowest else None)
        new = row >= len(before[column]) or before[column] != squares[: len(before[column])]
        mark = "new" if new else "group" if (column, row) in grouped else ""
        return Cell("●" if squares[row] == COAL else squares[row], COLOURS[squares[row]], mark)

    rows = tuple(tuple(cell(column, row) for column in range(COLUMNS)) for row in reversed(range(ROWS)))
    return Grid(_("Sack"), rows, tuple(str(column) for column in range(1, COLUMNS + 1)))
