"""Messages through the pipe between a camera's process and the service, besides looks and what to read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Heartbeat:
    """The process has made progress."""


@dataclass(frozen=True)
class Status:
    """The state of its device, and a sentence for the people at the table: see `companion.house.status.StatusLine`."""

    state: str
    text: str


@dataclass(frozen=True)
class ClockOffset:
    """Table time less the kernel's monotonic time, in microseconds."""

    offset_us: int


@dataclass(frozen=True)
class Stop:
    """Tells the process to end."""


@dataclass(frozen=True)
class Sleep:
    """A command: whether the camera is closed until somebody plays again."""

    wanted: bool = False


@dataclass(frozen=True)
class KeepClips:
    """A command: whether clips are made; see `Clip`."""

    wanted: bool = False


@dataclass(frozen=True)
class Clip:
    """The last two seconds before a rest that was reported.

    picture     SHA-256, in hex, of the JPEG that the rest was reported with
    frames      number of pictures in the strip, which lie below one another, the first on top
    span_ms     from the first to the last of them
    strip       a JPEG
    """

    picture: str
    frames: int
    span_ms: int
    strip: bytes


@dataclass(frozen=True)
class PictureWanted:
    """The process asks for a picture of the phone that is its camera.

    token   of this picture; each piece of it carries the token
    full    whether to have one of the phone's full size, taken after this request
    at      the first byte still missing, 0 for a new picture
    """

    token: int
    full: bool
    at: int = 0


@dataclass(frozen=True)
class PicturePiece:
    """A part of such a picture, small enough for the pipe to take at once.

    at_us   when the picture came: the kernel's monotonic microseconds
    size    bytes of the whole picture
    at      number of the piece's first byte
    """

    token: int
    at_us: int
    size: int
    at: int
    content: bytes
