"""The event stream: one connection a page, resumable from the last entry it saw.

`entry` says that the journal has grown and whose part of the table that touched; `change` that a question of the
camera or the status line is new. Neither carries the state: the page asks for what it shows, so it can never be wrong.
"""

import itertools
import json
from collections.abc import Iterator

from flask import Blueprint, Response, request

from companion.contract import TABLE, affects
from companion.errors import BadInput
from companion.events import Entry, Posted
from companion.host import Host
from companion.table import Table
from web import wire
from web.drawing import host

stream = Blueprint("stream", __name__)

HEARTBEAT_S = 10.0  # shorter wakes the Pi for nothing; longer and a tablet notices a dead line later
RETRY_MS = 1000
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@stream.get("/api/sessions/<id:session>/stream")
def session_stream(session: str) -> Response:
    """All entries after Last-Event-ID (or ?since=), then each new one as it is committed."""
    table = host().table(session)
    return event_stream(session_messages(host(), table, resume_point(table)))


def resume_point(table: Table) -> int:
    """The newest entry that the page has seen; a page that says nothing has just been drawn."""
    last = request.headers.get("Last-Event-ID")
    if last is None:
        return wire.number_argument("since", table.seq)
    if not (last.isascii() and last.isdigit() and len(last) <= len(str(wire.LARGEST))):
        raise BadInput("Last-Event-ID must be the number of an entry: reload the page.")
    return int(last)


def session_messages(host: Host, table: Table, since: int) -> Iterator[str]:
    """What the stream of one session says, for ever."""
    topic = f"session:{table.session.id}"
    changes = host.live.changes((topic, "status"), HEARTBEAT_S)
    yield f"retry: {RETRY_MS}\n\n"
    for changed in itertools.chain(("",), changes):
        fresh = table.entries_since(since)
        for entry in fresh:
            since = entry.seq
            yield message("entry", {"seq": entry.seq, "affects": sorted(touched(entry))}, entry.seq)
        if changed is None:
            yield ": still here\n\n"
        elif changed and not fresh:
            yield message("change", {"topic": changed.partition(":")[0]})


def touched(entry: Entry) -> frozenset[str]:
    """Whose part of the table an entry changed; anything but a plain event may have changed all of it."""
    return affects(entry.body.event) if isinstance(entry.body, Posted) else frozenset({TABLE})


def message(event: str, data: object, number: int | None = None) -> str:
    """One server-sent event."""
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {event}\ndata: {json.dumps(data)}\n\n"


def event_stream(messages: Iterator[str]) -> Response:
    """A response that never ends by itself."""
    return Response(messages, mimetype="text/event-stream", headers=HEADERS)
