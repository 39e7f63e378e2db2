"""Each thread of a running table and of its Wi-Fi helper is ended in turn: it is told of, and lives again."""

import contextlib
import dataclasses
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from companion.errors import HardwareUnavailable
from companion.network.wifi.door import Do, Wifi
from tests.processes.mortal import outlives, struck, until
from tests.service import running
from tests.stand_in_nmcli import World

MORTAL = "tests.processes.mortal:main"


@pytest.fixture
def table(tmp_path):
    elsewhere = ("--mqtt", "mqtt://127.0.0.1:1", "--hub", "http://127.0.0.1:1", "--enrol", "ABCD-EFGH")
    with running(tmp_path / "data", "--demo", *elsewhere, program=(MORTAL, str(tmp_path / "mortal"))) as service:
        yield service


def health(service):
    return {life["name"]: life for life in service.call("/healthz")[1]["threads"]}


def test_each_thread_of_a_table_lives_again(table, tmp_path):
    until(lambda: health(table)["supervisor of the camera"]["lives"])
    names = outlives(tmp_path / "mortal", lambda: health(table))
    assert names >= {
        *("pages", "requests", "streams", "timers", "looks", "daily work", "watchdog"),
        *("buttons", "lights and buzzer", "supervisor of the camera", "mqtt", "mqtt line", "hub"),
    }
    until(lambda: table.call("/healthz")[1]["status"] == "ok")
    assert table.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})[0] == 201


def test_a_camera_process_that_is_killed_is_told_of_and_comes_back(table):
    def cameras():
        return [pid for pid in children(table.process.pid) if b"spawn_main" in command(pid)]

    before = until(cameras)
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    until(lambda: health(table)["supervisor of the camera"]["restarts"])
    assert health(table)["supervisor of the camera"]["trouble"]
    until(lambda: set(cameras()) - set(before))


def children(pid):
    return [
        int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()
    ]


def command(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def test_a_thread_that_fails_stands_on_the_status_line_until_it_lives(table, tmp_path):
    def pages():
        for path in ("/", "/house"):
            with urllib.request.urlopen(table.url + path, timeout=10) as answer:
                yield "A part of the table has failed" in answer.read().decode()

    until(lambda: table.call("/healthz")[1]["status"] == "ok")
    assert not any(pages())
    for times in (1, 2, 3):  # It rests for longer each time, in the end for some looks of the watchdog.
        assert struck(tmp_path / "mortal", "daily work")
        until(lambda times=times: health(table)["daily work"]["restarts"] == times)
    until(lambda: any(pages()) and table.call("/healthz")[1]["status"] == "trouble")
    until(lambda: not any(pages()))


def test_each_thread_of_the_wifi_helper_lives_again(tmp_path):
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(tmp_path / "notify"))
    manager.settimeout(20)
    told = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "2000000"}
    world = World.new(tmp_path / "world.json")
    for folder in ("state", "etc", "run", "etc/dnsmasq-shared.d"):
        (tmp_path / folder).mkdir()
    path, where = tmp_path / "socket", [f"--{name}={tmp_path / name}" for name in ("state", "etc", "run")]
    arguments = [str(tmp_path / "mortal"), "wifi", "serve", str(path), f"--nmcli={world.command(tmp_path)}", *where]
    program = f"import sys; from tests.processes import mortal; sys.argv = ['companion', *{arguments!r}]; mortal.main()"

    def threads():
        try:
            return {life.name: dataclasses.asdict(life) for life in Wifi(path).ask(Do.TELL).threads}
        except HardwareUnavailable as error:
            raise OSError from error

    with manager, subprocess.Popen([sys.executable, "-c", program], env=os.environ | told) as helper:
        try:
            assert [manager.recv(100), manager.recv(100)] == [b"READY=1", b"WATCHDOG=1"]
            assert outlives(tmp_path / "mortal", threads) == {"wifi", "door"}
        finally:
            helper.terminate()
            assert helper.wait(20) == 0
