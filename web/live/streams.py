"""The open event streams.

A stream lives as long as its page is open, so it has no thread of its own: a few hundred pages would use them all up.
One thread asks each stream's `Feed` for messages whenever one of its topics has changed; the event loop sends them.

Nothing is queued for a page. The feed of a page that has not taken its last messages is not asked again until it has.
After PATIENCE_S its connection is closed, and the page resumes from the last entry it saw.
"""

import asyncio
import logging
import math
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from companion.changes import Live, news
from companion.periodic import PAUSE_S, PeriodicThread

MOST = 1_000  # streams; a watcher's ticket must not be enough to fill the memory
MOST_OF_ONE = 40  # streams of one device; the oldest belong to pages that it has left
PATIENCE_S = 20.0  # a page that has not taken its messages by then is asleep
CHECK_S = 0.05  # between two checks whether a page has taken its messages
BATCH = 100  # streams whose messages are sent together
SENT_S = 1.0  # for the event loop to send them
STREAMS = "companion.streams"  # in a request's WSGI environment: the server's `Streams`, if it has any
OFFER = "companion.offer"  # in the same place: the `Offer` of the stream that follows the answer

log = logging.getLogger(__name__)


class Feed(Protocol):
    """The source of one stream's messages.

    topics     of `Live`; the feed is asked for messages when one of them has changed
    pause_s    it is also asked when nothing has changed for so long
    is_behind  whether it has more messages now than its last `news` returned
    """

    topics: tuple[str, ...]
    pause_s: float

    @property
    def is_behind(self) -> bool: ...

    def news(self, topic: str | None) -> str:
        """The messages to send now, "" for none. `topic` is the one that has changed, None after a pause.

        Raises Ended when the stream is over.
        """


class Ended(Exception):
    """The stream is over: its device may not see it any more."""


@dataclass(frozen=True)
class Offer:
    """A stream to keep open: its feed and its device, which is "" where MOST_OF_ONE does not hold."""

    feed: Feed
    device: str


class StreamConnection(Protocol):
    """The connection that carries a stream.

    lost    a future that is done when the connection is closed
    unsent  bytes that the page has not taken yet
    """

    lost: asyncio.Future[None]

    @property
    def unsent(self) -> int: ...

    def send_piece(self, content: bytes, *, is_last: bool) -> None:
        """Sends a piece of the body of an answer."""

    def abort(self) -> None:
        """Closes the connection at once."""


@dataclass(eq=False, slots=True)
class Listener:
    """One open stream. Times are seconds of the monotonic clock."""

    feed: Feed
    device: str
    connection: StreamConnection
    over: asyncio.Future[None]  # done when its last messages have been sent
    seen: Mapping[str, int]  # the counters of `Live` when the feed was last asked
    due_s: float = -math.inf  # when the feed is asked though nothing has changed; the first time is at once
    has_taken: bool = True  # whether the page has taken all its messages
    is_skipped: bool = False  # whether the feed was not asked in the last round, because the page had not
    is_behind: bool = False  # the feed's, when it was last asked

    @property
    def is_over(self) -> bool:
        return self.over.done()


Outgoing = tuple[Listener, bytes, bool]  # the stream, its messages, and whether they are its last


