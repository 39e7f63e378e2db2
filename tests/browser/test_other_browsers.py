"""The main flows once more where tablets run something else than Chromium: a roll, a correction, a clock."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import webdriver
from tests.browser.webdriver import Driver
from tests.service import Service, running

READY = "//button[@data-device-open and not(@hidden)]"  # its scripts have run: a tap before that is none


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("house"), "--camera", "none") as found:
        yield found


@pytest.fixture(scope="module", params=["WebKit", "Firefox"])
def tablet(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    if request.param == "WebKit":
        if not webdriver.has_webkit():
            pytest.skip("webkit2gtk-driver or xvfb is missing: that the pages work in WebKit stays unshown")
        with webdriver.webkit() as driver:
            yield driver
    else:
        if webdriver.firefox_program() is None:
            pytest.skip("Firefox is missing: that the pages work in it stays unshown")
        profile: Path = tmp_path_factory.mktemp("profile")
        with webdriver.firefox(profile) as driver:
            yield driver


def begin(tablet: Driver, table: Service, game: str) -> None:
    tablet.go(f"{table.url}/new?game={game}")
    tablet.type("(//input[@name='player'])[1]", "Ann")
    tablet.type("(//input[@name='player'])[2]", "Bob")
    tablet.tap("//button[starts-with(normalize-space(), 'Start ')]")
    tablet.find(f"//body[contains(@class, 'on-session')]{READY}")


def roll(tablet: Driver, first: int, second: int) -> None:
    tablet.tap(f"//button[@aria-label='{first} · {second}']")


def test_a_roll_and_its_correction(tablet, table):
    begin(tablet, table, "sack_stackers")
    roll(tablet, 3, 5)
    tablet.find("//*[@class='last-text' and contains(., '3 and 5')]")
    tablet.tap("//*[@class='last-taps']//a[contains(., 'Correct') or contains(@href, '/correct/')]")
    tablet.find(f"//body[contains(@class, 'correcting')]{READY}")
    roll(tablet, 5, 6)
    tablet.find("//dialog[@open and contains(., '5 and 6')]")
    tablet.tap("//dialog//button[@data-agree]")
    tablet.find("//*[@class='last-text' and contains(., 'Corrected')]")


def test_a_clock_counts_in_and_runs(tablet, table):
    begin(tablet, table, "speedstax")
    for name in ("Ann", "Bob"):
        tablet.tap(f"//article[contains(., '{name}')]//button[@aria-label='Ready']")
        tablet.find(f"//article[contains(., '{name}')]//*[@class='seat-state' and . = 'Ready']")
    tablet.tap("//button[@aria-label='Start']")
    tablet.find("//*[@data-clock and contains(@class, 'counting')]")
    tablet.find("//*[@data-clock and not(contains(@class, 'counting'))]//*[@data-clock-face and starts-with(., '1:5')]")
    tablet.tap("//article[contains(., 'Bob')]//button[@aria-label='MAX STAX']")
    tablet.find("//article[contains(., 'Bob')]//*[@class='seat-state' and contains(., '1st')]")
