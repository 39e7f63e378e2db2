"""Readings, a sensor's beliefs: plain values that cross the pipe from the vision process, one module a reader.

A reading is never an event. Pixels are those of the frame the reading was made from, after its EXIF orientation. Every
reading has `width` and `height` in pixels and `accepted`, False when a person must be asked about a part of it.
"""

from typing import Any

from companion.game.readings.board import BoardReading, CellReading
from companion.game.readings.card import CardReading
from companion.game.readings.dice import ALWAYS_US, DiceReading, DieReading, StackReading, StacksReading
from companion.game.readings.kinds import OF_FRONT, Kind
from companion.game.readings.load import LeftReading, LoadReading, SquareReading, TruckReading
from companion.game.readings.pipe import (
    BOARD_BEFORE,
    TAPPED_CORNERS,
    EncodePhoto,
    Glance,
    Glanced,
    Photo,
    PhotoEncoded,
    Photograph,
    PhotoRead,
    PhotoUse,
    ReadPhoto,
    Settled,
    Stirred,
    Strictness,
    Watching,
)
from companion.game.readings.places import Box
from companion.game.readings.play import Play, PlayReading
from companion.game.readings.tower import BlockReading, MatchReading, SpaceReading, Status, TowerReading

Reading = DiceReading | StacksReading | BoardReading | LoadReading | TowerReading | CardReading

KINDS: dict[type[Any], Kind] = {
    DiceReading: Kind.DICE,
    StacksReading: Kind.STACKS,
    BoardReading: Kind.BOARD,
    LoadReading: Kind.LOAD,
    TowerReading: Kind.TOWER,
    CardReading: Kind.CARD,
}

__all__ = [
    "ALWAYS_US",
    "BOARD_BEFORE",
    "KINDS",
    "OF_FRONT",
    "TAPPED_CORNERS",
    "BlockReading",
    "BoardReading",
    "Box",
    "CardReading",
    "CellReading",
    "DiceReading",
    "DieReading",
    "EncodePhoto",
    "Glance",
    "Glanced",
    "Kind",
    "LeftReading",
    "LoadReading",
    "MatchReading",
    "Photo",
    "PhotoEncoded",
    "PhotoRead",
    "PhotoUse",
    "Photograph",
    "Play",
    "PlayReading",
    "ReadPhoto",
    "Reading",
    "Settled",
    "SpaceReading",
    "SquareReading",
    "StackReading",
    "StacksReading",
    "Status",
    "Stirred",
    "Strictness",
    "TowerReading",
    "TruckReading",
    "Watching",
]
