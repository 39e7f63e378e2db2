"""The Pi's own camera that is slow, busy, refused, old or gone, at the real service.

The camera of the lab (`tests/lab/pi.py`) stands in for picamera2. In each test dice lie there from before, and the game
waits for a roll.
"""

import pytest

from companion.clock import monotonic_us
from tests.lab.table import LabTable

NOTICED_S = 3.0
SPARE_S = 1.5  # for a machine that does much else meanwhile
STOPPED = "The Pi's camera has stopped sending pictures "


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    table = LabTable(tmp_path_factory.mktemp("pi"), "picamera")
    (table.dev / "media0").touch()
    yield table
    table.close()


@pytest.fixture(autouse=True)
def game(lab):
    lab.begin_a_game()


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("dropout", STOPPED),
        ("busy", "Another program is using the Pi's camera. Close it."),
        ("no ribbon", "The Pi can't find a camera. Check the ribbon cable."),
        ("no right", "Type sudo usermod -aG video $USER"),
        ("old", "The camera sends only old pictures. "),
    ],
)
def test_what_is_wrong_with_the_pis_camera_is_said_and_it_comes_back(lab, fault, sentence):
    lab.make(fault)
    assert lab.seconds_until(sentence, fault) < NOTICED_S + SPARE_S
    lab.sees_again()
    lab.throws_and_is_read()


def test_a_pis_camera_that_hangs_is_said_and_its_process_begun_anew(lab):
    lab.make("hanging")
    assert lab.seconds_until("The camera has stopped sending pictures. ", "hanging") < NOTICED_S + SPARE_S
    lab.sees_again()
    assert lab.entered() == []
    lab.throws_and_is_read_or_asked()


def test_a_pis_camera_that_takes_long_to_open_is_said(lab):
    gone_us = monotonic_us()
    lab.make("slow to open")
    assert lab.seconds_until(STOPPED, since_us=gone_us) < NOTICED_S + SPARE_S
    assert lab.seconds_until("The camera is taking a long time to open. ", "slow to open") < NOTICED_S + SPARE_S
    lab.sees_again()
    lab.throws_and_is_read()


@pytest.mark.parametrize("fault", ["controls refused", "stamps of nonsense", "no stamps"])
def test_a_pis_camera_whose_driver_knows_less_lets_dice_be_read(lab, fault):
    lab.make("opened anew")
    lab.seconds_until(STOPPED, "opened anew")
    lab.sees_again_with(fault)
    lab.throws_and_is_read()
