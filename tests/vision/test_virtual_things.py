"""What lies on the demo's board and trucks, drawn by the virtual camera and read by the real readers."""

from random import Random

import numpy as np
import pytest

from companion.clock import Clock
from companion.demo import board as virtual_board
from companion.demo import boxes as virtual_boxes
from companion.demo.table import DemoTable
from companion.demo.things import HEIGHT_MM, WIDTH_MM, VirtualTable, stack_of
from companion.game.readings import Kind, Watching
from companion.game.seeing import Eyes
from vision.virtual.camera import virtual_scene
from vision.virtual.painter import Painter
from vision.watch.known_table import KnownTable
from vision.watch.lookout import reader_for

CARD = {"columns": 3, "rows": 2, "levels": 3, "loading_area_row_col": [[1, 1, 1], [1, 1, 0]]}


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
    table = virtual_boxes.dealt(virtual_boxes.with_cards(VirtualTable(), [CARD, CARD]), (3, 2, 2, 1, 2))
    table = virtual_boxes.loaded(table, 3, 0, 0, 0, "x")
    table = virtual_boxes.loaded(table, 2, 0, 0, 0, "z")
    watching = Watching(Kind.LOAD, {"truck_cards": [CARD, CARD]})
    reading = reader_for(KnownTable(virtual_scene("loads")), watching)(Painter().picture(table, 0))
    assert reading.outside == {1: 3, 2: 1, 3: 1, 4: 1, 5: 2}
    assert [square.filled for square in reading.trucks[0].cells[0]] == [True, True, True]
    assert not any(square.filled for row in reading.trucks[1].cells for square in row)


@pytest.mark.parametrize("number", [1, 17, 45])
def test_a_card_on_the_card_spot_is_read(number):
    demo = DemoTable(Clock(0), random=Random(0))
    demo.prepare(Eyes(above=Kind.CARD))
    demo.lay_card(number)
    table = demo.snapshot()
    reading = reader_for(KnownTable(virtual_scene(table.mat)), Watching(Kind.CARD))(Painter().picture(table, 0))
    assert (reading.card, reading.accepted) == (number, True)


def test_stacks_of_dice_are_read_as_they_stand():
    colours = ["red", "blue", "green", "purple"]
    demo = DemoTable(Clock(0), random=Random(0))
    demo.prepare(Eyes(above=Kind.STACKS, knows={"players_colours": colours}))
    demo.dice.roll(each=14)
    for foot, *upper in (("red-1", "blue-1"), ("green-1", "purple-1", "red-2"), ("blue-2", "red-3", "blue-3", "red-4")):
        for key in upper:
            demo.dice.put_onto(key, foot)
    table = demo.snapshot()
    watching = Watching(Kind.STACKS, {"players_colours": colours})
    picture = Painter().picture(table, table.throw.rests_us if table.throw else 0)
    reading = reader_for(KnownTable(virtual_scene()), watching)(picture)
    tops = {stack_of(table, die.key)[-1] for die in table.dice}
    wrong = []
    for top in tops:
        near = min(reading.stacks, key=lambda stack: distance_mm(stack, top))
        if distance_mm(near, top) > 8 or (near.height, near.top.colour, near.top.value) != (
            top.level + 1,
            top.colour,
            top.value,
        ):
            wrong.append((top, near))
    print(wrong)
    assert len(reading.stacks) == len(tops) == 50
    assert len(wrong) <= 1
    assert not any(near.height_accepted for _top, near in wrong)


def distance_mm(stack, die):
    """From where a stack was read to where a die lies."""
    return float(np.hypot(stack.x_mm - (die.x_mm - WIDTH_MM / 2), stack.y_mm - (HEIGHT_MM / 2 - die.y_mm)))
