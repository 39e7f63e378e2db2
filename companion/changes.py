"""Notification of changes: a counter for each topic, and threads that wait until it grows.

Nothing is queued for a listener: it learns that a topic changed and asks for the truth itself. A slow tablet can
therefore never hold up the table or fill the memory.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence


class Live:
    """Topics are words: "session:<id>", "status", "box", "table"."""

    def __init__(self) -> None:
        self._counts: defaultdict[str, int] = defaultdict(int)
        self._changed = threading.Condition()
        self._closed = False
        self.on_publish: Callable[[], None] = lambda: None
        """Called after each change, on the thread that made it, so it must not wait."""

    def publish(self, topic: str) -> None:
        with self._changed:
            self._counts[topic] += 1
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

    def counts(self, topics: Sequence[str]) -> dict[str, int]:
        """The counters now, for `news` to compare with. Read the data after this call, and no change is missed."""
        with self._changed:
            return {topic: self._counts[topic] for topic in topics}

    def news(self, topics: Sequence[str], counts: dict[str, int]) -> list[str]:
        """The topics that have changed since `counts`, which are then updated to now."""
        now = self.counts(topics)
        changed = [topic for topic in topics if now[topic] != counts[topic]]
        counts.update(now)
        return changed

    def changes(self, topics: Sequence[str], heartbeat_s: float = 15.0) -> Iterator[str | None]:
        """Yields a topic each time it has changed since it was last yielded, and None when nothing has for a while.

        Counts from this call on, not from the first `next`. Read the data after this call, and no change is missed.
        """
        return self._changes(topics, self.counts(topics), heartbeat_s)

    def _changes(self, topics: Sequence[str], counts: dict[str, int], heartbeat_s: float) -> Iterator[str | None]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self.counts(topics) != counts, heartbeat_s)
                if self._closed:
                    return
                changed = self.news(topics, counts)
            yield from changed or (None,)
