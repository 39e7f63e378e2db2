"""What a USB camera's spoilt pictures come to at the real service: said within three seconds, nothing wrong is entered.

The camera of the lab (`tests/lab`) stands below cv2.VideoCapture. In each test dice lie there from before, and the game
waits for a roll: what a fault hides and shows again must not pass for one.
"""

import pytest

from tests.lab.faults import SPOILT
from tests.lab.scenery import HUNT_S
from tests.lab.table import NOTICED_S, LabTable


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    table = LabTable(tmp_path_factory.mktemp("spoilt"))
    yield table
    table.close()


@pytest.mark.parametrize("fault", SPOILT, ids=str)
def test_a_spoilt_picture_is_said_or_read_through_and_the_dice_that_lie_there_are_no_roll(lab, fault):
    lab.shows(fault)


def test_a_focus_that_hunts_is_said_once_that_is_sure_and_enters_nothing(lab):
    """Sure is its second swing. This camera has no switch for its autofocus."""
    lab.begin_a_game()
    lab.make("hunting focus")
    said_s = lab.seconds_until("The camera's focus goes in and out, ", "hunting focus")
    assert said_s < 2 * HUNT_S + NOTICED_S
    lab.sees_again()
    lab.throws_and_is_read()
