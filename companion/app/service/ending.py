"""The first thread of a program: it waits for the end, and meanwhile begins again what has ended unasked."""

import contextlib
import select
import signal
import socket
from typing import Self

from companion import periodic
from companion.app.service.systemd import Systemd

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGINT)
NO_SIGNAL = b"\0"


class Ending:
    """Waits for the end of the service: a signal, or the pages ending by themselves.

    The kernel may hand a signal to any thread, and Python's own waiting notices it only in the first one. What is
    written to the descriptor for signals wakes the first one whichever thread it was.
    """

    def __enter__(self) -> Self:
        self._signals, self._wake = socket.socketpair()
        self._wake.setblocking(False)
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        for number in ENDING_SIGNALS:
            signal.signal(number, lambda *_: None)
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(-1)
        self._signals.close()
        self._wake.close()

    def pages_have_ended(self) -> None:
        """Ends the wait; called on any thread."""
        with contextlib.suppress(OSError):  # The service has ended already.
            self._wake.send(NO_SIGNAL)

    def wait(self, systemd: Systemd | None = None) -> bool:
        """Waits for the end, and looks after the threads; returns whether a signal asked for it.

        systemd     is told meanwhile that the program lives
        """
        while not select.select([self._signals], [], [], periodic.LOOK_S)[0]:
            periodic.look_after()
            if systemd:
                systemd.tell_alive()
        return self._signals.recv(1) != NO_SIGNAL
