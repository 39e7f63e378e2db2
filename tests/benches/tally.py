"""The counts of a bench that judges a reader: right ones among all, and processor time."""

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numpy as np

from companion.app.bench.figures import Figure

Given = ParamSpec("Given")
Reading = TypeVar("Reading")


class Tally:
    """Counts by name, in the order of their first mention, each of a total."""

    def __init__(self) -> None:
        self._counts: dict[str, list[int]] = {}
        self._spent_ms: list[float] = []

    def count(self, name: str, right: bool) -> None:
        self.add(name, int(right), 1)

    def add(self, name: str, count: int, total: int) -> None:
        """Counts so many of a total at once."""
        row = self._counts.setdefault(name, [0, 0])
        row[0] += count
        row[1] += total

    def timed(self, read: Callable[Given, Reading], *args: Given.args, **kwargs: Given.kwargs) -> Reading:
        """The result of `read`, whose processor time is recorded."""
        began = time.process_time()
        reading = read(*args, **kwargs)
        self._spent_ms.append((time.process_time() - began) * 1000)
        return reading

    def figures(self, group: str) -> list[Figure]:
        """A row for each count, then the median time."""
        rows = [Figure(name, group, count, total) for name, (count, total) in self._counts.items()]
        if self._spent_ms:
            rows.append(
                Figure("time a frame, one core, median", group, value=float(np.median(self._spent_ms)), unit="ms")
            )
        return rows
