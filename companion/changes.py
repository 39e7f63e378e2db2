"""Notification of changes: a counter for each topic, and threads that wait until it grows.

Nothing is queued for a listener: it learns that a topic changed and asks for the truth itself. A slow tablet can
therefore never hold up the table or fill the memory.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence


class Live:
    """Topics are words: "session:<id>", "active" (the active game), "status", "box", "table".

    counts      topic → how often it has changed, of those that have. A change replaces it, so it can be kept. Read the
                data after it, and no change is missed
    """

    def __init__(self) -> None:
        self.counts: Mapping[str, int] = {}
        self._changed = threading.Condition()
        self._closed = False
        self.on_publish: Callable[[], None] = lambda: None
        """Called after each change, on the thread that made it, so it must not wait."""

    def publish(self, topic: str) -> None:
        with self._changed:
            self.counts = {**self.counts, topic: self.counts.get(topic, 0) + 1}
            self._changed.notify_all()
        self.on_publish()

    def close(self) -> None:
        """Ends every `changes` loop."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self.on_publish()

    @property
    def is_closed(self) -> bool:
        return self._closed

    def changes(self, topics: Sequence[str], heartbeat_s: float = 15.0) -> Iterator[str | None]:
        """Yields a topic each time it has changed since it was last yielded, and None when nothing has for a while.

        Counts from this call on, not from the first `next`. Read the data after this call, and no change is missed.
        """
        return self._changes(topics, self.counts, heartbeat_s)

    def _changes(self, topics: Sequence[str], seen: Mapping[str, int], heartbeat_s: float) -> Iterator[str | None]:
        while True:
            before = seen
            with self._changed:
                until_s = time.monotonic() + heartbeat_s
                while not (self._closed or news(topics, before, self.counts)):
                    if not self._changed.wait(until_s - time.monotonic()):
                        break
                if self._closed:
                    return
                seen = self.counts
            yield from news(topics, before, seen) or (None,)


def news(topics: Sequence[str], before: Mapping[str, int], now: Mapping[str, int]) -> list[str]:
    """The topics that have changed from one state of the counters to a later one."""
    if before is now:
        return []
    return [topic for topic in topics if now.get(topic) != before.get(topic)]
