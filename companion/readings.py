"""What a sensor believes it saw: plain values that cross the pipe from the vision process.

A reading is never an event. Pixels are those of the frame the reading was made from, after its EXIF orientation.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Box:
    """A place in a picture, upright: centre and size in pixels."""

    cx: float
    cy: float
    w: float
    h: float


@dataclass(frozen=True)
class DieReading:
    """One die as the camera believes it lies.

    value           1..6, the likeliest face, also when it is not accepted
    cx, cy, w, h    pixels: centre and upright box of the top face
    angle_deg       turn of the face, -45..45
    colour          name of the body colour, or None when it is none of the known ones
    confidence      0..1, calibrated: of a hundred dice at 0.99 one is wrong
    accepted        False: ask a person
    alternatives    (value, probability), likeliest first
    """

    value: int
    cx: float
    cy: float
    w: float
    h: float
    angle_deg: float
    colour: str | None
    confidence: float
    accepted: bool
    alternatives: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class DiceReading:
    """All dice in one frame; `unread` are things like a die that could not be read."""

    width: int
    height: int
    dice: tuple[DieReading, ...]
    unread: tuple[Box, ...] = ()

    @property
    def accepted(self) -> bool:
        """True when nothing in the frame has to be asked; an empty table is accepted."""
        return not self.unread and all(die.accepted for die in self.dice)


@dataclass(frozen=True)
class Photograph:
    """A command: somebody wants to see what the camera sees."""


@dataclass(frozen=True)
class Photo:
    """What the camera sees, reduced, as JPEG."""

    jpeg: bytes


@dataclass(frozen=True)
class Settled:
    """One reading of a table at rest, with the pictures to ask with.

    rested_us   table time at which the last thing moved
    read_us     table time at which the reading was ready
    frame_jpeg  the frame, reduced, as JPEG
    crops_jpeg  one JPEG for each die of the reading, then one for each unread box
    """

    reading: DiceReading
    rested_us: int
    read_us: int
    frame_jpeg: bytes
    crops_jpeg: tuple[bytes, ...]
