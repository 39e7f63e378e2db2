"""A thread that acts again and again. A failure in one round is logged, and the next round follows."""

import logging
import math
import threading
import time
from collections.abc import Callable

PAUSE_S = 1.0
HUNG_S = 60.0  # A slow disk needs less for a round.
STOP_S = 5.0

log = logging.getLogger(__name__)


class PeriodicThread:
    """Calls `act` on a thread of its own, from `start` to `stop`.

    act         one round; returns the seconds until the next, or None to end
    first_s     until the first round
    pause_s     until the next round after one that failed
    """

    def __init__(
        self, name: str, act: Callable[[], float | None], *, first_s: float = 0.0, pause_s: float = PAUSE_S
    ) -> None:
        self._act = act
        self._first_s = first_s
        self._pause_s = pause_s
        self._wake = threading.Event()
        self._stopped = False
        self._hung_s = math.inf
        """When the present round counts as hung, in monotonic seconds."""
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def again(self) -> None:
        """Begins the next round now, or right after the present one."""
        self._wake.set()

    def stop(self) -> None:
        """Ends the thread; waits up to STOP_S for the present round."""
        self._stopped = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(STOP_S)

    @property
    def is_stopping(self) -> bool:
        """Whether `stop` was called: a long round may end early."""
        return self._stopped

    def is_alive(self) -> bool:
        """Whether the thread runs and its present round does not hang."""
        return self._thread.is_alive() and time.monotonic() < self._hung_s

    def _run(self) -> None:
        wait_s: float | None = self._first_s
        while wait_s is not None:
            self._wake.wait(wait_s)
            self._wake.clear()
            if self._stopped:
                return
            self._hung_s = time.monotonic() + HUNG_S
            try:
                wait_s = self._act()
            except Exception:
                log.exception("%s: a round failed, the next comes in %g s", self._thread.name, self._pause_s)
                wait_s = self._pause_s
            self._hung_s = math.inf
