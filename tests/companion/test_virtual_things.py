"""The demo's board and boxes: what a hand can do with wood, whatever game is played."""

from random import Random

import pytest

from companion.clock import Clock
from companion.demo import board as virtual_board
from companion.demo import boxes as virtual_boxes
from companion.demo.squares import squares
from companion.demo.table import DemoTable
from companion.demo.things import UNIT_MM, VirtualTable
from companion.errors import BadInput
from companion.game.readings import Kind
from companion.game.seeing import Eyes

CARD = {"columns": 3, "rows": 2, "levels": 2, "loading_area_row_col": [[1, 1, 1], [1, 0, 0]]}


@pytest.fixture
def demo():
    return DemoTable(Clock(0), random=Random(1))


def colours(table, row, column):
    return [piece.colour for piece in virtual_board.pile(table, row, column)]


def board(*put, n=4):
    table = VirtualTable(mat="board", board_n=n)
    for row, column, colour in put:
        table = virtual_board.put(table, row, column, colour)
    return table


def test_pieces_pile_up_and_the_top_one_is_taken():
    table = board((1, 1, "white"), (1, 1, "black"), (1, 1, "white"))
    assert colours(virtual_board.take(table, 1, 1), 1, 1) == ["white", "black"]


def test_a_block_of_four_tips_over_clockwise_and_the_rest_stays():
    table = board(*((1, 1, colour) for colour in ("pink", "white", "black", "red", "blue")))
    tipped = virtual_board.tip(table, 1, 1, 1)  # the lowest of the four to the right
    assert colours(tipped, 1, 1) == ["pink"]
    assert [colours(tipped, *at) for at in ((1, 2), (2, 1), (1, 0), (0, 1))] == [
        ["white"],
        ["black"],
        ["red"],
        ["blue"],
    ]


def test_what_tips_over_the_edge_is_gone():
    table = board(*((0, 0, "white"),) * 4)
    assert len(virtual_board.tip(table, 0, 0, 0).pieces) == 2


@pytest.mark.parametrize("act", [lambda t: virtual_board.take(t, 0, 0), lambda t: virtual_board.tip(t, 0, 0, 0)])
def test_where_nothing_lies_nothing_is_taken(act):
    with pytest.raises(BadInput, match="There aren't that many pieces there"):
        act(board())


def loads(*counts):
    return virtual_boxes.dealt(virtual_boxes.with_cards(VirtualTable(), [CARD]), counts or (2, 1, 1, 0, 0))


def test_a_load_is_dealt_beside_the_trucks():
    table = loads(3, 2, 2, 1, 2)
    assert [sum(box.size == size for box in table.boxes) for size in range(1, 6)] == [3, 2, 2, 1, 2]
    assert not any(virtual_boxes.is_loaded(table, box) for box in table.boxes)
    places = [(box.x_mm, box.y_mm) for box in table.boxes]
    assert len(set(places)) == len(places)


def test_boxes_lie_on_squares_and_on_each_other():
    table = virtual_boxes.loaded(loads(), 3, 0, 0, 0, "x")
    table = virtual_boxes.loaded(table, 1, 0, 0, 1, "x")
    upper = next(box for box in table.boxes if box.size == 1 and virtual_boxes.is_loaded(table, box))
    lower = next(box for box in table.boxes if box.size == 3)
    assert upper.z_mm == lower.z_mm + UNIT_MM
    assert upper.x_mm == lower.x_mm  # the middle of three squares


@pytest.mark.parametrize(
    ("size", "row", "column", "along", "why"),
    [
        (3, 0, 1, "x", "The box would stick out of the loading area"),
        (2, 0, 1, "y", "The box would stick out of the loading area"),  # below it is no loading area
        (2, 0, 0, "x", "in the air"),  # over a box of one unit and an empty square
        (5, 0, 0, "z", "There's no box of size 5 beside the trucks"),
    ],
)
def test_a_box_must_lie_as_wood_lies(size, row, column, along, why):
    table = virtual_boxes.loaded(loads(), 1, 0, 0, 0, "x")
    with pytest.raises(BadInput, match=why):
        virtual_boxes.loaded(table, size, 0, row, column, along)


def loaded_sizes(table, truck):
    return sorted(box.size for box in table.boxes if virtual_boxes.is_on(table.trucks[truck], box))


