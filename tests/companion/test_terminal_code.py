"""The one-time link as a code on the terminal: scanned by OpenCV's detector as a phone would, and in no log."""

import io
from contextlib import closing

import cv2
import numpy as np
import pytest

from companion.access.access import Access
from companion.journal.store import Journal
from companion.service import server as service
from companion.service.systemd import Systemd
from companion.service.terminal_code import AS_BEFORE, WHITE_ON_BLACK, drawn

LINK = "http://192.168.1.20:8000/join/" + "T0ken-" * 9
HALVES = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}  # lit: upper, lower
MODULE_PX = 8


class Terminal(io.TextIOWrapper):
    """What is printed on a screen with this encoding."""

    def __init__(self, encoding="utf-8"):
        super().__init__(io.BytesIO(), encoding=encoding)

    def isatty(self):
        return True

    def text(self):
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def scanned(text):
    """What a phone reads off the screen."""
    lines = [
        line.removeprefix(WHITE_ON_BLACK).removesuffix(AS_BEFORE)
        for line in text.splitlines()
        if line.startswith(WHITE_ON_BLACK)
    ]
    lit = np.array([[HALVES[letter][half] for letter in line] for line in lines for half in (0, 1)], np.uint8)
    picture = np.kron(lit * 255, np.ones((MODULE_PX, MODULE_PX), np.uint8))
    return cv2.QRCodeDetectorAruco().detectAndDecode(picture)[0]  # the other detector misses one sharp code in eighty


def test_a_phone_reads_the_link_off_the_terminal():
    assert scanned(drawn(LINK, Terminal())) == LINK


def test_no_code_where_nobody_could_scan_it(monkeypatch):
    assert drawn(LINK, io.StringIO()) == ""  # a log
    assert drawn(LINK, Terminal("ascii")) == ""
    monkeypatch.setenv("COLUMNS", "40")
    assert drawn(LINK, Terminal()) == ""


@pytest.mark.parametrize("screen", [Terminal, io.StringIO])
def test_the_start_shows_the_link_and_on_a_terminal_its_code(tmp_path, monkeypatch, screen):
    monkeypatch.setattr(service, "own_address", lambda: "192.168.1.20")
    said = screen()
    monkeypatch.setattr("sys.stdout", said)
    with closing(Journal(tmp_path / "journal.sqlite3")) as journal:
        service.say_ready(8000, Access(journal), Systemd())
    text = said.text() if isinstance(said, Terminal) else said.getvalue()
    link = next(word for word in text.split() if "/join/" in word)
    assert link.startswith("http://192.168.1.20:8000/join/")
    if screen is Terminal:
        assert scanned(text) == link
    else:
        assert "█" not in text
        assert "\x1b" not in text
