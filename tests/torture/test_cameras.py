"""The camera goes wrong in every way: noticed within three seconds, said, mended, and nobody has to stop playing."""

import contextlib
import html
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from queue import SimpleQueue

import pytest

from companion.app.service.supervisor import Supervisor
from tests.torture.house import House, children

NOTICED_S = 3.0
SPARE_S = 1.5  # for a machine that does much else meanwhile
SOON_S = 40.0  # a limit, never a pause


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ("crash", "ended unexpectedly"),
        ("hang", "The camera has stopped sending pictures"),
        ("frozen", "one old picture"),
        ("black", "The camera sees only black"),
        ("burnt out", "The camera sees only white"),
        ("wrong size", "The camera's picture changed from 160 × 120 pixels to 160 × 60"),
        ("unplugged", "Check its cable"),
    ],
)
def test_the_real_vision_process_with_a_camera_that_goes_wrong(tmp_path, trouble, said):
    statuses: SimpleQueue = SimpleQueue()
    supervisor = Supervisor(
        "tests.torture.bad_cameras:watch_forever",
        (trouble, str(tmp_path / "mark")),
        lambda message: None,
        lambda *status: statuses.put((time.time(), *status)),
    )
    supervisor.start()
    try:
        _, _, state, text = statuses.get(timeout=SOON_S)
        assert (state, text) == ("ok", "The camera sees the table.")
        noticed_s, _, state, text = statuses.get(timeout=SOON_S)
        assert (state, said in text) == ("down", True), text
        assert noticed_s - (tmp_path / "mark").stat().st_mtime < NOTICED_S + SPARE_S
        until_s = time.monotonic() + SOON_S
        while state != "ok":
            _, _, state, text = statuses.get(timeout=max(0.0, until_s - time.monotonic()))
        assert text == "The camera sees the table."
    finally:
        supervisor.stop()


def watchers_of(pid: int) -> list[int]:
    """The vision processes among the children of `pid`."""
    return [one for one in children(pid) if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]


def camera_says(house: House, sentence: str, within_s: float) -> float:
    """How long it took until every page says it."""
    began_s = time.monotonic()
    while sentence not in html.unescape(house.text("/")[1]):
        assert time.monotonic() - began_s < within_s, f"{sentence!r} was not said"
        time.sleep(0.05)
    return time.monotonic() - began_s


def test_the_table_plays_on_while_its_camera_dies_and_hangs(tmp_path):
    house = House(tmp_path, "--demo")
    house.start()
    try:
        assert house.wait_until_ready(), house.complaints
        body = {"game": "sack_stackers", "players": ["Ann", "Bob"], "session_id": "plays-on"}
        assert house.call("/api/sessions", body)[0] == 201
        camera_says(house, "The camera sees the table.", SOON_S)

        os.kill(watchers_of(house.pid)[0], signal.SIGKILL)
        assert camera_says(house, "ended unexpectedly", SOON_S) < NOTICED_S + SPARE_S
        roll = {"event_id": "r1", "seen_seq": 0, "event": {"kind": "Rolled", "dice": [1, 4]}}
        assert house.call("/api/sessions/plays-on/events", roll)[0] == 200
        camera_says(house, "The camera sees the table.", SOON_S)

        os.kill(watchers_of(house.pid)[0], signal.SIGSTOP)
        assert camera_says(house, "process doesn't answer", SOON_S) < NOTICED_S + SPARE_S
        assert house.call("/api/sessions/plays-on/undo", {"event_id": "u1", "seen_seq": 1})[0] == 200
        camera_says(house, "The camera sees the table.", SOON_S)
    finally:
        house.stop()


def test_with_the_cameras_in_a_process_of_their_own_the_table_plays_on_without_it(tmp_path):
    place = tmp_path / "cameras"
    command = [sys.executable, "-m", "companion", "cameras", str(place)]
    house = House(tmp_path / "data", "--demo", "--cameras-from", str(place))
    (tmp_path / "data").mkdir()
    with contextlib.ExitStack() as cleared:
        first = cleared.enter_context(subprocess.Popen(command))
        cleared.callback(first.kill)
        house.start()
        cleared.callback(house.stop)
        assert house.wait_until_ready(), house.complaints
        camera_says(house, "The camera sees the table.", SOON_S)
        assert not watchers_of(house.pid)
        assert len(watchers_of(first.pid)) == 1

        first.kill()
        first.wait()
        camera_says(house, "process can't be started", SOON_S)
        body = {"game": "sack_stackers", "players": ["Ann", "Bob"], "session_id": "plays-on"}
        assert house.call("/api/sessions", body)[0] == 201
        second = cleared.enter_context(subprocess.Popen(command))
        cleared.callback(second.kill)
        camera_says(house, "The camera sees the table.", SOON_S)

        house.kill()
        until_s = time.monotonic() + SOON_S
        while watchers_of(second.pid):  # nobody watches for a service that is gone
            assert time.monotonic() < until_s
            time.sleep(0.05)
