"""Watches the machine under a running table: low voltage, heat and a slow card go to the status line and the log."""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

from companion import machine
from companion.house.status import Status
from companion.machine import Look
from companion.periodic import PeriodicThread

PART = "power"
LOOK_S = 10.0  # The driver's alarm tells of the last seconds alone.
AT_ONE_TIME_S = 60.0  # A trouble is told for as long after it was seen last.

log = logging.getLogger(__name__)


class MachineWatch(PeriodicThread):
    """Looks at the machine from `start` to `stop`.

    on_trouble  called when there is a trouble that was not there before
    """

    def __init__(self, data: Path, status: Status, on_trouble: Callable[[], None]) -> None:
        super().__init__("machine", self._look_again)
        self._data, self._status, self._on_trouble = data, status, on_trouble
        self._lock = threading.Lock()
        self._look: Look | None = None
        self._told: frozenset[str] = frozenset()
        self._seen_s: dict[str, float] = {}
        """When each trouble was seen last, in monotonic seconds."""

    def cause(self) -> str:
        """What is wrong with the machine now or was within the last minute, as a sentence, "" if nothing is."""
        return self._now().told()

    def _look_again(self) -> float:
        now, before = self._now(), self._told
        past = Look(self._look.troubles & machine.PAST if self._look else frozenset())
        if now.troubles:
            self._status.set(PART, "warn", now.told())
        elif past.troubles:
            self._status.set(PART, "note", past.told())
        else:
            self._status.clear(PART)
        self._told = now.troubles
        if now.troubles != before:
            heat = f" ({self._look.heat_c:.0f} °C)" if self._look and self._look.heat_c else ""
            log.warning("power: %s%s", now.told() or past.told() or "all is well again", heat)
        if now.troubles - before:
            self._on_trouble()
        return LOOK_S

    def _now(self) -> Look:
        """The troubles of the last minute, after another look."""
        with self._lock:
            self._look = machine.look(self._data, self._look)
            now_s = time.monotonic()
            self._seen_s |= dict.fromkeys(self._look.troubles - machine.PAST, now_s)
            for trouble, seen_s in tuple(self._seen_s.items()):
                if now_s - seen_s > AT_ONE_TIME_S:
                    del self._seen_s[trouble]
            return Look(frozenset(self._seen_s))
