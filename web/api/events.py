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
def post_event(table: Table, asked: requests.PostEvent) -> Response:
    event = event_from_json(table.game, asked.event)
    rights.required_to_enter(table, event)
    rights.required_to_time(event)
    return receipt(table.submit(event, origin(asked)))


@operations.at_table("/undo", "Take back", requests.Undo)
def undo(table: Table, asked: requests.Undo) -> Response:
    rights.required_as_referee(table)
    return receipt(table.undo(origin(asked), asked.seq))


@operations.at_table(
    "/strike",
    "Take an earlier entry out, or see what that would change",
    requests.Strike,
    gives=(responses.Receipt, responses.Preview),
)
def strike(table: Table, asked: requests.Strike) -> Response:
    if asked.preview:
        return preview(table.preview(asked.seq, None, asked.also, asked.ruled))
    rights.required_as_referee(table)
    return receipt(table.strike(asked.seq, origin(asked), also=asked.also, ruled=asked.ruled))


@operations.at_table(
    "/amend",
    "Put another event in the place of an earlier one, or see what that would change",
    requests.Amend,
    gives=(responses.Receipt, responses.Preview),
)
def amend(table: Table, asked: requests.Amend) -> Response:
    event = event_from_json(table.game, asked.event)
    if asked.preview:
        return preview(table.preview(asked.seq, event, asked.also, asked.ruled))
    rights.required_to_amend(table, asked.seq, event)
    return receipt(table.amend(asked.seq, event, origin(asked), also=asked.also, ruled=asked.ruled))
