"""Routes that change a session: an event, and the corrections of earlier ones."""

from flask import Response

from companion.journal.codec import event_from_json
from web.access import rights
from web.api import requests, responses
from web.api.answers import origin, preview, receipt
from web.api.operations import SESSION, WRITE, Operations
from web.house import host

operations = Operations()


@operations.post(
    SESSION + "/events",
    "Tell what happened",
    gives=responses.Receipt,
    takes=requests.PostEvent,
    name="post",
    refusals=(*WRITE, 409, 422),
)
def post_event(session: str) -> Response:
    table = host().table(session)
    asked = requests.body(requests.PostEvent)
    event = event_from_json(table.game, asked.event)
    rights.required_to_enter(table, event)
    rights.required_to_time(event)
    return receipt(table.submit(event, origin(asked)))


@operations.post(
    SESSION + "/undo", "Take back", gives=responses.Receipt, takes=requests.Undo, refusals=(*WRITE, 409, 422)
)
def undo(session: str) -> Response:
    table = host().table(session)
    asked = requests.body(requests.Undo)
    rights.required_as_referee(table)
    return receipt(table.undo(origin(asked), asked.seq))


@operations.post(
    SESSION + "/strike",
    "Take an earlier entry out, or see what that would change",
    gives=(responses.Receipt, responses.Preview),
    takes=requests.Strike,
    refusals=(*WRITE, 409, 422),
)
def strike(session: str) -> Response:
    table = host().table(session)
    asked = requests.body(requests.Strike)
    if asked.preview:
        return preview(table.preview(asked.seq, None, tuple(asked.also), tuple(asked.ruled)))
    rights.required_as_referee(table)
    return receipt(
        table.strike(
            asked.seq,
            origin(asked),
            also=tuple(asked.also),
            ruled=tuple(asked.ruled),
        )
    )


@operations.post(
    SESSION + "/amend",
    "Put another event in the place of an earlier one, or see what that would change",
    gives=(responses.Receipt, responses.Preview),
    takes=requests.Amend,
    refusals=(*WRITE, 409, 422),
)
def amend(session: str) -> Response:
    table = host().table(session)
    asked = requests.body(requests.Amend)
    event = event_from_json(table.game, asked.event)
    if asked.preview:
        return preview(table.preview(asked.seq, event, tuple(asked.also), tuple(asked.ruled)))
    rights.required_to_amend(table, asked.seq, event)
    return receipt(
        table.amend(
            asked.seq,
            event,
            origin(asked),
            also=tuple(asked.also),
            ruled=tuple(asked.ruled),
        )
    )
