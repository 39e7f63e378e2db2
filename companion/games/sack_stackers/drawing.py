"""Shared parts of Sack Stackers' pages: the colours of gifts, and sacks."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from companion.game.charts import Picture, Shape
from companion.game.players import Viewer
from companion.game.widgets import Cell, Grid, Tap, Variant, Variants
from companion.games.sack_stackers.events import Event
from companion.games.sack_stackers.groups import SHAPES
from companion.games.sack_stackers.options import COAL, COLUMNS, FORMER, ROWS, Options
from companion.games.sack_stackers.scoring import scoring_groups
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

PICTURE_SQUARES = (4.0, 3.0)  # Every shape has room in it.


def standing_sack(state: State, player: str, title: str = "") -> Grid[Event]:
    """A player's sack without taps."""
    sack = state.sheets[player].sack
    grid = sack_grid(state, player, sack, sack, lambda _column: None)
    return replace(grid, title=title) if title else grid


def all_sacks(state: State, viewer: Viewer) -> tuple[Grid[Event], ...]:
    """All sacks without taps."""
    return tuple(standing_sack(state, player, viewer.name(player)) for player in state.players)


def patterns(options: Options) -> Variants[Event]:
    """The five wrappings by the names that the table gave them, each with the shape it scores in (SS-03)."""
    return Variants(
        _("Wrappings and their shapes, turned any way"),
        tuple(
            Variant(gift if wrapping in FORMER else f"{gift}: {_(wrapping)}", shape_rows(gift))
            for wrapping, gift in options.pattern_map
        ),
        is_reference=True,
    )


def gift_picture(gift: str, label: str = "") -> Picture:
    """The shape of a type of gift in its colour; all have squares of one size."""
    (width, height), squares = PICTURE_SQUARES, SHAPES[gift]
    columns, rows = (1 + max(square[axis] for square in squares) for axis in (0, 1))
    left, top = (width - columns) / 2, (height - rows) / 2
    shapes = tuple(Shape(left + x, top + rows - 1 - y, 1.0, 1.0, 0) for x, y in squares)
    return Picture(label, gift, width, height, shapes, colour=COLOURS[gift], stands=False)


def shape_rows(gift: str) -> tuple[tuple[Cell[Event], ...], ...]:
    """The shape of a type of gift in squares, top row first."""
    squares = SHAPES[gift]
    columns, rows = (1 + max(square[axis] for square in squares) for axis in (0, 1))
    return tuple(
        tuple(Cell(gift, COLOURS[gift]) if (x, y) in squares else Cell() for x in range(columns))
        for y in reversed(range(rows))
    )


def sack_grid(
    state: State, player: str, sack: tuple[str, ...], before: tuple[str, ...], tap: Callable[[int], Tap[Event] | None]
) -> Grid[Event]:
    """A sack; pieces that are new since `before` are marked.

    tap         column, from 0 → the tap on its lowest empty square, or None
    """
    grouped = {square for groups in scoring_groups(state, player).values() for group in groups for square in group}

    def cell(column: int, row: int) -> Cell[Event]:
        squares = sack[column]
        if row >= len(squares):
            lowest = row == len(squares)
            return Cell("", "", "target" if tap(column) and lowest else "", tap(column) if lowest else None)
        new = row >= len(before[column]) or before[column] != squares[: len(before[column])]
        mark = "new" if new else "group" if (column, row) in grouped else ""
        return Cell("●" if squares[row] == COAL else squares[row], COLOURS[squares[row]], mark)

    rows = tuple(tuple(cell(column, row) for column in range(COLUMNS)) for row in reversed(range(ROWS)))
    return Grid(_("Sack"), rows, tuple(str(column) for column in range(1, COLUMNS + 1)))
