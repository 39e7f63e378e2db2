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
