"""Fixtures of several tests: a house with a journal in a temporary folder, and a game in it."""

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from companion.house.host import Host
from companion.journal.store import Journal
from companion.table.table import Table
from tests import compiled_templates  # noqa: F401  # for every application of this process

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PHOTOS = Path(__file__).parents[2] / "shared" / "data"

# Property tests: the same few examples in every run, and in make test-long many.
PROFILE = settings(deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("everyday", PROFILE, max_examples=15, stateful_step_count=25)
settings.register_profile("long", PROFILE, max_examples=500, stateful_step_count=50)


# Each entry waits until a disk has it, which takes a hundred times as long as in memory, and longer beside other work.
MEMORY, LEAST_FREE = Path("/dev/shm"), 3 * 10**9


def pytest_configure(config: pytest.Config) -> None:
    """Sets the seed of the demo's throws in services that tests start to that of the run, and where houses lie.

    `make torture` and `make damage` show the same on a disk.
    """
    os.environ["COMPANION_SEED"] = str(config.getoption("--hypothesis-seed", "1"))
    if "TMPDIR" not in os.environ and has_room(MEMORY):
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


def has_room(folder: Path) -> bool:
    """Whether tests may keep files there and start programs from there."""
    if not os.access(folder, os.W_OK) or os.statvfs(folder).f_flag & os.ST_NOEXEC:
        return False
    return shutil.disk_usage(folder).free >= LEAST_FREE


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    terminalreporter.write_line(f"Random choices by --hypothesis-seed={os.environ['COMPANION_SEED']}")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    """A house with an empty journal."""
    house = Host(Journal(tmp_path / "journal.sqlite3"))
    house.clock.offset_us += 10**10  # table time is some hours, even on a machine that has just been started
    yield house
    house.journal.close()
    house.live.close()


@pytest.fixture
def sack(host: Host) -> Table:
    """Sack Stackers with Ann and Bob."""
    return host.create("sack_stackers", ["Ann", "Bob"], {})


@pytest.fixture
def fresh_id() -> Callable[[], str]:
    """Event ids that never repeat."""
    numbers = itertools.count(1)
    return lambda: f"tap-{next(numbers)}"


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """One Chromium for all tests of a process: Playwright runs once in each."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import CHROMIUM

    if CHROMIUM is None:
        pytest.skip("no Chromium was found: that taps, pages and the table work together in a browser stays unshown")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()