def test_a_box_is_taken_back_from_the_top():
    table = virtual_boxes.loaded(loads(), 3, 0, 0, 0, "x")
    table = virtual_boxes.loaded(table, 1, 0, 0, 1, "x")
    with pytest.raises(BadInput, match="There's another box on top"):
        virtual_boxes.taken_back(table, 0, 0, 0)
    table = virtual_boxes.taken_back(table, 0, 0, 1)
    assert loaded_sizes(table, 0) == [3]
    table = virtual_boxes.taken_back(table, 0, 0, 1)
    assert loaded_sizes(table, 0) == []
    assert sorted(box.size for box in table.boxes) == [1, 1, 2, 3]
    with pytest.raises(BadInput, match="There's no box there"):
        virtual_boxes.taken_back(table, 0, 0, 1)


def test_a_deal_leaves_what_is_loaded():
    table = virtual_boxes.dealt(virtual_boxes.loaded(loads(), 3, 0, 0, 0, "x"), (0, 0, 0, 0, 1))
    assert sorted(box.size for box in table.boxes) == [3, 5]


def test_a_load_stays_on_its_truck_when_another_player_has_finished(demo):
    short = {"number": 2, "columns": 2, "rows": 1, "levels": 2, "loading_area_row_col": [[1, 1]]}
    first, third = {**CARD, "number": 1}, {**CARD, "number": 3}
    demo.prepare(Eyes(above=Kind.LOAD, knows={"truck_cards": [first, short, third]}))
    demo.boxes.deal((1, 1, 1, 0, 1))
    demo.boxes.load(3, 0, 0, 0, "x")
    demo.boxes.load(2, 1, 0, 0, "x")
    demo.boxes.load(1, 1, 0, 1, "z")
    lay = demo.snapshot().trucks[1]
    demo.prepare(Eyes(above=Kind.LOAD, knows={"truck_cards": [{**first, "finished": 1}, short, third]}))
    assert [loaded_sizes(demo.snapshot(), truck) for truck in (0, 1)] == [[], [1, 2]]  # the third's came
    assert demo.snapshot().trucks[1] == lay
    assert len(demo.snapshot().boxes) == 2  # the left-over five went with the player who has finished
    demo.boxes.deal((1, 0, 0, 0, 0))
    finished = [{**first, "finished": 1}, {**short, "finished": 2}, third]
    demo.prepare(Eyes(above=Kind.LOAD, knows={"truck_cards": finished}))
    assert [loaded_sizes(demo.snapshot(), truck) for truck in (0, 1)] == [[], [1, 2]]  # nobody needs its place
    assert len(demo.snapshot().boxes) == 2
    demo.prepare(Eyes(above=Kind.LOAD, knows={"truck_cards": [CARD, short, CARD]}))
    assert demo.snapshot().boxes == ()  # another round


def test_the_table_is_laid_for_what_the_cameras_look_for(demo):
    demo.prepare(Eyes(above=Kind.BOARD, knows={"board_n": 5}))
    assert len(list(squares(demo.snapshot()))) == 25
    demo.pieces.put(2, 2, "white")
    demo.prepare(Eyes(above=Kind.BOARD, knows={"board_n": 5, "colours": ["white"]}))
    assert len(demo.snapshot().pieces) == 1  # nothing that was there is put away for nothing
    demo.prepare(Eyes(above=Kind.LOAD, knows={"truck_cards": [CARD, CARD]}))
    assert demo.snapshot().pieces == ()
    assert sum(square.truck == 1 for square in squares(demo.snapshot())) == 4
    demo.prepare(Eyes(above=Kind.LOAD, knows={"truck_cards": [{"number": 14, **CARD}, CARD]}))
    assert [truck.number for truck in demo.snapshot().trucks] == [14, None]
    demo.prepare(Eyes(above=None))
    assert demo.snapshot().trucks
    demo.prepare(Eyes())
    assert demo.snapshot() == VirtualTable()


def test_a_game_that_the_cameras_look_for_nothing_of_finds_no_board_of_the_last_one(demo):
    demo.prepare(Eyes(above=Kind.BOARD))
    demo.put_away()
    demo.prepare(Eyes(above=None))
    assert demo.snapshot() == VirtualTable()
    demo.prepare(Eyes(above=Kind.BOARD))
    demo.prepare(Eyes(above=None))  # the same game, over
    assert demo.snapshot().mat == "board"


def test_without_a_board_or_trucks_fingers_find_nothing(demo):
    with pytest.raises(BadInput, match="There's no board on the table"):
        demo.pieces.put(0, 0, "white")
    with pytest.raises(BadInput, match="There are no trucks on the table"):
        demo.boxes.deal((1, 0, 0, 0, 0))
    demo.prepare(Eyes(above=Kind.BOARD))
    with pytest.raises(BadInput, match="There are no pieces like that"):
        demo.pieces.put(0, 0, "mauve")
    with pytest.raises(BadInput, match="That square isn't on the board"):
        demo.pieces.put(9, 0, "white")