class Streams(PeriodicThread):
    """Keeps the streams and sends their messages. `keep` runs on the event loop; the feeds are asked on a thread."""

    def __init__(self, live: Live) -> None:
        super().__init__("streams", self._round, longest_s=PAUSE_S, is_needed=True)
        self._live = live
        self._loop: asyncio.AbstractEventLoop | None = None  # The first stream sets it.
        self._listeners: dict[Listener, None] = {}  # The oldest comes first.
        self._lock = threading.Lock()  # It guards _listeners.
        self._waiting: deque[Listener] = deque()  # They are asked next, whether or not anything has changed.
        self._seen: Mapping[str, int] = {}  # the counters of `Live` when all were last asked
        self._due_s = math.inf  # when the first of all is due
        self._has_sent = threading.Event()

    def start(self) -> None:
        """Starts the thread, which ends every stream once `live` is closed."""
        self._live.on_publish = self.again
        super().start()

    def __len__(self) -> int:
        return len(self._listeners)

    def is_full(self) -> bool:
        """Whether no further stream may be opened."""
        return len(self._listeners) >= MOST

    # on the event loop

    async def keep(self, offer: Offer, connection: StreamConnection) -> None:
        """Keeps a stream, whose answer has begun already, until its page disconnects or it is over."""
        self._loop = asyncio.get_running_loop()
        new = Listener(offer.feed, offer.device, connection, self._loop.create_future(), self._live.counts)
        if new.device:
            others = [other for other in self._listeners if other.device == new.device and not other.is_over]
            if len(others) >= MOST_OF_ONE:
                self._send([(others[0], b"", True)])
        with self._lock:
            self._listeners[new] = None
        self._ask_next(new)
        if self._live.is_closed:  # the thread may have ended before it knew of this stream
            self._send([(new, b"", True)])
        try:
            await asyncio.wait((new.over, connection.lost), return_when=asyncio.FIRST_COMPLETED)
        finally:
            with self._lock:
                del self._listeners[new]

    def _ask_next(self, listener: Listener) -> None:
        self._waiting.append(listener)
        self.again()

    def _send(self, batch: list[Outgoing]) -> None:
        """Sends messages. Never waits: each of these pages has taken all it was sent before."""
        for listener, content, is_last in batch:
            if listener.is_over or listener not in self._listeners:
                continue
            if is_last:
                listener.over.set_result(None)
            try:
                listener.connection.send_piece(content, is_last=is_last)
            except Exception:
                log.exception("a stream failed and is closed")
                listener.connection.abort()
            self._check_taken(listener, time.monotonic() + PATIENCE_S)
        self._has_sent.set()

    def _check_taken(self, listener: Listener, until_s: float) -> None:
        """Checks again and again whether a page has taken its messages; closes its connection at `until_s`."""
        if not listener.connection.unsent:
            listener.has_taken = True
            if listener.is_skipped or listener.is_behind:
                self._ask_next(listener)
        elif time.monotonic() >= until_s:
            listener.connection.abort()
        else:
            asyncio.get_running_loop().call_later(CHECK_S, self._check_taken, listener, until_s)

    # on the thread

    def on_failure(self, error: BaseException | None, wait_s: float) -> None:
        super().on_failure(error, wait_s)
        self._seen = {}  # Some streams may not have heard of the change.

    def _all(self) -> tuple[Listener, ...]:
        with self._lock:
            return tuple(self._listeners)

    def _round(self) -> float | None:
        """Asks the feeds and hands their messages over; returns the seconds until the next pause is over."""
        if self._live.is_closed:
            self._hand_over([(listener, b"", True) for listener in self._all()])
            return None
        now_s, counts = time.monotonic(), self._live.counts
        waiting = [self._waiting.popleft() for _each in range(len(self._waiting))]
        if counts is not self._seen or now_s >= self._due_s:
            waiting = [*self._all()]
            self._seen, self._due_s = counts, math.inf
        batch: list[Outgoing] = []
        try:
            self._ask_all(waiting, now_s, counts, batch)
        finally:  # Whoever was asked waits until its messages are sent.
            self._hand_over(batch)
        return max(0.0, self._due_s - time.monotonic())

    def _ask_all(
        self, listeners: list[Listener], now_s: float, counts: Mapping[str, int], batch: list[Outgoing]
    ) -> None:
        """Asks the feeds of these streams; what they have to send is handed over, the rest of it stays in `batch`."""
        for listener in listeners:
            # set first: the loop writes has_taken, then reads is_skipped, so one of the two sees the other's change
            listener.is_skipped = True
            if self._live.is_closed:
                return  # What the feeds ask is closed next.
            if not listener.has_taken or listener.is_over:
                continue
            listener.is_skipped = False
            if messages := self._ask(listener, now_s, counts):
                batch.append(messages)
                if len(batch) >= BATCH:
                    self._hand_over([*batch])
                    batch.clear()
            self._due_s = min(self._due_s, listener.due_s)

    def _ask(self, listener: Listener, now_s: float, counts: Mapping[str, int]) -> Outgoing | None:
        """The messages that one stream has to send now, None where it has none."""
        feed = listener.feed
        topics: list[str | None] = list(news(feed.topics, listener.seen, counts))
        listener.seen = counts
        if not topics and now_s >= listener.due_s:
            topics = [None]
        if not topics:
            return None
        is_last, text = False, ""
        try:
            text = "".join(map(feed.news, topics))
            listener.is_behind = feed.is_behind
        except Ended:
            is_last = True
        except Exception:
            log.exception("a stream failed and is closed")
            is_last = True
        listener.due_s = now_s + (0.0 if listener.is_behind else feed.pause_s)
        if not (text or is_last):
            return None
        listener.has_taken = False  # until the loop has checked it
        return listener, text.encode(), is_last

    def _hand_over(self, batch: list[Outgoing]) -> None:
        """Has messages sent, and waits for it: two threads that work at once take the interpreter from one another."""
        if batch and self._loop:
            self._has_sent.clear()
            self._loop.call_soon_threadsafe(self._send, batch)
            self._has_sent.wait(SENT_S)
