"""The service as systemd runs it on a Pi, hardened: it plays, and it comes back from whatever befalls it."""

import errno
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from firmware.plan import usual_plan
from tests.hardware.lines import Finger, Lines, Pull
from tests.hardware.plug import NODE, plugged_in, unplug

UNIT, CAMERAS = "table-companion.service", "table-camera.service"
STATE = Path("/var/lib/table-companion")
COMPANION = Path("/opt/table-companion/current/venv/bin/companion")
SERVICE_USER = "table-companion"
EXAMPLE = Path(__file__).parents[2] / "firmware" / "table.example.toml"
PLAN = usual_plan(4)
SEATS = [pins.button for pins in PLAN.seats]
START = dict(PLAN.buttons)["start"]
TIGHT = 2.5  # the worst exposure that is accepted, of 10
START_S = 90.0  # limits, never pauses; an emulated machine takes its time
SOON_S = 40.0
COUNTDOWN_US = 3_000_000


def systemctl(*arguments: str) -> str:
    """What systemctl answers."""
    done = subprocess.run(["systemctl", *arguments], capture_output=True, text=True, timeout=START_S, check=True)
    return done.stdout.strip()


def unit(name: str, of: str = UNIT) -> str:
    """A property of the unit."""
    return systemctl("show", "--value", "--property", name, of)


@cache
def token() -> str:
    """A host's ticket: root's programs are strangers to a service that runs as a user of its own."""
    command = [str(COMPANION), "token", "--data", str(STATE), "create", "host"]
    environment = dict(each.partition("=")[::2] for each in unit("Environment").split())
    made = subprocess.run(
        command,
        user=SERVICE_USER,
        group=SERVICE_USER,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=START_S,
        check=True,
    )
    return made.stdout.strip()


def call(path: str, body: Any = None) -> Any:
    """What the service answers its host: to a GET, or to a POST of `body`."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token()}"}
    request = urllib.request.Request(f"http://localhost{path}", data, headers)
    with urllib.request.urlopen(request, timeout=SOON_S) as response:
        text = response.read().decode()
    return json.loads(text) if path.startswith("/api") and not path.endswith("export") else text


def eventually(condition: Callable[[], Any], within_s: float = SOON_S) -> Any:
    """Waits until it holds, through times in which nobody answers."""
    until_s = time.monotonic() + within_s
    while time.monotonic() < until_s:
        try:
            if found := condition():
                return found
        except OSError:
            pass
        time.sleep(0.2)
    pytest.fail(f"it never came to be; the start page says {statuses()}")


def statuses() -> list[str]:
    """How camera and box are, as the start page tells every tablet."""
    return re.findall(r'<li class="status-[^>]*>.*?<span>(.*?)</span>', call("/"), re.DOTALL)


def says(words: str) -> bool:
    """Whether one of them has these words."""
    return any(words in text for text in statuses())


@pytest.fixture(scope="module")
def service(lines: Lines) -> Iterator[float]:
    """The unit, started with the example's pins; how long that took."""
    STATE.mkdir(exist_ok=True)
    (STATE / "table.toml").write_text(EXAMPLE.read_text())
    subprocess.run(["chown", "-R", "table-companion:", str(STATE)], check=True)
    lines.let_go(PLAN)
    unplug()  # the reader's networks would take all the time that an emulated machine has
    began_s = time.monotonic()
    systemctl("start", UNIT)  # returns when the service has said that it is ready
    yield time.monotonic() - began_s
    systemctl("stop", UNIT, CAMERAS)


@pytest.fixture(scope="module")
def game(service) -> str:
    """A game for two at the table."""
    return str(call("/api/sessions", {"game": "speedstax", "players": ["Ann", "Bob"]})["id"])


def entries(game: str) -> list[Any]:
    """The journal of a game."""
    lines = [json.loads(line) for line in call(f"/api/sessions/{game}/export").splitlines()]
    return [line for line in lines if "seq" in line]


def posted_us(entry: Any) -> int:
    """When the event of an entry happened."""
    return int(entry["body"]["posted"]["at_us"])


def test_it_is_ready_when_it_says_so_and_hardened(service, figure):
    assert unit("ActiveState") == "active"
    assert call("/healthz")
    judged = subprocess.run(["systemd-analyze", "security", "--no-pager", UNIT], capture_output=True, text=True)
    exposure = float(re.search(r"exposure level.*?: ([\d.]+)", judged.stdout)[1])
    assert exposure <= TIGHT
    figure("exposure of the unit (0 none, 10 all)", f"{exposure}")
    figure("start of the service, until it says ready", f"{service:.0f} s")


OPENS = """
import os, sys
group, device = sys.argv[1:]
with open(f"/sys/fs/cgroup{group}/cgroup.procs", "w") as processes:
    processes.write(str(os.getpid()))
try:
    os.close(os.open(device, os.O_RDWR))
    print("opened")
except OSError as error:
    print(error.errno)
"""


