"""So many refused requests at most from one address."""

import threading
import time
from collections import deque
from collections.abc import Callable

from companion.errors import TooManyTries
from companion.network.addresses import network_of
from companion.words import _


class Limit:
    """So many at most within a period, for each address. Thread-safe."""

    def __init__(self, most: int, period_s: float, now_s: Callable[[], float] = time.monotonic) -> None:
        self._most, self._period_s, self._now_s = most, period_s, now_s
        self._lock = threading.Lock()
        self._times: dict[str, deque[float]] = {}

    def check(self, address: str) -> None:
        """Raises TooManyTries if this address has to wait."""
        with self._lock:
            times, now_s = self._times.get(network_of(address), deque()), self._now_s()
            if len(times) >= self._most and times[0] > now_s - self._period_s:
                raise TooManyTries(_("Too many requests came from there. Wait some minutes, then try again."))

    def count(self, address: str) -> None:
        """Counts one of this address."""
        with self._lock:
            now_s = self._now_s()
            self._times = {
                network: times for network, times in self._times.items() if times[-1] > now_s - self._period_s
            }
            self._times.setdefault(network_of(address), deque(maxlen=self._most)).append(now_s)
