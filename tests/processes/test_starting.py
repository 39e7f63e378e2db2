"""`companion cameras`: a process of its own that has the cameras, as the installed units have it."""

import os
import signal
import stat
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from companion.app.service.camera_process import CAMERA_TARGET, CamerasElsewhere, serve_cameras
from companion.app.service.supervisor import START_S
from companion.app.service.systemd import Systemd
from tests.service import halt

SOON_S = 20.0  # a limit, never a pause


@contextmanager
def cameras_at(path):
    """The real command, ready."""
    with subprocess.Popen([sys.executable, "-m", "companion", "cameras", str(path)], stderr=subprocess.PIPE) as process:
        try:
            CamerasElsewhere(path).look(SOON_S)
            yield process
        finally:
            process.kill()


def refused(path):
    command = [sys.executable, "-m", "companion", "cameras", str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=SOON_S)


def test_one_has_the_cameras_and_a_second_is_one_sentence(tmp_path):
    with cameras_at(tmp_path / "socket"):
        result = refused(tmp_path / "socket")
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert "already has the cameras" in result.stderr


@pytest.mark.parametrize("place", ["no-such-folder/socket", "x" * 120], ids=["isn't a folder", "too long"])
def test_a_place_that_cannot_be_is_one_sentence(tmp_path, place):
    result = refused(tmp_path / place)
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert "name another place" in result.stderr


def test_a_file_in_its_place_is_left_alone(tmp_path):
    (tmp_path / "socket").write_text("a letter")
    result = refused(tmp_path / "socket")
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert (tmp_path / "socket").read_text() == "a letter"


def test_what_a_killed_one_left_is_replaced_and_nobody_else_can_knock(tmp_path):
    path = tmp_path / "socket"
    for _ in range(2):
        with cameras_at(path):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.is_socket()  # both were killed


def test_it_starts_the_process_that_watches_a_camera_and_nothing_else(tmp_path):
    with cameras_at(tmp_path / "socket") as process:
        there = CamerasElsewhere(tmp_path / "socket")
        with pytest.raises(AssertionError):
            there.start("camera", "os:system", ("true",))
        ours, helper = there.start("camera", CAMERA_TARGET, (str(tmp_path / "no-such-folder"),))
        assert ours.poll(START_S)
        ours.recv()  # it lives
        command = f"/proc/{helper.pid}/status"
        with open(command) as status:
            assert f"PPid:\t{process.pid}\n" in status.read()
        process.send_signal(signal.SIGKILL)
        assert helper.sentinel.poll(SOON_S)  # told that it has ended
        until_s = time.monotonic() + SOON_S
        while os.path.exists(command):  # the guard ends it with its parent
            assert time.monotonic() < until_s
            time.sleep(0.01)
        helper.end(0)
        ours.close()


def test_nobody_there_is_an_error_in_good_time(tmp_path):
    there = CamerasElsewhere(tmp_path / "socket")
    with pytest.raises(FileNotFoundError):
        there.look(there_s=0.0)
    with pytest.raises(FileNotFoundError):
        there.start("camera", CAMERA_TARGET, ("none",))


def test_one_that_hangs_keeps_nobody_waiting(tmp_path, monkeypatch):
    monkeypatch.setattr("companion.app.service.camera_process.ANSWER_S", 0.1)
    with cameras_at(tmp_path / "socket") as process:
        there = CamerasElsewhere(tmp_path / "socket")
        halt(process.pid)
        began_s = time.monotonic()
        with pytest.raises(TimeoutError):
            there.start("camera", CAMERA_TARGET, ("none",))
        assert time.monotonic() - began_s < SOON_S / 2


def test_systemd_is_told_when_it_can_be_reached(tmp_path, monkeypatch):
    told = []

    class Line(Systemd):
        def tell(self, words):
            told.append((words, (tmp_path / "socket").is_socket()))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        serve_cameras(tmp_path / "socket", Line())
    assert told == [("READY=1", True)]
