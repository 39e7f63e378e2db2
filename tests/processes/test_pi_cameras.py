"""The Pi's own camera that is slow, busy, refused, old or gone, at the real service.

The camera of the lab (`tests/lab/pi.py`) stands in for picamera2. In each test dice lie there from before, and the game
waits for a roll.
"""

import pytest

from companion.clock import monotonic_us
from tests.lab.faults import GONE, Fault
from tests.lab.table import NOTICED_S, PI, LabTable

STOPPED = "The Pi's camera has stopped sending pictures "
NO_RIBBON = Fault("no ribbon", "", "The Pi can't find a camera. Check the ribbon cable.")


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    table = LabTable(tmp_path_factory.mktemp("pi"), PI)
    (table.dev / "media0").touch()
    yield table
    table.close()


@pytest.mark.parametrize("fault", [*GONE, NO_RIBBON], ids=str)
def test_what_is_wrong_with_the_pis_camera_is_said_and_it_comes_back(lab, fault):
    lab.shows(fault)


def test_a_pis_camera_that_hangs_is_said_and_its_process_begun_anew(lab):
    lab.begin_a_game()
    lab.make("hanging")
    assert lab.seconds_until("The camera has stopped sending pictures. ", "hanging") < NOTICED_S
    lab.sees_again()
    assert lab.entered() == []
    lab.throws_and_is_read_or_asked()


def test_a_pis_camera_that_takes_long_to_open_is_said(lab):
    lab.begin_a_game()
    gone_us = monotonic_us()
    lab.make("slow to open")
    assert lab.seconds_until(STOPPED, since_us=gone_us) < NOTICED_S
    assert lab.seconds_until("The camera is taking a long time to open. ", "slow to open") < NOTICED_S
    lab.sees_again()
    lab.throws_and_is_read()


@pytest.mark.parametrize("fault", ["controls refused", "stamps of nonsense", "no stamps"])
def test_a_pis_camera_whose_driver_knows_less_lets_dice_be_read(lab, fault):
    lab.begin_a_game()
    lab.make("opened anew")
    lab.seconds_until(STOPPED, "opened anew")
    lab.sees_again_with(fault)
    lab.throws_and_is_read()
