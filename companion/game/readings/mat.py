"""Calibration: what the vision process sees of the printed mat while somebody sets the camera up."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """How a check came out: BAD means that the table cannot be used so."""

    OK = "ok"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True)
class MatCheck:
    """One thing that was looked at, and one sentence: what is well, or what to do."""

    name: str
    verdict: Verdict
    text: str


@dataclass(frozen=True)
class LookAtMat:
    """A command: look at the mat, several times a second, and send each time what is seen, as a `MatSeen`.

    until_us    table time at which that ends by itself; whoever watches asks again and again
    lens        a name in `vision.scene.lenses`, "" for the usual one of this camera
    die_mm      edge of the dice that are used at this table
    cell_mm     side of a square of the board, None for what is usual on this mat
    diameter_mm thickness_mm  of the round pieces on the board, None for what is usual on such squares
    unit_mm     side of the smallest box, None for the usual one
    block_mm    long, middle and short edge of the blocks, where a camera at table height is set up; None for one above
    tap         somebody touched a die in the picture, to say whose it is
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
    """A die in the picture is of this colour; x and y as parts of the picture's width and height."""

    token: str
    colour: str
    x: float
    y: float


@dataclass(frozen=True)
class MatSeen:
    """The look of the mat in one picture.

    jpeg        the picture, reduced, the markers that were found drawn in
    lens        the name of the lens that was reckoned with
    checks      in the order in which to mend them
    scene       fields of a scene file, empty while a check is bad
    colours     red, green, blue of the colours named so far
    tapped      token of the newest tap, and why it named no die, "" when it did
    """

    jpeg: bytes
    lens: str
    checks: tuple[MatCheck, ...]
    scene: Mapping[str, Any] = field(default_factory=dict)
    colours: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    tapped: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class UseScene:
    """A command: the table is described so from now on; an empty scene forgets it.

    anew    what lies there is read and told again: somebody has just said how to see it
    """

    scene: Mapping[str, Any] = field(default_factory=dict)
    anew: bool = False
