"""A plugin of pytest: `--ring check`, `test` or `all` leaves out what that ring does not run."""

import json
from pathlib import Path

import pytest

from tests.rings import plan

RING = pytest.StashKey[plan.Plan]()
OUTCOMES = plan.ROOT / "build/outcomes.json"  # test → passed, failed or skipped


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ring", choices=plan.RINGS, default="all", help="which of the rings in tests/rings/rings.toml")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[RING] = plan.read()
    config.pluginmanager.register(Outcomes(), "outcomes")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file of which nothing runs is not even imported."""
    if collection_path.suffix != ".py" or config.stash[RING].keeps(named(collection_path), config.getoption("--ring")):
        return None
    return True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    ring, chosen = config.getoption("--ring"), config.stash[RING]
    left = [item for item in items if not chosen.keeps(item.nodeid, ring)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if chosen.keeps(item.nodeid, ring)]


class Outcomes:
    """Keeps how each test ended, for `make test-all`."""

    def __init__(self) -> None:
        self.ended: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            self.ended[report.nodeid] = report.outcome

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not hasattr(session.config, "workerinput"):
            OUTCOMES.parent.mkdir(exist_ok=True)
            OUTCOMES.write_text(json.dumps(self.ended), encoding="utf-8")


def named(path: Path) -> str:
    return path.relative_to(plan.ROOT).as_posix() if path.is_relative_to(plan.ROOT) else path.as_posix()
