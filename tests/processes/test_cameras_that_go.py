"""USB cameras that are slow, go, come back as another device or are kept by others, at the real service.

The camera of the lab (`tests/lab`) stands below cv2.VideoCapture, is named by its lasting path, and its devices lie in
a folder. In each test dice lie there from before, and the game waits for a roll.
"""

from pathlib import Path

import pytest

from companion.clock import monotonic_us
from tests.lab.table import LabTable

NOTICED_S = 3.0
SPARE_S = 1.5  # for a machine that does much else meanwhile


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    table = LabTable(tmp_path_factory.mktemp("gone"))
    yield table
    table.close()


@pytest.fixture(autouse=True)
def game(lab):
    lab.begin_a_game()


def test_a_camera_that_drops_out_is_said_and_comes_back(lab):
    lab.make("dropout")
    said_s = lab.seconds_until("The camera at number 0 has stopped sending pictures. Check its cable. ", "dropout")
    assert said_s < NOTICED_S + SPARE_S
    lab.sees_again()
    lab.throws_and_is_read()


def test_a_camera_that_another_program_has_is_said_with_that_program(lab):
    program = Path("/proc/self/comm").read_text().strip()
    with (lab.dev / "video0").open():
        lab.make("busy")
        said_s = lab.seconds_until(f"{program} is using the camera {lab.dev / 'video0'}. Close it.", "busy")
    assert said_s < NOTICED_S + SPARE_S
    lab.sees_again()
    lab.throws_and_is_read()


def test_an_account_without_a_right_to_the_camera_is_told_what_to_type(lab):
    lab.make("no right")
    sentence = f"This account isn't allowed to use the camera {lab.dev / 'video0'}. Type sudo usermod -aG video $USER"
    assert lab.seconds_until(sentence, "no right") < NOTICED_S + SPARE_S
    lab.sees_again()
    lab.throws_and_is_read()


def test_a_camera_that_takes_long_to_open_is_said(lab):
    gone_us = monotonic_us()
    lab.make("slow to open")
    assert lab.seconds_until(" has stopped sending pictures. ", since_us=gone_us) < NOTICED_S + SPARE_S
    assert lab.seconds_until("The camera is taking a long time to open. ", "slow to open") < NOTICED_S + SPARE_S
    lab.sees_again()
    lab.throws_and_is_read()


def test_a_camera_that_comes_back_as_another_device_is_found_by_its_lasting_name(lab):
    gone_us = lab.unplug()
    assert lab.seconds_until(" has stopped sending pictures. ", since_us=gone_us) < NOTICED_S + SPARE_S
    assert lab.seconds_until(f"There's no camera at {lab.camera}. ", since_us=gone_us) < NOTICED_S + SPARE_S
    lab.plug_in(2)
    lab.sees_again()
    lab.throws_and_is_read()


@pytest.mark.parametrize("fault", ["one a second", "swapped colours"])
def test_a_picture_that_is_slow_or_of_swapped_colours_lets_dice_be_read(lab, fault):
    lab.make(fault)
    lab.throws_and_is_read()
    lab.sees_again()


def test_a_focus_that_hunts_enters_nothing_that_does_not_lie_there(lab):
    lies = sorted(lab.order.dice)
    lab.make("hunting focus")
    lab.waits_until(lambda: lab.orders.began_us("hunting focus") >= 0)
    lab.sees_again()
    assert lab.entered() == []
    assert [sorted(question["event"]["dice"]) for question in lab.asked()] in ([], [lies])
    lab.begin_a_game()
    lab.throws_and_is_read()
