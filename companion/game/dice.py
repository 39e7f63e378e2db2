"""The dice of a roll, for the statistics."""

from dataclasses import dataclass

D6 = (1, 2, 3, 4, 5, 6)


@dataclass(frozen=True)
class Thrown:
    """One die of a roll, for the statistics: the kind of die, its faces, and the value it showed."""

    die: str
    faces: tuple[int, ...]
    value: int