def opens(of: str, device: Path) -> str:
    """What root hears who opens a device in the unit's control group: "opened", or the error's number."""
    command = [sys.executable, "-c", OPENS, unit("ControlGroup", of), str(device)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=SOON_S).stdout.strip()


def test_the_service_has_no_camera_and_the_cameras_have_no_network(service):
    assert unit("ActiveState", CAMERAS) == "active"
    pins = next(Path("/dev").glob("gpiochip*"))
    with plugged_in():
        opened = {(of, device): opens(of, device) for of in (UNIT, CAMERAS) for device in (NODE, pins)}
    unplug()
    refused = str(errno.EPERM)
    assert opened == {
        (UNIT, NODE): refused,
        (UNIT, pins): "opened",
        (CAMERAS, NODE): "opened",
        (CAMERAS, pins): refused,
    }
    assert set(unit("RestrictAddressFamilies", CAMERAS).split()) == {"AF_UNIX", "AF_NETLINK"}
    assert set(unit("IPAddressDeny", CAMERAS).split()) == {"::/0", "0.0.0.0/0"}


def test_buttons_play_and_the_journal_keeps_their_edges(game, finger: Finger, lines: Lines):
    press(finger, SEATS[0])
    press(finger, SEATS[1])
    eventually(lambda: len(entries(game)) == 2)
    assert all(lines.shows(pins.led, True) for pins in PLAN.seats[:2])  # both are ready
    press(finger, START)
    started = eventually(lambda: entries(game)[2:])[0]
    while call("/api/clock")["now_us"] < posted_us(started) + COUNTDOWN_US:
        time.sleep(0.2)
    finger.play(
        [
            Pull(SEATS[1], True, 0),
            Pull(SEATS[0], True, 4_000),
            Pull(SEATS[0], False, 80_000),
            Pull(SEATS[1], False, 80_000),
        ]
    )
    first, second = eventually(lambda: len(entries(game)) == 5 and entries(game)[3:])
    assert [first["reading"]["button"], second["reading"]["button"]] == ["seat-2", "seat-1"]
    assert [1, posted_us(first)] in first["reading"]["trace"]
    assert 0 < posted_us(second) - posted_us(first) < 50_000


def press(finger: Finger, pin: int) -> None:
    """A finger's press."""
    finger.play([Pull(pin, True, 0), Pull(pin, False, 80_000)])


def comes_back(pid: str) -> None:
    """Another process than `pid` serves; systemd is asked late, as the one processor has a service to start."""
    eventually(lambda: call("/healthz"), START_S)
    eventually(lambda: unit("MainPID") not in ("0", pid) and unit("ActiveState") == "active")


def assert_kept(game: str, before: list[Any]) -> None:
    """What was there is there still; all that may have come is the end of the two minutes, on so slow a machine."""
    now = entries(game)
    assert now[: len(before)] == before
    assert [entry["body"]["posted"]["kind"] for entry in now[len(before) :]] in ([], ["TimeRanOut"])


def undone(game: str, before: list[Any]) -> bool:
    """Whether something was taken back since."""
    return any("posted" not in entry["body"] for entry in entries(game)[len(before) :])


def test_killed_it_comes_back_with_the_game_and_dark_lights_it_does_not_want(game, finger, lines, figure):
    before, pid = entries(game), unit("MainPID")
    lit = [lines.level(pins.led) for pins in PLAN.seats]
    began_s = time.monotonic()
    systemctl("kill", "--signal=KILL", UNIT)
    comes_back(pid)
    figure("kill -9 to ready again", f"{time.monotonic() - began_s:.0f} s")
    assert_kept(game, before)
    assert [lines.shows(pins.led, was) for pins, was in zip(PLAN.seats, lit, strict=True)] == [True] * 4
    press(finger, dict(PLAN.buttons)["undo"])
    eventually(lambda: undone(game, before))  # its pins are its own again


def test_when_it_hangs_the_watchdog_starts_it_again(game, finger, figure):
    before, pid, restarts = entries(game), unit("MainPID"), int(unit("NRestarts"))
    began_s = time.monotonic()
    systemctl("kill", "--signal=STOP", UNIT)
    eventually(lambda: int(unit("NRestarts")) > restarts, START_S)
    figure("hanging to killed by the watchdog", f"{time.monotonic() - began_s:.0f} s")
    comes_back(pid)
    assert_kept(game, before)
    press(finger, dict(PLAN.buttons)["undo"])
    eventually(lambda: undone(game, before))


def test_stopped_it_leaves_every_light_dark(game, lines):
    systemctl("stop", UNIT)
    outputs = [
        *(pins.led for pins in PLAN.seats),
        PLAN.buzzer.pin,
        PLAN.status.red,
        PLAN.status.green,
        PLAN.status.blue,
    ]
    assert not any(lines.level(pin) for pin in outputs)
