"""Calibration: the messages about the printed mat while somebody sets the camera up."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """The outcome of a check; BAD: the table cannot be used like this."""

    OK = "ok"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True)
class MatCheck:
    """One check and its sentence: all is well, or what to do."""

    name: str
    verdict: Verdict
    text: str


@dataclass(frozen=True)
class LookAtMat:
    """A command: look at the mat several times a second, and send a `MatSeen` each time.

    until_us    table time at which this ends by itself; the page that watches sends the command again and again
    lens        a name in `vision.scene.lenses`, "" for the usual one of this camera
    die_mm      edge of the dice that are used at this table
    cell_mm     side of a square of the board, None for the usual one of this mat
    diameter_mm, thickness_mm  of the round pieces on the board, None for the usual ones on such squares
    unit_mm     side of the smallest box, None for the usual one
    block_mm    long, middle and short edge of the blocks, where a camera at table height is set up; None for one above
    tap         a die that somebody touched in the picture, to name its colour
    """

    until_us: int
    lens: str = ""
    die_mm: float = 16.0
    cell_mm: float | None = None
    diameter_mm: float | None = None
    thickness_mm: float | None = None
    unit_mm: float | None = None
    block_mm: tuple[float, float, float] | None = None
    tap: "Tap | None" = None


@dataclass(frozen=True)
class Tap:
    """The die at x and y, as parts of the picture's width and height, has this colour."""

    token: str
    colour: str
    x: float
    y: float


@dataclass(frozen=True)
class MatSeen:
    """The mat in one picture.

    jpeg        the picture, reduced, the markers that were found drawn in
    lens        name of the lens model that was used
    checks      in the order in which to fix them
    scene       fields of a scene file, empty while a check is bad
    colours     red, green, blue of the colours named so far
    tapped      token of the newest tap, and a sentence if it hit no die, otherwise ""
    """

    jpeg: bytes
    lens: str
    checks: tuple[MatCheck, ...]
    scene: Mapping[str, Any] = field(default_factory=dict)
    colours: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    tapped: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class UseScene:
    """A command: use this scene from now on; an empty one forgets the calibration.

    anew    True: read the table again and send the reading, since somebody has just changed how it is seen
    """

    scene: Mapping[str, Any] = field(default_factory=dict)
    anew: bool = False
