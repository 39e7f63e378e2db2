"""Who has to hear of what: counters that grow, and threads that wait for them to.

Nothing is queued for a listener: it learns that a topic changed and asks for the truth itself. A slow tablet can
therefore never hold up the table or fill the memory.
"""

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence


class Live:
    """Topics are words: "session:<id>", "status", "box", "table"."""

    def __init__(self) -> None:
        self._counts: defaultdict[str, int] = defaultdict(int)
        self._changed = threading.Condition()
        self._closed = False

    def publish(self, topic: str) -> None:
        """Something about `topic` is new."""
        with self._changed:
            self._counts[topic] += 1
            self._changed.notify_all()

    def close(self) -> None:
        """Ends every `changes` loop."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def changes(self, topics: Sequence[str], heartbeat_s: float = 15.0) -> Iterator[str | None]:
        """Yields a topic each time it has changed since it was last yielded, and None when nothing has for a while."""
        with self._changed:
            seen = {topic: self._counts[topic] for topic in topics}
        while True:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._closed or any(self._counts[topic] != seen[topic] for topic in topics), heartbeat_s
                )
                if self._closed:
                    return
                fresh = [topic for topic in topics if self._counts[topic] != seen[topic]]
                seen |= {topic: self._counts[topic] for topic in fresh}
            yield from fresh or [None]
