"""Lines of the kernel's GPIO simulator: `pull` does what a finger does, `level` sees what an LED shows."""

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from firmware.plan import BoxPlan

# Pulls lines at given moments. It imports next to nothing and never waits for the process that is tested. Where the
# machine made it late it stays as late, so that no pause gets shorter than it is meant to be.
FINGER = """
import json, os, sys, time
held = {}
for line in sys.stdin:
    pulls, done, late_us = json.loads(line), [], 0
    for folder, high, at_us in pulls:
        if folder not in held:
            held[folder] = os.open(folder + "/pull", os.O_WRONLY)
        left_us = at_us + late_us - time.monotonic_ns() // 1000
        if left_us > 400:
            time.sleep((left_us - 300) / 1e6)
        while (before := time.monotonic_ns() // 1000) < at_us + late_us:
            pass
        late_us = before - at_us
        os.pwrite(held[folder], b"pull-up" if high else b"pull-down", 0)
        done.append((before, time.monotonic_ns() // 1000))
    print(json.dumps(done), flush=True)
"""
LEAD_US = 20_000  # a finger needs a moment to begin


class Lines:
    """The lines of one simulated chip, by GPIO number."""

    def __init__(self, config: Path) -> None:
        """config      the chip's folder in configfs"""
        device = (config / "dev_name").read_text().strip()
        chip = (config / "bank0" / "chip_name").read_text().strip()
        self._folder = Path("/sys/devices/platform") / device / chip

    def folder(self, pin: int) -> Path:
        """Where the kernel shows that line."""
        return self._folder / f"sim_gpio{pin}"

    def pull(self, pin: int, high: bool) -> None:
        """Pulls the line up or down."""
        (self.folder(pin) / "pull").write_text("pull-up" if high else "pull-down")

    def level(self, pin: int) -> bool:
        """Whether the line is high, whoever drives it."""
        return (self.folder(pin) / "value").read_text().strip() == "1"

    def let_go(self, plan: BoxPlan) -> None:
        """Every button is up."""
        for _, _, _, pin in plan.named_buttons():
            self.pull(pin, True)

    def shows(self, pin: int, lit: bool, within_s: float = 20.0) -> bool:
        """Whether the line comes to that level in time."""
        until_s = time.monotonic() + within_s
        while self.level(pin) is not lit:
            if time.monotonic() > until_s:
                return False
            time.sleep(0.005)
        return True


@dataclass(frozen=True)
class Pull:
    """A button's contact closes or opens so long after the finger began."""

    pin: int
    closed: bool
    after_us: int


@dataclass(frozen=True)
class Pulled:
    """A pull as it was done: the moments right before and after it."""

    pull: Pull
    before_us: int
    after_us: int


class Finger:
    """Plays pulls on the lines from a process of its own; buttons connect to ground."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        command = [sys.executable, "-S", "-c", FINGER]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process
        self._process.kill()
        self._process.communicate()

    def play(self, pulls: list[Pull]) -> list[Pulled]:
        """Does them in the order of their moments; returns when all are done."""
        self.begin(pulls)
        return self.done(pulls)

    def begin(self, pulls: list[Pull]) -> None:
        """Begins to do them."""
        assert self._process
        assert self._process.stdin
        began_us = time.monotonic_ns() // 1_000 + LEAD_US
        plain = [(str(self._lines.folder(p.pin)), not p.closed, began_us + p.after_us) for p in ordered(pulls)]
        self._process.stdin.write(json.dumps(plain) + "\n")
        self._process.stdin.flush()

    def done(self, pulls: list[Pull]) -> list[Pulled]:
        """Waits until all are done."""
        assert self._process
        assert self._process.stdout
        moments: list[Any] = json.loads(self._process.stdout.readline())
        return [Pulled(pull, *moment) for pull, moment in zip(ordered(pulls), moments, strict=True)]


def ordered(pulls: list[Pull]) -> list[Pull]:
    """In the order in which they are done."""
    return sorted(pulls, key=lambda pull: pull.after_us)
