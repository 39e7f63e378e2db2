"""What systemd is told, and that it is told nothing where it is not there."""

import os
import re
import socket
from pathlib import Path

import pytest

from companion.app.service.systemd import ALIVE, READY, STEP_S, Systemd, take_over


@pytest.fixture
def manager(tmp_path):
    """systemd's end of the line."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(5)
        yield listener


def test_systemd_hears_what_it_is_told(manager):
    systemd = Systemd(manager.getsockname())
    systemd.tell(READY)
    systemd.tell(ALIVE)
    assert [manager.recv(100), manager.recv(100)] == [b"READY=1", b"WATCHDOG=1"]


def test_a_line_without_a_file_is_one_too():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(f"\0companion-test-{os.getpid()}")
        listener.settimeout(5)
        Systemd(f"@companion-test-{os.getpid()}").tell(READY)
        assert listener.recv(100) == b"READY=1"


def test_the_line_is_taken_so_that_nobody_else_says_ready(monkeypatch, manager):
    monkeypatch.setenv("NOTIFY_SOCKET", manager.getsockname())
    monkeypatch.setenv("WATCHDOG_USEC", "20000000")
    systemd = take_over()
    assert ("NOTIFY_SOCKET" in os.environ, "WATCHDOG_USEC" in os.environ) == (False, False)
    systemd.tell(READY)
    assert (manager.recv(100), systemd.alive_s) == (b"READY=1", 10.0)


def test_without_systemd_nothing_happens(monkeypatch, tmp_path):
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    monkeypatch.setenv("WATCHDOG_USEC", "soon")
    systemd = take_over()
    systemd.tell(READY)
    assert systemd.alive_s is None
    Systemd(str(tmp_path / "gone")).tell(READY)


def test_a_step_of_the_start_gets_as_long_as_the_unit_gives_for_the_first():
    unit = (Path(__file__).parents[2] / "hardware/systemd/table-companion.service").read_text()
    assert re.findall(r"^TimeoutStartSec=(\d+)$", unit, re.M) == [str(STEP_S)]
