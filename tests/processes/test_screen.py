"""`companion run --kiosk`: a browser on this machine's own screen. A program stands in for it; no screen was tried."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from companion.app.service.screen import CHROMIUM, Screen, command_for
from companion.errors import BadInput
from tests.processes.mortal import until
from tests.service import REAL, Service, running, runs

SOON_S = 30.0  # a limit, never a pause
UNIT = Path("hardware/systemd/table-kiosk.service")
BROWSER = """#!{python}
import json, os, sys, time, urllib.request
with urllib.request.urlopen(sys.argv[-1]) as answer:
    seen = {{"pid": os.getpid(), "arguments": sys.argv[1:], "status": answer.status, "page": answer.read().decode()}}
with open({log!r}, "a") as log:
    log.write(json.dumps(seen) + "\\n")
if sum(1 for _ in open({log!r})) > 1:
    time.sleep(3600)
"""


@pytest.fixture
def starts(tmp_path, monkeypatch):
    """How often a browser was started; the first ends at once, the second stays."""
    log = tmp_path / "starts"
    place(tmp_path / "bin/chromium", BROWSER.format(python=sys.executable, log=str(log)), monkeypatch)
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-1")

    def seen(wanted):
        until(lambda: log.exists() and len(log.read_text().splitlines()) >= wanted)
        return [json.loads(line) for line in log.read_text().splitlines()]

    return seen


def place(program, text, monkeypatch):
    program.parent.mkdir(exist_ok=True)
    program.write_text(text)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def test_the_scoreboard_comes_on_the_screen_comes_back_and_goes_with_the_table(tmp_path, starts):
    with running(tmp_path / "data", "--demo", "--kiosk", program=REAL) as service:
        first, second = starts(2)
        assert runs(Path(f"/proc/{second['pid']}"))
    address = service.url.replace("localhost", "127.0.0.1") + "/"
    assert first["arguments"] == [*CHROMIUM, f"--user-data-dir={tmp_path}/data/screen", address]
    assert (first["status"], "<html" in first["page"]) == (200, True)
    until(lambda: not runs(Path(f"/proc/{second['pid']}")))


def test_a_service_that_is_killed_leaves_no_browser_on_the_screen(tmp_path, starts):
    service = Service(tmp_path / "data", "--demo", "--kiosk", program=REAL)
    pid = starts(2)[1]["pid"]
    service.kill()
    until(lambda: not runs(Path(f"/proc/{pid}")))


@pytest.mark.parametrize(
    ("there", "desktop", "first"),
    [
        (("chromium", "cage"), {}, ("cage", "-d", "--", "chromium")),
        (("chromium", "cage"), {"WAYLAND_DISPLAY": "wayland-0"}, ("chromium", "--kiosk", "--ozone-platform=wayland")),
        (("chromium-browser",), {"DISPLAY": ":0"}, ("chromium-browser", "--kiosk", "--no-first-run")),
        (("cog", "cage"), {}, ("cage", "-d", "--", "cog")),
    ],
)
def test_what_is_there_shows_the_page(tmp_path, monkeypatch, there, desktop, first):
    only(tmp_path, monkeypatch, there, desktop)
    assert tuple(Path(part).name for part in command_for(tmp_path))[: len(first)] == first


@pytest.mark.parametrize(("there", "helps"), [((), "apt install chromium cage"), (("chromium",), "apt install cage")])
def test_where_nothing_can_show_it_one_sentence_says_what_to_install(tmp_path, monkeypatch, there, helps):
    only(tmp_path, monkeypatch, there, {})
    with pytest.raises(BadInput, match=helps):
        command_for(tmp_path)


def test_a_start_that_is_refused_says_one_sentence(tmp_path, monkeypatch):
    only(tmp_path, monkeypatch, (), {})
    command = [sys.executable, "-m", "companion", "run", "--demo", "--kiosk", "--port", "0", "--data", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=SOON_S)
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert "No browser" in result.stderr


def only(tmp_path, monkeypatch, there, desktop):
    """A machine with these programs and this desktop alone."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in there:
        place(tmp_path / "bin" / name, "", monkeypatch)
    for name in ("WAYLAND_DISPLAY", "DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in desktop.items():
        monkeypatch.setenv(name, value)


def test_the_installed_screen_starts_chromium_with_the_same_flags():
    assert set(CHROMIUM) <= set(UNIT.read_text().split())


def test_a_browser_that_ends_at_once_is_begun_again_after_longer_and_longer():
    screen = Screen(("/bin/true",), "")
    waits = []
    while len(waits) < 7:
        screen._look()
        until(lambda: screen._process.poll() is not None)
        waits.append(screen._look())
    assert waits == [3, 6, 12, 24, 48, 60, 60]
