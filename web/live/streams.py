"""Every open event stream.

A stream lives as long as its page is open, so it has no thread of its own: a few hundred pages would use up all there
are. One thread asks each stream's `Feed` whenever one of its topics has changed; the event loop sends what it says.

Nothing is queued for a page. One that does not take what it was sent is asked nothing more until it does, for
PATIENCE_S at most; then its connection is closed, and the page resumes from the last entry it saw.
"""

import asyncio
import logging
import math
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from companion.changes import Live

MOST = 1_000  # streams; a watcher's ticket must not be enough to fill the memory
MOST_OF_ONE = 40  # of one device: the oldest are those it has forgotten
PATIENCE_S = 20.0  # a page that takes nothing for so long sleeps
TAKING_S = 0.05  # between two looks whether a page has taken what it was sent
TOLD_AT_ONCE = 50  # feeds are asked, then what they say is sent while others are asked
PAUSE_S = 1.0  # after a round that failed: what fails at once again must not keep the processor busy
MOST_FAILED = 5  # rounds in a row, then the service had better be started again
STREAMS = "companion.streams"  # in the environment of a request: who keeps its stream, where the server can
OFFER = "companion.offer"  # and there: the stream that follows the answer

log = logging.getLogger(__name__)


class Feed(Protocol):
    """The source of one stream's messages.

    topics     of `Live`, after each of which it may have something new to say
    pause_s    after so long without any it is asked all the same
    is_behind  whether it has more to say at once than it did
    """

    topics: tuple[str, ...]
    pause_s: float

    @property
    def is_behind(self) -> bool: ...

    def news(self, topic: str | None) -> str:
        """Messages to send now, "" for none. `topic` is what has changed, None after a pause.

        Raises Ended when the stream is over.
        """


class Ended(Exception):
    """A stream has nothing to say any more: its device was shown out."""


@dataclass(frozen=True)
class Offer:
    """A stream that is to be kept: what it says, and for which device, "" for one that may have any number."""

    feed: Feed
    device: str


class Line(Protocol):
    """The connection of a stream.

    unsent  bytes that the page has not taken yet
    """

    @property
    def unsent(self) -> int: ...

    def hold_little(self) -> None:
        """The kernel keeps little for the page from now on."""

    def abort(self) -> None:
        """Closes it at once."""


Send = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass(eq=False, slots=True)
class Listener:
    """One open stream. Times are seconds of the monotonic clock."""

    feed: Feed
    device: str
    line: Line
    send: Send
    seen: dict[str, int] = field(default_factory=dict)
    said_s: float = -math.inf  # so that the feed is asked at once
    takes: bool = True  # whether the page has taken all it was sent
    is_missed: bool = False  # it was not asked because it did not
    is_behind: bool = False  # when it was asked, its feed had more to say
    is_over: bool = False

    @property
    def due_s(self) -> float:
        """When it is asked again though nothing has changed."""
        return self.said_s + (0.0 if self.is_behind else self.feed.pause_s)


Said = tuple[Listener, bytes, bool]  # to whom, what, and whether that was the last


