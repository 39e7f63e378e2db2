"""Who has to hear of what: counters that grow, and threads that wait for them to.

Nothing is queued for a listener: it learns that a topic changed and asks for the truth itself. A slow tablet can
therefore never hold up the table or fill the memory.
"""

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial


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
        """Yields a topic each time it has changed since it was last yielded, and None when nothing has for a while.

        Counts from this call on, not from the first `next`: look at the truth after it and no change can slip between.
        """
        return self._changes(topics, self._snapshot(topics), heartbeat_s)

    def _changes(self, topics: Sequence[str], seen: dict[str, int], heartbeat_s: float) -> Iterator[str | None]:
        while True:
            with self._changed:
                self._changed.wait_for(partial(self._has_news, topics, seen), heartbeat_s)
                if self._closed:
                    return
                now = self._snapshot(topics)
            fresh: list[str | None] = [topic for topic in topics if now[topic] != seen[topic]]
            seen = now
            yield from fresh or [None]

    def _has_news(self, topics: Sequence[str], seen: dict[str, int]) -> bool:
        return self._closed or self._snapshot(topics) != seen

    def _snapshot(self, topics: Sequence[str]) -> dict[str, int]:
        with self._changed:
            return {topic: self._counts[topic] for topic in topics}
