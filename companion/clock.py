"""Table time: integer microseconds of one monotonic clock that goes on through restarts and reboots.

Within one boot it is the kernel's CLOCK_MONOTONIC plus an offset, so an edge stamp of the kernel becomes table time by
one addition, and a wall clock that jumps (NTP, summer time) changes nothing. After a reboot the kernel starts at zero
again; the offset is then chosen so that table time advances by the wall clock's time since, which is limited to
0..LONGEST_OFF_US.
"""

import ctypes
import time
from dataclasses import dataclass
from pathlib import Path

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
BOARD = Path("/proc/device-tree/model")
CHIPS = Path("/sys/class/rtc")
SYNCHRONISED = Path("/run/systemd/timesync/synchronized")
LONGEST_OFF_US = 31 * 86_400_000_000  # It is longer than any timer; the wall clock may be a century ahead.
TIMEX_BYTES, TIME_ERROR = 512, 5  # The structure of linux/timex.h is smaller on every machine.


@dataclass(frozen=True)
class Instant:
    """A moment as the journal remembers it: which boot, kernel time, wall time and offset, all in microseconds."""

    boot_id: str
    monotonic_us: int
    wall_us: int
    offset_us: int


class Clock:
    """The table's clock. `offset_us` is added to the kernel's monotonic microseconds."""

    def __init__(self, offset_us: int = 0) -> None:
        self.offset_us = offset_us

    @classmethod
    def resume(cls, last: Instant | None) -> "Clock":
        """The clock that goes on from `last`, the newest instant that the journal holds."""
        if last is None:
            return cls(0)
        if last.boot_id and last.boot_id == boot_id():
            return cls(last.offset_us)
        off_us = min(max(0, wall_us() - last.wall_us), LONGEST_OFF_US)
        return cls(last.monotonic_us + last.offset_us + off_us - monotonic_us())

    def now_us(self) -> int:
        return monotonic_us() + self.offset_us

    def from_kernel(self, seconds: float) -> int:
        """Table time of a kernel stamp in seconds of CLOCK_MONOTONIC, as lgpio and V4L2 give it."""
        return round(seconds * 1_000_000) + self.offset_us

    def instant(self) -> Instant:
        return Instant(boot_id(), monotonic_us(), wall_us(), self.offset_us)


def monotonic_us() -> int:
    """The kernel's monotonic clock in microseconds."""
    return time.monotonic_ns() // 1_000


def uptime_us() -> int:
    """Microseconds since the kernel started. Unlike `monotonic_us`, it counts the time that a laptop slept, too."""
    return time.clock_gettime_ns(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)) // 1_000


def wall_us() -> int:
    """The wall clock in microseconds since 1970."""
    return time.time_ns() // 1_000


def is_wall_sure() -> bool:
    """Whether the wall clock can be believed: a clock chip runs without power, or something has set it since the start.

    Only single-board computers may have neither; every other machine is believed.
    """
    if not BOARD.exists() or any(CHIPS.glob("rtc*")) or SYNCHRONISED.exists():
        return True
    timex = ctypes.create_string_buffer(TIMEX_BYTES)  # Its `modes` are 0, which changes nothing.
    return bool(ctypes.CDLL(None).adjtimex(timex) not in (-1, TIME_ERROR))


def boot_id() -> str:
    """The id of this boot of the kernel, "" if the system has none."""
    try:
        return BOOT_ID.read_text().strip()
    except OSError:
        return ""
