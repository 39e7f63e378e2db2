"""Faults people report of USB cameras, made below OpenCV in the real service: what the page says, what is entered."""

import html
import json
import os
import time
from pathlib import Path

import pytest

from tests.torture.house import House

SOON_S = 15.0  # a limit, never a pause
SEES = "The camera sees the table."
GAME = "camera-lab"


class Lab:
    """The service with the stand-in as its only camera."""

    def __init__(self, place: Path) -> None:
        self.place = place / "lab"
        self.place.mkdir()
        (place / "data").mkdir()
        self.make("none")
        self.lay("")
        here = os.pathsep.join((str(Path(__file__).parent / "lab"), os.environ.get("PYTHONPATH", "")))
        surroundings = {"CAMERA_LAB": str(self.place), "PYTHONPATH": here.rstrip(os.pathsep)}
        self.house = House(place / "data", "--camera", "0", environment=surroundings)
        self.house.start()

    def _write(self, name: str, text: str) -> None:
        new = self.place / f"{name}.new"
        new.write_text(text)
        new.replace(self.place / name)

    def make(self, fault: str) -> None:
        self._write("fault", fault)

    def lay(self, dice: str) -> None:
        """Lays these dice, such as "1 4"."""
        self._write("dice", dice)

    def waits_for(self, what, condition):
        until_s = time.monotonic() + SOON_S
        while not (found := condition()):
            assert time.monotonic() < until_s, f"{what}: did not happen; the page: {self.camera_says()}"
            time.sleep(0.05)
        return found

    def page(self) -> str:
        return html.unescape(self.house.text("/")[1])

    def camera_says(self) -> list[str]:
        return [line.strip() for line in self.page().splitlines() if "camera" in line.lower()]

    def says(self, sentence: str) -> None:
        self.waits_for(sentence, lambda: sentence in self.page())

    def entered(self) -> list[dict]:
        """The events of the game so far."""
        lines = self.house.text(f"/api/sessions/{GAME}/export")[1].splitlines()
        return [entry["event"] for entry in map(json.loads, lines) if "event" in entry]

    def asked(self) -> list[dict]:
        return self.house.call(f"/api/sessions/{GAME}/proposals")[1]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"))
    try:
        assert lab.house.wait_until_ready(), lab.house.complaints
        lab.says(SEES)
        body = {"game": "sack_stackers", "players": ["Ann", "Bob"], "session_id": GAME}
        assert lab.house.call("/api/sessions", body)[0] == 201
        yield lab
    finally:
        lab.house.stop()


FAULTS = (
    ("black", "The camera sees nothing but black: "),
    ("green", "The camera's picture is green: "),
    ("half grey", "A part of the camera's picture is empty: "),
    ("frozen", "The camera repeats one old picture: "),
    ("repeated", "The camera repeats one old picture: "),
    ("old", "The camera gives nothing but old pictures: "),
    ("changed size", "pixels and is now 640 × 480: "),
    ("grey", "The camera shows no colours: "),
    ("purple", "The camera's picture is purple all over: "),
    ("unplugged", "No camera answers at number 0: "),
    ("slow to open", "The camera takes long to open: "),
)


@pytest.mark.parametrize(("fault", "sentence"), FAULTS)
def test_the_page_says_what_is_wrong_with_the_picture_and_nothing_is_entered(lab, fault, sentence):
    before = lab.entered(), lab.asked()
    lab.make(fault)
    lab.says(sentence)
    assert (lab.entered(), lab.asked()) == before
    lab.make("none")
    lab.says(SEES)


def test_a_camera_that_another_program_has_is_said_to_be_in_use(lab):
    with (lab.place / "video0").open("w"):
        lab.make("busy")
        lab.says("video0 is in use by ")
    lab.make("none")
    lab.says(SEES)


@pytest.mark.parametrize("fault", ["one a second", "swapped colours", "hunting focus"])
def test_what_leaves_the_table_in_view_is_no_fault_and_enters_nothing(lab, fault):
    before = lab.entered(), lab.asked()
    lab.make("opened anew")
    lab.says("The camera at number 0 gives no picture any more: ")
    lab.make(fault)
    lab.says(SEES)
    assert (lab.entered(), lab.asked()) == before
    lab.make("none")


def test_after_all_of_them_dice_are_read_as_they_lie(lab):
    assert lab.entered() == []
    lab.lay("1 4")
    lab.waits_for("a reading", lambda: lab.entered() or lab.asked())
    print(lab.entered(), lab.asked())
    assert 0
