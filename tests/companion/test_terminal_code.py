"""The one-time link as a code on the terminal: scanned by OpenCV's detector as a phone would, and in no log."""

import io
import re
from contextlib import closing

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.access.access import Access
from companion.app.cli import token as command
from companion.app.service import server as service
from companion.app.service.systemd import Systemd
from companion.app.service.terminal_code import AS_BEFORE, WHITE_ON_BLACK, draw_code
from companion.errors import HardwareUnavailable
from companion.journal.store import Journal

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
    assert scanned(draw_code(LINK, Terminal())) == LINK


def test_no_code_where_nobody_could_scan_it(monkeypatch):
    assert draw_code(LINK, Terminal("ascii")) == ""
    monkeypatch.setenv("COLUMNS", "40")
    assert draw_code(LINK, Terminal()) == ""


@pytest.fixture
def started(tmp_path, monkeypatch):
    """Starts a new house that tells a terminal or a log of it; what that shows, and whether there is a PIN now."""
    monkeypatch.setattr(service, "own_address", lambda: "192.168.1.20")

    def start(said):
        monkeypatch.setattr("sys.stdout", said)
        with closing(Journal(tmp_path / "journal.sqlite3")) as journal:
            service.say_ready(8000, Access(journal), Systemd())
            return said.text() if isinstance(said, Terminal) else said.getvalue(), Access(journal).pin.is_set()

    return start


def test_the_start_shows_the_link_its_code_and_a_new_pin_on_a_terminal(started):
    text, has_pin = started(Terminal())
    link = next(word for word in text.split() if "/join/" in word)
    assert link.startswith("http://192.168.1.20:8000/join/")
    assert scanned(text) == link
    assert re.search(r"PIN, shown this once: \d{8}$", text, re.MULTILINE)
    assert has_pin


@pytest.mark.parametrize("address", ["192.168.1.20", None])
def test_where_the_system_cannot_tell_who_sits_here_every_printed_link_opens(started, monkeypatch, tmp_path, address):
    """As where there is no /proc: the screen here needs a link, too."""
    monkeypatch.setattr(service, "can_tell", lambda: False)
    monkeypatch.setattr(service, "own_address", lambda: address)
    text, _has_pin = started(Terminal())
    links = [word for word in text.split() if "/join/" in word]
    assert len(links) == (2 if address else 1)
    assert ("No other device can reach it now" in text) == (address is None)
    with closing(Journal(tmp_path / "journal.sqlite3")) as journal:
        assert all(Access(journal).redeem(link.rpartition("/join/")[2]) for link in links)  # one after the other


def test_a_log_keeps_nothing_that_opens_the_door(started):
    assert started(io.StringIO()) == ("Ready at http://localhost:8000\n", False)


@pytest.fixture
def token(tmp_path, monkeypatch):
    """Runs `companion token` for a new house; what it prints."""
    monkeypatch.setattr(command, "own_address", lambda: "192.168.1.20")
    Journal(tmp_path / "journal.sqlite3").close()

    def run(*arguments):
        done = CliRunner().invoke(
            command.token, ["--data", str(tmp_path), *map(str, arguments)], catch_exceptions=False
        )
        assert done.exit_code == 0
        return done.output

    return run


def test_the_machine_prints_a_link_for_the_host_and_takes_the_one_before_back(tmp_path, token):
    first, second = (re.fullmatch(r"http://192\.168\.1\.20:80/join/(\S+)\n", token("link", "--port", 80)) for _ in "12")
    with closing(Journal(tmp_path / "journal.sqlite3")) as journal:
        links = [Access(journal).tickets.ticket(each[1]) for each in (first, second)]
    assert links[0] is None
    assert (links[1].role, links[1].once) == ("host", True)


def test_a_machine_without_a_network_says_so_and_makes_no_link(tmp_path, token, monkeypatch):
    monkeypatch.setattr(command, "own_address", lambda: None)
    with pytest.raises(HardwareUnavailable, match="no address in a network"):
        token("link")
    with closing(Journal(tmp_path / "journal.sqlite3")) as journal:
        assert Access(journal).tickets.all() == ()


def test_a_first_pin_is_made_once_and_another_when_it_is_asked_for(token):
    assert re.fullmatch(r"\d{8}\n", token("pin", "--first"))
    assert token("pin", "--first") == ""
    assert re.fullmatch(r"\d{8}\n", token("pin"))
