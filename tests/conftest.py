"""What several tests need: a house with a journal in a temporary folder, and games to play in it."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.house.host import Host
from companion.journal.store import Journal
from companion.table.table import Table

PHOTOS = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    """A house with an empty journal."""
    house = Host(Journal(tmp_path / "journal.sqlite3"))
    house.clock.offset_us += 10**10  # some hours have passed, however short ago this machine was started
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
