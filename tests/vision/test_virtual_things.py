"""What lies on the demo's board and trucks, drawn by the virtual camera and read by the real readers."""

import numpy as np

from companion import virtual_board, virtual_boxes
from companion.readings import Kind, Watching
from companion.virtual_table import VirtualTable
from vision.known_table import KnownTable
from vision.lookout import reader_for
from vision.virtual import Painter, virtual_scene

CARD = {"columns": 3, "rows": 2, "levels": 3, "loading_area_row_col": [[1, 1, 1], [1, 1, 0]]}
AREA = ((True, True, True), (True, True, False))


def test_the_board_is_read_as_it_was_laid():
    random = np.random.default_rng(3)
    table = VirtualTable(mat="board", board_n=6)
    for row, column, colour in zip(random.integers(0, 6, 30), random.integers(0, 6, 30), "wb" * 15, strict=True):
        table = virtual_board.put(table, int(row), int(column), {"w": "white", "b": "black"}[colour])
    watching = Watching(Kind.BOARD, {"colours": ["white", "black"]})
    reading = reader_for(KnownTable(virtual_scene("board", 6)), watching)(Painter().picture(table, 0))
    for row, cells in enumerate(reading.cells):
        for column, cell in enumerate(cells):
            pile = virtual_board.pile(table, row, column)
            assert cell.colour == (pile[-1].colour if pile else None), (row, column)


def test_white_pieces_and_empty_spaces_of_our_own_white_mat_are_mostly_sure():
    random = np.random.default_rng(8)
    table = VirtualTable(mat="board", board_n=6)
    for number, (row, column) in enumerate(random.integers(0, 6, (8, 2))):
        table = virtual_board.put(table, int(row), int(column), "white" if number % 2 else "black")
    watching = Watching(Kind.BOARD, {"colours": ["white", "black"]})
    reading = reader_for(KnownTable(virtual_scene("board", 6)), watching)(Painter().picture(table, 0))
    cells = [cell for row in reading.cells for cell in row]
    assert all(cell.accepted for cell in cells if cell.colour is not None)
    assert sum(cell.accepted for cell in cells) >= 5 / 6 * len(cells)


def test_left_overs_are_counted_as_they_were_dealt_and_loaded():
    table = virtual_boxes.dealt(virtual_boxes.with_cards(VirtualTable(), [AREA, AREA]), (3, 2, 2, 1, 2))
    table = virtual_boxes.loaded(table, 3, 0, 0, 0, "x")
    table = virtual_boxes.loaded(table, 2, 0, 0, 0, "z")
    watching = Watching(Kind.LOAD, {"truck_cards": [CARD, CARD]})
    reading = reader_for(KnownTable(virtual_scene("loads")), watching)(Painter().picture(table, 0))
    assert reading.outside == {1: 3, 2: 1, 3: 1, 4: 1, 5: 2}
    assert [square.filled for square in reading.trucks[0].cells[0]] == [True, True, True]
    assert not any(square.filled for row in reading.trucks[1].cells for square in row)
