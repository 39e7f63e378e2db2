"""A game of others is built, installed and played in a browser; without its package it is kept, and comes back."""

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import TABLET, WITHOUT_CAMERA, deliberate_tap
from tests.browser.sound import assert_sound
from tests.service import REAL, running

PIG = Path(__file__).parents[1] / "recipes/pig"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder into which the package was installed, from its wheel."""
    folder = tmp_path_factory.mktemp("pig")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-cache-dir"]
    copy = folder / "source"
    subprocess.run(["cp", "-r", PIG, copy], check=True)  # A build leaves its traces there.
    for words in (
        ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, copy],
        ["install", "--quiet", "--no-deps", "--no-index", "--find-links", folder, "--target", folder / "site",
         "table-companion-pig"],
    ):  # fmt: skip
        subprocess.run([*pip, *words], check=True, capture_output=True, timeout=120)
    return folder / "site"


def test_its_own_tests_and_a_trial_find_nothing_wrong(installed, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(installed))
    tests = ["pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "source/tests"]
    trial = ["companion", "check-game", "pig", "--games", "100"]
    for words, says in ((tests, "4 passed"), (trial, "Nothing is wrong. Played: 100 games of Pig, ")):
        command = [sys.executable, "-m", *words]
        ran = subprocess.run(command, cwd=installed.parent, capture_output=True, text=True, timeout=120)
        assert (ran.returncode, says in ran.stdout) == (0, True), ran.stdout + ran.stderr


def roll(page, value):
    deliberate_tap(page.get_by_role("group", name="What did you roll?").get_by_role("button", name=str(value)))


def test_a_package_brings_a_game_that_is_played_kept_and_played_on(installed, browser, tmp_path, monkeypatch):
    with monkeypatch.context() as with_package:
        with_package.setenv("PYTHONPATH", str(installed))
        with (
            running(tmp_path, *WITHOUT_CAMERA, program=REAL) as service,
            browser.new_context(base_url=service.url, viewport=TABLET) as context,
        ):
            page = context.new_page()
            page.goto("/new")
            page.get_by_role("link", name="Pig").first.click()
            for place, name in enumerate(("Ann", "Bob")):
                page.locator("[name=player]").nth(place).fill(name)
            page.get_by_role("button", name="Start Pig").click()
            page.wait_for_url("**/s/*")
            session = page.url.rpartition("/")[2]
            for value in (6, 5):
                roll(page, value)
            expect(page.get_by_text("11 points at stake", exact=True)).to_be_visible()
            page.get_by_role("button", name="Hold (+11)").click()
            expect(page.get_by_role("heading", name="Bob: roll or hold")).to_be_visible()
            roll(page, 1)
            expect(page.get_by_role("heading", name="Ann: roll or hold")).to_be_visible()
            assert_sound(page)
            page.goto(f"/s/{session}/history")
            expect(page.get_by_text("Bob rolled a 1 and lost 0 points.").first).to_be_visible()
            page.locator("li", has_text="Ann rolled 5.").last.get_by_role("link", name="Correct").click()
            roll(page, 4)
            deliberate_tap(page.get_by_role("button", name="Correct it"))
            page.wait_for_url(f"**/s/{session}")
            expect(page.locator('[data-score="Ann 10"]')).to_be_visible()

    with running(tmp_path, *WITHOUT_CAMERA) as service:
        assert session not in [game["id"] for game in service.call("/api/sessions")[1] if not game["unreadable"]]
        (kept,) = [game for game in service.call("/api/sessions")[1] if game["id"] == session]
        assert "Its game comes with the package table-companion-pig 1.2.0." in kept["unreadable"]

    monkeypatch.setenv("PYTHONPATH", str(installed))
    with running(tmp_path, *WITHOUT_CAMERA, program=REAL) as service:
        state = service.call(f"/api/sessions/{session}")[1]
        names = {player["id"]: player["name"] for player in state["players"]}
        assert {names[player]: points for player, points in state["score"].items()} == {"Ann": 10, "Bob": 0}
