"""The event stream: one connection a page, resumable from the last entry it saw.

`entry` says that the journal has grown and whose part of the table that touched; `change` that a question of the
camera or the status line is new, or that the page has seen entries which are no more. Neither carries the state: the
page asks for what it shows, so it can never be wrong.
`beat` comes when nothing else does: a comment would keep the line open as well, but no page can see one.
"""

import contextlib
import json
import time
from collections.abc import Callable, Iterator

from flask import Blueprint, Response, request

from companion.access.tickets import TICKETS
from companion.errors import BadInput, TooMany
from companion.game.events import TABLE, affects
from companion.house.host import Host
from companion.journal.events import Entry, Posted
from companion.table.table import Table
from companion.words import _
from web.access import gate
from web.api import requests
from web.house import host
from web.live.streams import OFFER, STREAMS, Ended, Feed, Offer, Streams

stream = Blueprint("stream", __name__)

LOOK_AGAIN_S = 1.5  # at every beat at the latest; one row of the journal each time
HEARTBEAT_S = 2.0  # shorter wakes the Pi for nothing; longer and a tablet notices a dead line later (static/line.js)
RETRY_MS = 1000
MOST_ENTRIES = 500  # told at once; more follow when the page has taken them, so that none needs much memory
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@stream.get("/api/sessions/<id:session>/stream")
def session_stream(session: str) -> Response:
    """All entries after Last-Event-ID (or ?since=), then each new one as it is committed."""
    table = host().table(session)
    return event_stream(SessionFeed(table, resume_point(table)))


def resume_point(table: Table) -> int:
    """The newest entry that the page has seen; a page that says nothing has just been drawn."""
    last = request.headers.get("Last-Event-ID")
    if last is None:
        return requests.number_argument("since", table.seq)
    if not (last.isascii() and last.isdigit() and len(last) <= len(str(requests.LARGEST))):
        raise BadInput(_("Last-Event-ID must be the number of an entry: reload the page."))
    return int(last)


class SessionFeed:
    """The feed of one session's stream."""

    pause_s = HEARTBEAT_S

    def __init__(self, table: Table, since: int) -> None:
        """since     the newest entry that the page has seen; one that is not there is of a journal before a restore"""
        self.topics: tuple[str, ...] = (f"session:{table.session.id}", "status")
        self._table, self._since = table, min(since, table.seq)
        self._has_seen_more = since > self._since

    @property
    def is_behind(self) -> bool:
        return self._has_seen_more or self._since < self._table.seq

    def news(self, topic: str | None) -> str:
        if self._has_seen_more:
            self._has_seen_more = False
            return message("change", {"topic": "session"}, self._since)  # numbered: the browser resumes from here
        fresh = self._table.entries_since(self._since)[:MOST_ENTRIES]
        if fresh:
            self._since = fresh[-1].seq
            return "".join(entry_message(entry) for entry in fresh)
        if topic is None:
            return message("beat", {"seq": self._since})
        return message("change", {"topic": topic.partition(":")[0]})


class WhileLetIn:
    """A feed that ends when its device is shown out or is something else from now on: it needs no next request.

    What this process changes ends it at once. What another one does (`companion token`), or the calendar, is found by
    looking at the ticket again every LOOK_AGAIN_S.
    """

    def __init__(self, feed: Feed, is_let_in: Callable[[], bool], now_s: Callable[[], float] = time.monotonic) -> None:
        self.topics: tuple[str, ...] = (*feed.topics, TICKETS)
        self.pause_s = feed.pause_s
        self._feed, self._is_let_in, self._now_s = feed, is_let_in, now_s
        self._looked_s = now_s()

    @property
    def is_behind(self) -> bool:
        return self._feed.is_behind

    def news(self, topic: str | None) -> str:
        now_s = self._now_s()
        if topic == TICKETS or now_s - self._looked_s >= LOOK_AGAIN_S:
            self._looked_s = now_s
            if not self._is_let_in():
                raise Ended
        return "" if topic == TICKETS else self._feed.news(topic)


def entry_message(entry: Entry) -> str:
    """One entry of the journal: its number, and whose part of the table it touched."""
    return message("entry", {"seq": entry.seq, "affects": sorted(touched(entry))}, entry.seq)


def touched(entry: Entry) -> frozenset[str]:
    """Whose part of the table an entry changed; anything but a plain event of one player may have changed all of it.

    An event of several may begin the next of several rolls, for which what a page has chosen was not chosen.
    """
    if isinstance(entry.body, Posted) and not hasattr(entry.body.event, "concerns"):
        return affects(entry.body.event)
    return frozenset({TABLE})


def message(event: str, data: object, number: int | None = None) -> str:
    """One server-sent event."""
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {event}\ndata: {json.dumps(data)}\n\n"


def event_stream(feed: Feed) -> Response:
    """A response that never ends by itself; raises TooMany where there are too many of them already."""
    feed = WhileLetIn(feed, gate.staying())
    first = f"retry: {RETRY_MS}\n\n"
    streams: Streams | None = request.environ.get(STREAMS)
    if streams is None:
        body = told_here(host(), feed, first)
    elif streams.is_full():
        raise TooMany(_("Too many pages are open at this table: close some, or wait until they have been forgotten."))
    else:
        body = iter([first])
        if request.method == "GET":
            device = "" if gate.is_own_machine() else str(gate.client_address())
            request.environ[OFFER] = Offer(feed, device)
    return Response(body, mimetype="text/event-stream", headers=HEADERS)


def told_here(host: Host, feed: Feed, first: str) -> Iterator[str]:
    """A stream on the thread of its own request, for a server that keeps no streams."""
    changes = host.live.changes(feed.topics, feed.pause_s)
    yield first
    with contextlib.suppress(Ended):
        yield feed.news(None)
        for changed in changes:
            yield feed.news(changed)
            while feed.is_behind:
                yield feed.news(None)
