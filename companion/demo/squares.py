"""The squares of the demo's table that a finger may tap: those of the board, and those of the truck cards."""

from collections.abc import Iterator
from dataclasses import dataclass

from companion.demo.boxes import is_square, middle_of, on_table
from companion.demo.things import UNIT_MM, VirtualTable
from companion.equipment.mat import mat


@dataclass(frozen=True)
class Square:
    """A square: its middle from the table's far left corner, y towards the viewer; `truck` is None on the board."""

    row: int
    column: int
    x_mm: float
    y_mm: float
    side_mm: float
    truck: int | None = None


def squares(table: VirtualTable) -> Iterator[Square]:
    """All squares, row by row from the far side."""
    grid = mat(table.mat, table.board_n).grid
    if grid is not None:
        for row in range(grid.n):
            for column in range(grid.n):
                yield Square(row, column, *board_square(table, row, column), grid.cell_mm)
    for number, card in enumerate(table.trucks):
        for row, line in enumerate(card.area):
            for column in range(len(line)):
                if is_square(card, (row, column)):
                    yield Square(row, column, *middle_of(card, (row, column)), UNIT_MM, number)


def board_square(table: VirtualTable, row: int, column: int) -> tuple[float, float]:
    """The middle of a square of the board, in mm on the table."""
    grid = mat(table.mat, table.board_n).grid
    assert grid is not None
    place, cell = grid.place, grid.cell_mm
    return on_table((place.left_mm + (column + 0.5) * cell, place.far_mm - (row + 0.5) * cell))
