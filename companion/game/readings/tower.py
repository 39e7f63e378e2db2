"""Stacks of wooden blocks seen from the front, as the camera believes they stand."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """The content of a stacking space."""

    STANDING = "standing"
    COLLAPSED = "collapsed"
    EMPTY = "empty"


@dataclass(frozen=True)
class BlockReading:
    """The outline of one block or cylinder: centre, size along its own sides and turn, in pixels and degrees."""

    cx: float
    cy: float
    w: float
    h: float
    angle_deg: float


@dataclass(frozen=True)
class MatchReading:
    """The comparison of a stack with the reference; `differences` are phrases such as "the third block is turned"."""

    same: bool
    confidence: float
    accepted: bool
    differences: tuple[str, ...] = ()


@dataclass(frozen=True)
class SpaceReading:
    """One stacking space, counted from 1 at the left; `match` only where a reference was given and a stack stands."""

    space: int
    status: Status
    confidence: float
    accepted: bool
    blocks: tuple[BlockReading, ...] = ()
    match: MatchReading | None = None


@dataclass(frozen=True)
class TowerReading:
    """All stacking spaces in one frame, empty ones too."""

    width: int
    height: int
    spaces: tuple[SpaceReading, ...]

    @property
    def accepted(self) -> bool:
        """True when nobody has to be asked about a space or a comparison."""
        return all(space.accepted and (space.match is None or space.match.accepted) for space in self.spaces)
