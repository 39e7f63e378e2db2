"""Measurements of a game: the rows of a bench."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """One row: either `count` of `total`, or a `value` with its `unit`.

    group   the set it was counted over
    """

    name: str
    group: str
    count: int | None = None
    total: int | None = None
    value: float | None = None
    unit: str = ""
