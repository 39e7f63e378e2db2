"""What a camera's process and the service say to each other through their pipe, besides looks and what to read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Heartbeat:
    """The process has made progress."""


@dataclass(frozen=True)
class Status:
    """How its device is, and a sentence for the people at the table: see `companion.house.host.StatusLine`."""

    state: str
    text: str


@dataclass(frozen=True)
class ClockOffset:
    """Table time less the kernel's monotonic time, in microseconds."""

    offset_us: int


@dataclass(frozen=True)
class Stop:
    """The process shall end."""
