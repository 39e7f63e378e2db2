"""USB cameras that are slow, go, come back as another device or are kept by others, at the real service.

The camera of the lab (`tests/lab`) stands below cv2.VideoCapture, is named by its lasting path, and its devices lie in
a folder. In each test dice lie there from before, and the game waits for a roll.
"""

import pytest

from companion.clock import monotonic_us
from tests.lab.faults import GONE
from tests.lab.table import NOTICED_S, LabTable


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    table = LabTable(tmp_path_factory.mktemp("gone"))
    yield table
    table.close()


@pytest.mark.parametrize("fault", GONE, ids=str)
def test_a_camera_that_goes_is_said_and_comes_back(lab, fault):
    lab.shows(fault)


def test_a_camera_that_takes_long_to_open_is_said(lab):
    lab.begin_a_game()
    gone_us = monotonic_us()
    lab.make("slow to open")
    assert lab.seconds_until(" has stopped sending pictures. ", since_us=gone_us) < NOTICED_S
    assert lab.seconds_until("The camera is taking a long time to open. ", "slow to open") < NOTICED_S
    lab.sees_again()
    lab.throws_and_is_read()


def test_a_camera_that_comes_back_as_another_device_is_found_by_its_lasting_name(lab):
    lab.begin_a_game()
    gone_us = lab.unplug()
    assert lab.seconds_until(" has stopped sending pictures. ", since_us=gone_us) < NOTICED_S
    assert lab.seconds_until(f"There's no camera at {lab.camera}. ", since_us=gone_us) < NOTICED_S
    lab.plug_in(2)
    lab.sees_again()
    lab.throws_and_is_read()
