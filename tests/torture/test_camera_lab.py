"""Faults people report of USB cameras, made below OpenCV in the real service: what the page says, what is entered."""

import html
import json
import os
import time
from pathlib import Path

import pytest

from tests.torture.house import House

NOTICED_S = 3.0
SPARE_S = 1.5  # for a machine that does much else meanwhile
SOON_S = 20.0  # a limit, never a pause
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

    def says(self, sentence: str) -> float:
        """How many seconds it took until the page says it."""
        began_s = time.monotonic()
        self.waits_for(sentence, lambda: sentence in self.page())
        return time.monotonic() - began_s

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


NO_PICTURE = "The camera at number 0 has stopped sending pictures. "
FAULTS = (
    ("black", "The camera sees only black. "),
    ("green", "The camera's picture is green. "),
    ("half grey", "Part of the camera's picture is empty. "),
    ("frozen", "The camera keeps sending one old picture. "),
    ("repeated", "The camera keeps sending one old picture. "),
    ("old", "The camera sends only old pictures. "),
    ("changed size", "pixels to 640 × 480. "),
    ("grey", "The camera shows no colours. "),
    ("purple", "The camera's picture is all purple. "),
    ("unplugged", NO_PICTURE),
)


@pytest.mark.parametrize(("fault", "sentence"), FAULTS)
def test_the_page_says_in_time_what_is_wrong_with_the_picture_and_nothing_is_entered(lab, fault, sentence):
    before = lab.entered(), lab.asked()
    lab.make(fault)
    assert lab.says(sentence) < NOTICED_S + SPARE_S
    assert (lab.entered(), lab.asked()) == before
    lab.make("none")
    lab.says(SEES)
    assert (lab.entered(), lab.asked()) == before


def test_a_camera_that_does_not_answer_is_said_to_be_missing(lab):
    lab.make("unplugged")
    lab.says("No camera answers at number 0. ")
    lab.make("none")
    lab.says(SEES)


def test_a_camera_that_takes_long_to_open_is_said_to(lab):
    lab.make("slow to open")
    assert lab.says(NO_PICTURE) < NOTICED_S + SPARE_S
    assert lab.says("The camera is taking a long time to open. ") < NOTICED_S + SPARE_S
    lab.make("none")
    lab.says(SEES)


def test_a_camera_that_another_program_has_is_said_to_be_in_use(lab):
    with (lab.place / "video0").open("w"):
        lab.make("busy")
        assert lab.says(f" is using the camera {lab.place / 'video0'}. Close it.") < NOTICED_S + SPARE_S
    (lab.place / "video0").unlink()
    lab.make("none")
    lab.says(SEES)


@pytest.mark.parametrize("fault", ["none", "one a second", "swapped colours", "grey", "purple"])
def test_what_leaves_the_table_in_view_lets_dice_be_read_as_they_lie(lab, fault):
    lab.make(fault)
    lab.lay("1 4")
    lab.waits_for("a reading", lambda: lab.entered() or lab.asked())
    print("READ", fault, lab.entered(), lab.asked())
    lab.lay("")
    lab.make("none")
    lab.says(SEES)
