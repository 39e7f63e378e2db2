"""A thread that does the same again and again. What fails in one round is logged, and the next one comes."""

import logging
import math
import threading
import time
from collections.abc import Callable

PAUSE_S = 1.0  # after a round that failed
MOST_S = 60.0  # that a round takes before it is given up for lost: a slow disk gets time
STOP_S = 5.0  # that a last round has

log = logging.getLogger(__name__)


class PeriodicThread:
    """Acts on a thread of its own, from `start` to `stop`.

    act         one round; gives the seconds until the next, None when there is to be none
    first_s     until the first round
    pause_s     until the next when one has failed
    """

    def __init__(
        self, name: str, act: Callable[[], float | None], *, first_s: float = 0.0, pause_s: float = PAUSE_S
    ) -> None:
        self._act = act
        self._first_s = first_s
        self._pause_s = pause_s
        self._called = threading.Event()
        self._stopped = False
        self._lost_s = math.inf  # when the round that is on is given up for lost
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begins; returns at once."""
        self._thread.start()

    def again(self) -> None:
        """The next round comes now; after one that is on."""
        self._called.set()

    def stop(self) -> None:
        """Ends; a round that is on is finished, if it does not take too long."""
        self._stopped = True
        self._called.set()
        if self._thread.is_alive():
            self._thread.join(STOP_S)

    def is_alive(self) -> bool:
        """Whether rounds come; one that hangs is none."""
        return self._thread.is_alive() and time.monotonic() < self._lost_s

    def _run(self) -> None:
        wait_s: float | None = self._first_s
        while wait_s is not None:
            self._called.wait(wait_s)
            self._called.clear()
            if self._stopped:
                return
            self._lost_s = time.monotonic() + MOST_S
            try:
                wait_s = self._act()
            except Exception:
                log.exception("%s: a round failed, the next comes in %g s", self._thread.name, self._pause_s)
                wait_s = self._pause_s
            self._lost_s = math.inf
