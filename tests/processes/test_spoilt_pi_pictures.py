"""Spoilt pictures of a Pi's camera at the real service: said within three seconds, and nothing wrong is entered.

As `test_spoilt_pictures.py`, with the same faults; the camera of the lab (`tests/lab/pi.py`) stands in for picamera2.
"""

import pytest

from tests.lab.faults import SPOILT
from tests.lab.scenery import HUNT_S
from tests.lab.table import NOTICED_S, PI, SEES, LabTable


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    table = LabTable(tmp_path_factory.mktemp("pi"), PI)
    yield table
    table.close()


@pytest.mark.parametrize("fault", SPOILT, ids=str)
def test_a_spoilt_picture_is_said_or_read_through_and_the_dice_that_lie_there_are_no_roll(lab, fault):
    lab.shows(fault)


def test_a_lens_that_hunts_is_said_and_then_held_where_it_is_sharp(lab):
    lab.begin_a_game()
    lab.make("hunting focus")
    said_s = lab.seconds_until("The camera's focus goes in and out, ", "hunting focus")
    assert said_s < 2 * HUNT_S + NOTICED_S
    lab.waits_until(lambda: SEES in lab.page())  # the lens would hunt still, if it were let
    lab.throws_and_is_read()
    lab.sees_again()
