"""The emulated machine's pins as fingers and eyes have them. Elsewhere these tests say where they run."""

import contextlib
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest

from companion.clock import Clock
from companion.game.box import Signal
from firmware.box import Box
from firmware.pi import pi_factory
from firmware.plan import usual_plan
from tests.hardware.lines import Finger, Lines

SOON_S = 20.0  # a limit, never a pause
PINS = os.environ.get("COMPANION_PINS")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """There is no such machine here."""
    if not PINS:
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="runs in the emulated machine of make test-gpio"))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """What failed is told at once: the machine may be switched off before the end."""
    if PINS and report.failed:
        print(f"\n{report.nodeid}\n{report.longreprtext}\n{report.caplog}", flush=True)


@pytest.fixture(scope="session")
def lines() -> Lines:
    """The header's lines, to pull and to read."""
    assert PINS
    return Lines(Path(PINS))


@pytest.fixture(scope="session")
def finger(lines: Lines) -> Iterator[Finger]:
    """A process of its own that plays fingers, so that it does not wait for the box's Python."""
    with Finger(lines) as finger:
        yield finger


class Heard:
    """Signals as they come."""

    def __init__(self) -> None:
        self._signals: SimpleQueue[Signal] = SimpleQueue()

    def __call__(self, signal: Signal) -> None:
        self._signals.put(signal)

    def next(self) -> Signal:
        """The next one, however long the machine takes to tell it."""
        return self._signals.get(timeout=SOON_S)

    def next_of(self, many: int) -> list[Signal]:
        """The next so many, and no more."""
        signals = [self.next() for _ in range(many)]
        return signals + self.more()

    def more(self, quiet_s: float = 0.1) -> list[Signal]:
        """What comes until nothing has come for so long."""
        signals = []
        with contextlib.suppress(Empty):
            while True:
                signals.append(self._signals.get(timeout=quiet_s))
        return signals


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def box(lines: Lines, heard: Heard) -> Iterator[Box]:
    """The table's box on the kernel's pins, through the same doors as on a Pi."""
    lines.let_go(usual_plan(4))
    with Box(usual_plan(4), pi_factory(), heard, Clock()) as box:
        yield box


@pytest.fixture
def chance() -> random.Random:
    """The same in every run."""
    return random.Random(5)


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str, str], None]:
    """Keeps a measured figure for the table at the end: what, and how much."""
    return record_property