class Streams:
    """Tells every stream what is new. `keep` belongs to the event loop; the feeds are asked on a thread."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._loop: asyncio.AbstractEventLoop | None = None  # that of the first stream
        self._listeners: dict[Listener, None] = {}  # in the order in which they came
        self._lock = threading.Lock()  # of the listeners
        self._news = threading.Event()
        self._failed = 0  # rounds in a row
        self._thread = threading.Thread(target=self._run, name="streams", daemon=True)

    def start(self) -> None:
        """Begins to listen for changes."""
        self._live.on_publish = self._news.set
        self._thread.start()

    def join(self) -> None:
        """Waits until every stream is told that it ends, which they are when `live` is closed."""
        self._thread.join()

    def is_alive(self) -> bool:
        """Whether streams are looked after."""
        return self._thread.is_alive() and self._failed < MOST_FAILED

    def __len__(self) -> int:
        return len(self._listeners)

    def is_full(self) -> bool:
        """Whether no more streams should be begun."""
        return len(self._listeners) >= MOST

    # the event loop

    async def keep(self, offer: Offer, line: Line, receive: Callable[[], Awaitable[Any]], send: Send) -> None:
        """Tells a page, until it goes or its stream is over. The answer has begun; ASGI's `send` sends more of it."""
        self._loop = asyncio.get_running_loop()
        line.hold_little()
        new = Listener(offer.feed, offer.device, line, send)
        others = [one for one in self._listeners if one.device == new.device and not one.is_over]
        if new.device and len(others) >= MOST_OF_ONE:
            await self._tell([(others[0], b"", True)])
        with self._lock:
            self._listeners[new] = None
        self._news.set()
        if self._live.is_closed:  # and nobody may be there to tell it
            await self._tell([(new, b"", True)])
        try:
            while (await receive())["type"] != "http.disconnect":  # a page says nothing on its stream
                pass
        finally:
            with self._lock:
                del self._listeners[new]

    async def _tell(self, said: list[Said]) -> None:
        """Sends it; that never waits, for everybody here has taken what came before."""
        for listener, words, is_last in said:
            if listener.is_over or listener not in self._listeners:
                continue
            listener.is_over = is_last
            try:
                await listener.send({"type": "http.response.body", "body": words, "more_body": not is_last})
            except Exception:
                log.exception("a stream failed and is closed")
                listener.line.abort()
            self._look(listener, time.monotonic() + PATIENCE_S)

    def _look(self, listener: Listener, until_s: float) -> None:
        """Whether a page has taken what it was sent; it has until then."""
        if not listener.line.unsent:
            listener.takes = True
            if listener.is_missed or listener.is_behind:
                self._news.set()
        elif time.monotonic() >= until_s:
            listener.line.abort()
        else:
            asyncio.get_running_loop().call_later(TAKING_S, self._look, listener, until_s)

    # the thread

    def _run(self) -> None:
        while not self._live.is_closed:
            try:
                self._round()
                self._failed = 0
            except Exception:
                self._failed += 1
                log.exception("a round of the streams failed, the next comes in %g s", PAUSE_S)
                time.sleep(PAUSE_S)
                self._news.set()  # what had changed was not told to everybody
        self._hand_over([(listener, b"", True) for listener in self._all()])

    def _all(self) -> tuple[Listener, ...]:
        with self._lock:
            return tuple(self._listeners)

    def _round(self) -> None:
        """Waits for the next thing that happens, and asks every feed that may have something to say."""
        due_s = min((one.due_s for one in self._all() if not one.is_missed), default=math.inf)
        self._news.wait(None if due_s == math.inf else max(0.0, due_s - time.monotonic()))
        self._news.clear()
        now_s = time.monotonic()
        said: list[Said] = []
        for listener in self._all():
            listener.is_missed = True  # before it is looked at: the loop looks after it has written
            if not listener.takes or listener.is_over:
                continue
            listener.is_missed = False
            if words := self._asked(listener, now_s):
                said.append(words)
                if len(said) >= TOLD_AT_ONCE:
                    self._hand_over(said)
                    said = []
        self._hand_over(said)

    def _asked(self, listener: Listener, now_s: float) -> Said | None:
        """The messages that one stream has to send now, if any."""
        feed = listener.feed
        if not listener.seen:
            listener.seen = self._live.seen(feed.topics)
        topics: list[str | None] = list(self._live.news(feed.topics, listener.seen))
        if not topics and now_s >= listener.due_s:
            topics = [None]
        if not topics:
            return None
        listener.said_s = now_s
        is_last, words = False, ""
        try:
            words = "".join(map(feed.news, topics))
            listener.is_behind = feed.is_behind
        except Ended:
            is_last = True
        except Exception:
            log.exception("a stream failed and is closed")
            is_last = True
        if not (words or is_last):
            return None
        listener.takes = False  # until the loop has seen that it does
        return listener, words.encode(), is_last

    def _hand_over(self, said: list[Said]) -> None:
        if said and self._loop:
            asyncio.run_coroutine_threadsafe(self._tell(said), self._loop)
