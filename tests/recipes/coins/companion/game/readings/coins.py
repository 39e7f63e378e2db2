"""Coins on the table, as the camera believes they lie."""

from dataclasses import dataclass

from companion.game.readings.places import Box


@dataclass(frozen=True)
class CoinsReading:
    """One frame: every coin that lies there."""

    width: int
    height: int
    coins: tuple[Box, ...]
    accepted: bool = True
