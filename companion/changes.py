"""Who has to hear of what: counters that grow, and threads that wait for them to.

Nothing is queued for a listener: it learns that a topic changed and asks for the truth itself. A slow tablet can
therefore never hold up the table or fill the memory.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial


class Live:
    """Topics are words: "session:<id>", "status", "box", "table"."""

    def __init__(self) -> None:
        self._counts: defaultdict[str, int] = defaultdict(int)
        self._changed = threading.Condition()
        self._closed = False
        # called after each change on the thread that brought it, so it may not wait: what wakes the streams goes here
        self.on_publish: Callable[[], None] = lambda: None

    def publish(self, topic: str) -> None:
        """Something about `topic` is new."""
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
        """Whether the house is closing."""
        return self._closed

    def seen(self, topics: Sequence[str]) -> dict[str, int]:
        """How things are now, for `news` to compare with: look at the truth after it and no change can slip between."""
        return self._snapshot(topics)

    def news(self, topics: Sequence[str], seen: dict[str, int]) -> list[str]:
        """The topics that have changed since `seen`, which then is how things are now."""
        now = self._snapshot(topics)
        fresh = [topic for topic in topics if now[topic] != seen[topic]]
        seen.update(now)
        return fresh

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
