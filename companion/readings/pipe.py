"""What goes through the pipe between the service and the vision process."""

from dataclasses import dataclass

from companion.readings.dice import DiceReading


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
