"""Messages to systemd: that the service is ready, and repeatedly that it is alive. Without systemd nothing is sent.

The messages are those of sd_notify(3). `take_over` is called once, before any child is started.
"""

import contextlib
import os
import socket

from companion import periodic

READY = "READY=1"
ALIVE = "WATCHDOG=1"
# A start has come a step further: the next one gets as long as the unit gives for the first. So a machine gets up
# however slow it is, and one that hangs is started again as soon as elsewhere.
STEP_S = 90  # TimeoutStartSec in hardware/systemd/table-companion.service is as long.
STEP = f"EXTEND_TIMEOUT_USEC={STEP_S * 1_000_000}"


class Systemd:
    """The connection to the service manager that started us, if there is one.

    alive_s     interval for ALIVE, half of the watchdog's time; None without a watchdog
    """

    def __init__(self, address: str = "", watchdog_us: int | None = None) -> None:
        self._address = address
        self.alive_s = None if watchdog_us is None else watchdog_us / 2 / 1_000_000

    def tell_alive(self) -> float:
        """Tells that this program lives, if all needed threads do; returns the seconds until the next time."""
        if self.alive_s is not None and periodic.is_well():
            self.tell(ALIVE)
        return min(periodic.LOOK_S, self.alive_s or periodic.LOOK_S)

    def tell(self, words: str) -> None:
        """Sends a message; a failure is ignored, since the next message makes up for it."""
        if self._address:
            address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line, contextlib.suppress(OSError):
                line.sendto(words.encode(), address)


def take_over() -> Systemd:
    """The connection that this process was given, taken out of the environment so that no one else uses it."""
    address = os.environ.pop("NOTIFY_SOCKET", "")
    watchdog_us = os.environ.pop("WATCHDOG_USEC", "")
    return Systemd(address, int(watchdog_us) if watchdog_us.isdecimal() else None)
