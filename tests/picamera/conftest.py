"""The cameras of the emulated machine. Elsewhere these tests say where they run."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HERE = os.environ.get("COMPANION_LIBCAMERA")  # set in the emulated machine
VIRTUAL = Path("/usr/share/libcamera/pipeline/virtual/virtual.yaml")  # libcamera's list of its cameras without a driver
DRIVER = Path("/sys/bus/platform/drivers/vimc")
DEVICE = "vimc.0"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """There is no such machine here."""
    if not HERE:
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="runs in the emulated machine of make test-picamera"))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """What failed is told at once: the machine may be switched off before the end."""
    if HERE and report.failed:
        print(f"\n{report.nodeid}\n{report.longreprtext}", flush=True)


def plug_in() -> None:
    """The driver's camera is there."""
    if not (DRIVER / DEVICE).exists():
        (DRIVER / "bind").write_text(DEVICE)
    subprocess.run(["udevadm", "settle"], check=True)


def unplug() -> None:
    """The driver's camera is gone."""
    if (DRIVER / DEVICE).exists():
        (DRIVER / "unbind").write_text(DEVICE)


@pytest.fixture
def two_without_a_driver() -> Iterator[None]:
    """libcamera has its two virtual cameras and no other."""
    unplug()
    yield
    plug_in()


@pytest.fixture
def one_of_a_driver() -> Iterator[None]:
    """libcamera has the camera of a driver and no other."""
    aside = VIRTUAL.with_suffix(".aside")
    VIRTUAL.rename(aside)
    plug_in()
    yield
    aside.rename(VIRTUAL)
    plug_in()


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str, str], None]:
    """Keeps a measured figure for the table at the end: what, and how much."""
    return record_property
