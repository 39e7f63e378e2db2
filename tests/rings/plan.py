"""What `rings.toml` says, as values."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLAN = Path(__file__).with_name("rings.toml")
RINGS = ("check", "test", "all")


@dataclass(frozen=True)
class Part:
    """What only `make test-all` shows.

    shows       one sentence
    tests       files, folders or tests of pytest
    depends     files and folders: once one of them changes, what was shown is old
    """

    name: str
    shows: str
    depends: tuple[str, ...]
    tests: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """The rings.

    check       files and folders of `make check`
    always      tests that read sources as text, so that every change reaches them
    parts       what `make test` leaves to `make test-all`
    most_s      seconds of processors that a test file may take
    dearer      file → (seconds it may take, why)
    """

    check: tuple[str, ...]
    always: tuple[str, ...]
    parts: tuple[Part, ...]
    most_s: float
    dearer: dict[str, tuple[float, str]]

    def keeps(self, test: str, ring: str) -> bool:
        """Whether a test, by its pytest id, or a whole file runs in that ring."""
        if ring == "all":
            return True
        if any(holds(named, test) for part in self.parts for named in part.tests):
            return False
        return ring == "test" or any(holds(named, test) for named in self.check)


def holds(named: str, test: str) -> bool:
    """Whether a file, folder or test is, or holds, that test."""
    return test == named or test.startswith((f"{named}/", f"{named}::", f"{named}["))


def read() -> Plan:
    """The plan in `rings.toml`."""
    said = tomllib.loads(PLAN.read_text(encoding="utf-8"))
    parts = tuple(
        Part(
            name,
            part["shows"],
            tuple(part["depends"]),
            tuple(part["tests"]),
        )
        for name, part in said["part"].items()
    )
    dearer = {file: (line["most_s"], line["why"]) for file, line in said["costs"]["dearer"].items()}
    return Plan(tuple(said["check"]), tuple(said["always"]), parts, said["costs"]["most_s"], dearer)
