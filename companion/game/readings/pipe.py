"""Messages of the pipe between the service and the vision process."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from companion.game.readings.kinds import Kind

# Somebody tapped these in a photo of a board: (4, 2) shares of its width and height, clockwise from row 1, column 1.
TAPPED_CORNERS = "tapped_corners"
BOARD_BEFORE = "board_before"  # It has an earlier photo of that board: (JPEG, its TAPPED_CORNERS).


@dataclass(frozen=True)
class Watching:
    """A command: read this each time the table comes to rest.

    kind    None for nothing
    knows   facts that the game knows about the table, in the fields of a scene file; they override the calibration.
            For a photo of a board, TAPPED_CORNERS or BOARD_BEFORE too
    """

    kind: Kind | None = None
    knows: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Strictness:
    """A command: accept dice only with this many times less doubt than usual; see `companion.sensing.strictness`."""

    times: float = 1.0


@dataclass(frozen=True)
class Glance:
    """A command: read the next picture, at rest or not. The answer is a `Glanced` with the same token."""

    token: str


@dataclass(frozen=True)
class Photograph:
    """A command: send a `Photo`."""


@dataclass(frozen=True)
class ReadPhoto:
    """A command: read this photo, which somebody took by hand. The answer is a `PhotoRead` with the same token.

    content     of the file: JPEG, PNG, or whatever else the readers open
    taken_us    table time at which it arrived, in place of the moment at which the table came to rest
    """

    token: str
    content: bytes
    watching: Watching
    taken_us: int


class PhotoUse(StrEnum):
    """What becomes of a photo that is kept: the small square of a face, or a picture of the final table."""

    FACE = "face"
    TABLE = "table"


@dataclass(frozen=True)
class EncodePhoto:
    """A command: encode this photo anew for its use. The answer is a `PhotoEncoded` with the same token."""

    token: str
    content: bytes
    use: PhotoUse


@dataclass(frozen=True)
class PhotoEncoded:
    """The answer to an `EncodePhoto`: a JPEG, b"" if it could not be made, and then the sentence why."""

    token: str
    jpeg: bytes
    sentence: str = ""


@dataclass(frozen=True)
class Stirred:
    """Something moves on a table that was at rest, or a hand came into view."""


@dataclass(frozen=True)
class Photo:
    """The camera's view as a reduced JPEG."""

    jpeg: bytes


@dataclass(frozen=True)
class Settled:
    """One reading of a table at rest, with pictures for a question.

    reading     of the kind that was asked for
    rested_us   table time of the last movement, by the same clock as the entries of a journal
    read_us     table time at which the reading was ready
    frame_jpeg  the frame, reduced, as JPEG
    crops_jpeg  for dice: one JPEG for each die of the reading, then one for each unread box
    surely_new  False: it may have been sent before, since the camera had just begun to look or was covered for a while
    """

    reading: Any
    rested_us: int
    read_us: int
    frame_jpeg: bytes
    crops_jpeg: tuple[bytes, ...]
    surely_new: bool = True


@dataclass(frozen=True)
class Glanced:
    """The answer to a `Glance`: `settled` as if the table had come to rest in that picture."""

    token: str
    settled: Settled


@dataclass(frozen=True)
class PhotoRead:
    """The answer to a `ReadPhoto`.

    settled        as if the table had come to rest in the photo; None if it could not be read
    sentence       why it could not be read, then what to do
    wants_corners  whether it can be read once somebody has tapped the board's corners in it
    """

    token: str
    settled: Settled | None
    sentence: str = ""
    wants_corners: bool = False
