"""Every open event stream, on one thread.

A stream lives as long as its page is open, so it cannot have a thread of its own: a few hundred pages would use up all
there are. Once its headers are sent, gunicorn's worker hands the connection over (`worker`), and from then on it is
a socket in one selector and a `Feed` that is asked whenever one of its topics has changed.

Nothing is queued for a page. One that does not take what it was sent is asked nothing more until it does, for
PATIENCE_S at most; then its connection is closed, and the page resumes from the last entry it saw.
"""

import contextlib
import logging
import math
import selectors
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn, Protocol

from companion.changes import Live

MOST = 1_000  # streams; a watcher's ticket must not be enough to fill the memory
MOST_OF_ONE = 40  # of one device: the oldest are those it has forgotten
PATIENCE_S = 20.0  # a page that takes nothing for so long sleeps
SEND_BUFFER = 16_384  # bytes that the kernel keeps for a sleeping page, instead of megabytes
READ_BYTES = 4_096
PAUSE_S = 1.0  # after a round that failed: what fails at once again must not keep the processor busy
MOST_FAILED = 5  # rounds in a row, then the service had better be started again
END = b"0\r\n\r\n"  # of a chunked body

log = logging.getLogger(__name__)


class Feed(Protocol):
    """What one stream says.

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


class HandedOver(OSError):
    """Raised by the body of a response: the rest comes from elsewhere. gunicorn lets only an OSError through.

    take    is given the connection's socket, which from then on is its own
    """

    def __init__(self, take: Callable[[socket.socket], None]) -> None:
        super().__init__("the connection was handed over")
        self.take = take


@dataclass(eq=False)
class Listener:
    """One open stream. Times are seconds of the monotonic clock."""

    line: socket.socket
    feed: Feed
    seen: dict[str, int]
    device: str
    chunked: bool
    said_s: float = -math.inf  # so that the feed is asked at once
    unsent: bytes = b""
    watched: int = selectors.EVENT_READ

    @property
    def waits_s(self) -> float:
        """How long after it was asked, or sent something that it does not take, it is looked after again."""
        if self.unsent:
            return PATIENCE_S
        return 0.0 if self.feed.is_behind else self.feed.pause_s


class Pump:
    """Sends every stream what is new. `take` may be called on any thread, the rest happens on the pump's own."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._selector = selectors.DefaultSelector()
        self._listeners: dict[Listener, None] = {}  # in the order in which they came
        self._coming: deque[Listener] = deque()
        self._ear, self._mouth = socket.socketpair()
        self._ear.setblocking(False)
        self._mouth.setblocking(False)
        self._selector.register(self._ear, selectors.EVENT_READ)
        self._failed = 0  # rounds in a row
        self._thread = threading.Thread(target=self._run, name="streams", daemon=True)

    def start(self) -> None:
        """Begins to listen for changes."""
        self._live.on_publish = self._wake
        self._thread.start()

    def join(self) -> None:
        """Waits until every stream has ended, which they do when `live` is closed."""
        self._thread.join()

    def is_alive(self) -> bool:
        """Whether streams are looked after."""
        return self._thread.is_alive() and self._failed < MOST_FAILED

    def __len__(self) -> int:
        return len(self._listeners)

    def is_full(self) -> bool:
        """Whether no more streams should be begun."""
        return len(self._listeners) >= MOST

    def body(self, feed: Feed, first: str, device: str, *, chunked: bool) -> Iterator[str]:
        """The body of a response: a few words, then the connection is handed over.

        first       so short that sending it cannot wait for the page
        chunked     whether gunicorn frames the body so, as it does for HTTP/1.1
        """
        yield first
        self._hand_over(feed, device, chunked)

    def _hand_over(self, feed: Feed, device: str, chunked: bool) -> NoReturn:
        def take(line: socket.socket) -> None:
            line.setblocking(False)
            with contextlib.suppress(OSError):  # the page may have gone already; a pair of sockets has no such options
                line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(PATIENCE_S * 1000))
            self._coming.append(Listener(line, feed, self._live.seen(feed.topics), device, chunked))
            self._wake()

        raise HandedOver(take)

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # woken often enough, or over
            self._mouth.send(b"!")

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
                self._wake()  # what had changed was not told to everybody
        for listener in tuple(self._listeners):
            self._part(listener, END if listener.chunked and not listener.unsent else b"")
        self._selector.close()
        self._ear.close()
        self._mouth.close()

    def _round(self) -> None:
        """Waits for the next thing that happens, and looks after every stream."""
        for key, events in self._selector.select(self._longest_wait_s()):
            if key.data is None:
                with contextlib.suppress(BlockingIOError):
                    self._ear.recv(READ_BYTES)
            elif events & selectors.EVENT_READ:
                self._or_part(key.data, self._hear)
            elif events & selectors.EVENT_WRITE:
                self._or_part(key.data, self._send)
        self._welcome()
        now_s = time.monotonic()
        for listener in tuple(self._listeners):
            self._or_part(listener, lambda one: self._look_after(one, now_s))

    def _or_part(self, listener: Listener, act: Callable[[Listener], None]) -> None:
        """Does it; a connection with which that fails is given up, and no other page hears of it."""
        try:
            act(listener)
        except Exception:
            log.exception("a stream failed and is closed")
            if listener in self._listeners:
                self._part(listener)

    def _longest_wait_s(self) -> float:
        """Until the first listener has to be looked after though nothing changed."""
        now_s = time.monotonic()
        due = [one.said_s + one.waits_s for one in self._listeners]
        return max(0.0, min(due, default=now_s + PATIENCE_S) - now_s)

    def _welcome(self) -> None:
        while self._coming:
            new = self._coming.popleft()
            others = [one for one in self._listeners if one.device == new.device]
            if new.device and len(others) >= MOST_OF_ONE:
                self._part(others[0])
            try:
                self._selector.register(new.line, new.watched, new)
            except (OSError, ValueError):  # closed before it came here
                new.line.close()
            else:
                self._listeners[new] = None

    def _look_after(self, listener: Listener, now_s: float) -> None:
        """Asks its feed, if the page has taken all it was sent."""
        paused = now_s - listener.said_s
        if listener.unsent:
            if paused >= PATIENCE_S:
                self._part(listener)
            return
        topics: list[str | None] = list(self._live.news(listener.feed.topics, listener.seen))
        if not topics and paused >= listener.waits_s:
            topics = [None]
        if not topics:
            return
        try:
            said = "".join(map(listener.feed.news, topics))
        except Ended:
            self._part(listener, END if listener.chunked else b"")
            return
        listener.said_s = now_s
        if said:
            data = said.encode()
            listener.unsent = b"%x\r\n%s\r\n" % (len(data), data) if listener.chunked else data
            self._send(listener)

    def _send(self, listener: Listener) -> None:
        """As much of what is unsent as the page takes."""
        try:
            sent = listener.line.send(listener.unsent)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            sent = 0
        except OSError:
            self._part(listener)
            return
        listener.unsent = listener.unsent[sent:]
        watched = selectors.EVENT_READ | (selectors.EVENT_WRITE if listener.unsent else 0)
        if watched != listener.watched:
            listener.watched = watched
            self._selector.modify(listener.line, watched, listener)

    def _hear(self, listener: Listener) -> None:
        """A page says nothing on its stream: what can be read is that it has gone."""
        try:
            gone = not listener.line.recv(READ_BYTES)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            gone = False
        except OSError:
            gone = True
        if gone:
            self._part(listener)

    def _part(self, listener: Listener, last: bytes = b"") -> None:
        del self._listeners[listener]
        self._selector.unregister(listener.line)
        with contextlib.suppress(OSError):
            if last:
                listener.line.send(last)
        with contextlib.suppress(OSError):
            listener.line.close()
