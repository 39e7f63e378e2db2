"""Routes that change a session: an event, and the corrections of earlier ones."""

from flask import Response

from companion.journal.codec import event_from_json
from companion.table.table import Table
from web.access import rights
from web.api import requests, responses
from web.api.answers import origin, preview, receipt
from web.api.operations import Operations

operations = Operations()


@operations.at_table("/events", "Tell what happened", requests.PostEvent, name="post")
def post_event(table: Table, body: requests.PostEvent) -> Response:
    event = event_from_json(table.game, body.event)
    rights.required_to_enter(table, event)
    rights.required_to_time(event)
    return receipt(table.submit(event, origin(body)))


@operations.at_table("/undo", "Take back", requests.Undo)
def undo(table: Table, body: requests.Undo) -> Response:
    rights.required_as_referee(table)
    return receipt(table.undo(origin(body), body.seq))


@operations.at_table(
    "/strike",
    "Take an earlier entry out, or see what that would change",
    requests.Strike,
    gives=(responses.Receipt, responses.Preview),
)
def strike(table: Table, body: requests.Strike) -> Response:
    if body.preview:
        return preview(table.preview(body.seq, None, body.also, body.ruled))
    rights.required_as_referee(table)
    return receipt(table.strike(body.seq, origin(body), also=body.also, ruled=body.ruled))


@operations.at_table(
    "/amend",
    "Put another event in the place of an earlier one, or see what that would change",
    requests.Amend,
    gives=(responses.Receipt, responses.Preview),
)
def amend(table: Table, body: requests.Amend) -> Response:
    event = event_from_json(table.game, body.event)
    if body.preview:
        return preview(table.preview(body.seq, event, body.also, body.ruled))
    rights.required_to_amend(table, body.seq, event)
    return receipt(table.amend(body.seq, event, origin(body), also=body.also, ruled=body.ruled))
