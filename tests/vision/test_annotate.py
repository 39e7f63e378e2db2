"""Readings drawn into their photograph, wherever what was read lies."""

import numpy as np
import pytest

from companion.game.readings import BoardReading, Box, CardReading, CellReading
from companion.game.readings.dice import DiceReading, DieReading, StackReading, StacksReading
from companion.game.readings.load import LeftReading, LoadReading, SquareReading, TruckReading
from companion.game.readings.play import Play, PlayReading
from companion.game.readings.tower import BlockReading, SpaceReading, Status, TowerReading
from vision.readers import annotate

FRAME = np.zeros((480, 640, 3), np.uint8)
SIZE = (640, 480)


def die(x, y):
    return DieReading(5, x, y, 40.0, 40.0, 30.0, "red", 0.9, False, ((5, 0.9),))


def drawn(x, y):
    """Every kind of reading, of one thing at a place, drawn into a black picture."""
    box, changed = Box(x, y, 40.0, 40.0), ((0, 0),)
    cells = ((CellReading(None, 0, 0.9, True, x, y), CellReading("red", 2, 0.9, False, x, y)),)
    squares = ((SquareReading(True, "red", True, x, y),),)
    block = BlockReading(x, y, 60.0, 40.0, 10.0)
    corners = ((x, y), (x + 90, y), (x + 90, y + 60), (x, y + 60))
    return (
        annotate.draw_dice(FRAME, DiceReading(*SIZE, (die(x, y),), (box,))),
        annotate.draw_stacks(FRAME, StacksReading(*SIZE, (StackReading(die(x, y), 2, True, (0, 1, 0, 0), 0.0, 0.0),))),
        annotate.draw_board(FRAME, BoardReading(*SIZE, cells)),
        annotate.draw_play(FRAME, PlayReading(*SIZE, Play("place", (0, 0), "red"), 0.9, True, (), changed, ((x, y),))),
        annotate.draw_load(
            FRAME, LoadReading(*SIZE, {2: 1}, 0.9, True, (TruckReading(squares),), (LeftReading(2, True, x, y),))
        ),
        annotate.draw_card(FRAME, CardReading(*SIZE, 7, "seven", 0.9, True, corners)),
        annotate.draw_tower(FRAME, TowerReading(*SIZE, (SpaceReading(1, Status.STANDING, 0.9, True, (block,)),))),
    )


def test_what_was_read_is_drawn_where_it_lies():
    for picture in drawn(300.4, 200.6):
        assert picture[140:290, 240:460].any()


def test_words_are_readable_on_a_ground_of_their_own_colour():
    picture = np.full((960, 1280, 3), annotate.SURE, np.uint8)
    annotate.label(picture, "green", (640, 480), annotate.SURE)
    rim = (picture == 255).all(axis=2)
    letters = rim[440:520, 560:720]
    assert letters.sum() == rim.sum() > 500
    assert not letters.all(axis=0).any()  # the letters within are not painted over


@pytest.mark.parametrize(("x", "y"), [(1e12, 5.0), (-3e9, -3e9), (2.0**31, 0.0), (1e38, -1e38)])
def test_what_lies_far_out_of_the_picture_is_no_error(x, y):
    for picture in drawn(x, y):
        assert not picture[140:290, 240:460].any()
