"""Fixtures of several tests: a house with a journal in a temporary folder, and a game in it."""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from companion.house.host import Host
from companion.journal.store import Journal
from companion.table.table import Table

PHOTOS = Path(__file__).parents[2] / "shared" / "data"

# Property tests: the same few examples in every run, and in make test-long many.
PROFILE = settings(deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("everyday", PROFILE, max_examples=15, stateful_step_count=25)
settings.register_profile("long", PROFILE, max_examples=500, stateful_step_count=50)


def pytest_configure(config: pytest.Config) -> None:
    """Sets the seed of the demo's throws in services that tests start to that of the run."""
    os.environ["COMPANION_SEED"] = str(config.getoption("--hypothesis-seed", "1"))


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
