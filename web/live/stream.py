"""The event stream of a session, one connection a page, resumable from the last entry that the page saw, and of rolls.

entry   the journal has a new entry; says whose part of the table it changed
change  a question of the camera or the status line is new, or entries that the page saw are gone after a restore
beat    sent when nothing else was; a comment would keep the connection open, too, but a script cannot see comments

None carries the state: the page fetches what it shows, so what it shows is never out of step.

roll    dice of the active game were rolled; a stream of rolls is for scripts and has `change`, too, for a correction
"""

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from functools import lru_cache

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

LOOK_AGAIN_S = 1.5  # between two looks at a ticket, each a row of the journal; below HEARTBEAT_S, so one at each beat
# A shorter one wakes the Pi for nothing; with a longer one a tablet notices a dead line later (line.js).
HEARTBEAT_S = 2.0
RETRY_MS = 1000
MOST_ENTRIES = 500  # sent at once; more follow when the page has taken them, so that no stream needs much memory
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@stream.get("/api/sessions/<id:session>/stream")
def session_stream(session: str) -> Response:
    """All entries after Last-Event-ID (or ?since=), then each new one as it is committed."""
    table = host().table(session)
    return event_stream(SessionFeed(table, resume_point(table)))


@stream.get("/api/rolls/stream")
def rolls_stream() -> Response:
    """Each roll of the active game from now on, whichever game that is then."""
    return event_stream(RollsFeed(host()))


def resume_point(table: Table) -> int:
    """The newest entry that the page has seen: the table's newest where the request does not say."""
    last = request.headers.get("Last-Event-ID")
    if last is None:
        return requests.number_argument("since", table.seq)
    if not (last.isascii() and last.isdigit() and len(last) <= len(str(requests.LARGEST))):
        raise BadInput(_("Last-Event-ID must be the number of an entry. Reload the page."))
    return int(last)


class SessionFeed:
    """The feed of one session's stream."""

    pause_s = HEARTBEAT_S

    def __init__(self, table: Table, since: int) -> None:
        """since     the newest entry that the page has seen; the table's newest is below it after a restore"""
        self.topics: tuple[str, ...] = (f"session:{table.session.id}", "status")
        self._table, self._since = table, min(since, table.seq)
        self._has_seen_more = since > self._since

    @property
    def is_behind(self) -> bool:
        return self._has_seen_more or self._since < self._table.seq

    def news(self, topic: str | None) -> str:
        if self._has_seen_more:
            self._has_seen_more = False
            return message("change", {"topic": "session"}, self._since)  # The number lets the browser resume from here.
        fresh = self._table.entries_since(self._since)[:MOST_ENTRIES]
        if fresh:
            self._since = fresh[-1].seq
            return "".join(entry_message(entry) for entry in fresh)
        if topic is None:
            return message("beat", {"seq": self._since})
        return message("change", {"topic": topic.partition(":")[0]})


class RollsFeed:
    """The feed of the rolls at the table. What was rolled before it was opened is not told."""

    pause_s = HEARTBEAT_S
    is_behind = False  # All there is is told at once.

    def __init__(self, house: Host) -> None:
        self.topics: tuple[str, ...] = ("active",)
        self._house, self._opened_us = house, house.clock.now_us()
        self._seen: dict[str, int] = {}  # session → its newest entry that was looked at

    def news(self, topic: str | None) -> str:
        session = self._house.active.session
        found = "" if session is None else "".join(self._told(self._house.table(session)))
        return found or (message("beat", {}) if topic is None else "")

    def _told(self, table: Table) -> Iterator[str]:
        session = table.session.id
        fresh = table.entries_since(min(self._seen.get(session, 0), table.seq))
        self._seen[session] = table.seq
        for entry in fresh:
            if entry.at_us >= self._opened_us:
                yield roll_message(table, entry)


class WhileLetIn:
    """A feed that ends when its device's ticket is no longer valid or gives other rights.

    A change by this process ends it at once. A change by another process (`companion token`) and a ticket that expires
    are noticed at the next look, LOOK_AGAIN_S after the last.
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
    """The message for one entry of the journal: its number, and whose part of the table it changed."""
    return entry_told(entry.seq, tuple(sorted(changed_parts(entry))))


@lru_cache(64)  # A thousand pages are told the same.
def entry_told(seq: int, parts: tuple[str, ...]) -> str:
    return message("entry", {"seq": seq, "affects": parts}, seq)


def roll_message(table: Table, entry: Entry) -> str:
    """The message for an entry in which dice were rolled, or earlier entries corrected; "" for any other."""
    about = {"session": table.session.id, "entry": entry.seq}
    if not isinstance(entry.body, Posted):
        return message("change", about)
    event = entry.body.event
    dice = [{"die": die.die, "value": die.value} for die in table.game.rules.dice.thrown(event, table.session.options)]
    player = getattr(event, "player", None)
    who = {"player": player, "name": table.names.get(player, "") if player else ""}
    return message("roll", about | {"game": table.game.rules.name, **who, "dice": dice}) if dice else ""


def changed_parts(entry: Entry) -> frozenset[str]:
    """The parts of the table that an entry changed (`affects`); TABLE, the shared part, where any may have changed.

    An event that concerns several players is of the second kind: it may begin a new roll, for which no draft was made.
    """
    if isinstance(entry.body, Posted) and not hasattr(entry.body.event, "concerns"):
        return affects(entry.body.event)
    return frozenset({TABLE})


def message(event: str, data: object, number: int | None = None) -> str:
    """One server-sent event."""
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {event}\ndata: {json.dumps(data)}\n\n"


def event_stream(feed: Feed) -> Response:
    """A response that stays open; raises TooMany where too many streams are open already."""
    feed = WhileLetIn(feed, gate.staying())
    first = f"retry: {RETRY_MS}\n\n"
    streams: Streams | None = request.environ.get(STREAMS)
    if streams is None:
        body = messages_on_thread(host(), feed, first)
    elif streams.is_full():
        raise TooMany(_("Too many pages are open at this table. Close some, or wait a little."))
    else:
        body = iter([first])
        if request.method == "GET":
            request.environ[OFFER] = Offer(feed, gate.share(of_network=False))
    return Response(body, mimetype="text/event-stream", headers=HEADERS)


def messages_on_thread(host: Host, feed: Feed, first: str) -> Iterator[str]:
    """The messages of a stream on the thread of its request, for a server without `Streams`."""
    changes = host.live.changes(feed.topics, feed.pause_s)
    yield first
    with contextlib.suppress(Ended):
        yield feed.news(None)
        for changed in changes:
            yield feed.news(changed)
            while feed.is_behind:
                yield feed.news(None)
