"""What the service tells systemd: that it is ready, and again and again that it is alive. Without systemd, nothing.

The words are those of sd_notify(3). `take_over` is called once, before any child is started.
"""

import contextlib
import os
import socket

READY = "READY=1"
ALIVE = "WATCHDOG=1"


class Systemd:
    """The line to the service manager that started us; silent where there is none.

    alive_s     how often it wants to hear that we are alive: twice in the time after which it gives us up; None: never
    """

    def __init__(self, address: str = "", watchdog_us: int | None = None) -> None:
        self._address = address
        self.alive_s = None if watchdog_us is None else watchdog_us / 2 / 1_000_000

    def tell(self, words: str) -> None:
        """Sends `words`; one that is lost is made up for by the next."""
        if self._address:
            address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line, contextlib.suppress(OSError):
                line.sendto(words.encode(), address)


def take_over() -> Systemd:
    """The line that this process was given; nobody else in it, and no child, has it from now on."""
    address = os.environ.pop("NOTIFY_SOCKET", "")
    watchdog_us = os.environ.pop("WATCHDOG_USEC", "")
    return Systemd(address, int(watchdog_us) if watchdog_us.isdecimal() else None)
