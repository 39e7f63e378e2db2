"""The REST API, which the tablet's own pages use too: all its operations, and their OpenAPI document."""

import re
from collections.abc import Iterable
from functools import cache

import msgspec
from flask import Blueprint, Response, render_template

from companion.game.game import AnyGame
from companion.shelf import GAMES
from web.api import events, openapi, people, photos, proposals, reference, requests, rolls, seats, service, sessions
from web.api.operations import SESSION, Json, Operation, Operations, Parameter

api = Blueprint("api", __name__)
operations = Operations()

SINCE: Json = {"type": "integer", "minimum": 0, "maximum": requests.LARGEST}
STREAM = Operation(  # answered by `web/live`
    "get",
    SESSION + "/stream",
    "stream",
    "Server-sent events: `entry` for each new entry, `change` when a question or the status line changed",
    gives="text/event-stream",
    refusals=(400, 403, 404, 503),
    parameters=(Parameter("since", "query", SINCE), Parameter("Last-Event-ID", "header", {"type": "string"})),
)
ROLLS = Operation(
    "get",
    "/api/rolls/stream",
    "rolls_stream",
    "Server-sent events: `roll` for each roll of the active game from now on, `change` when an entry was corrected",
    gives="text/event-stream",
    refusals=(403, 503),
)


@operations.get("/api/openapi.json", "This document", gives=Json)
def document() -> Response:
    return Response(msgspec.json.encode(described()), mimetype="application/json")


@operations.get("/api/docs", "This document as a page to read", gives="text/html")
def docs() -> str:
    calls, kinds = reference.calls(described()), reference.kinds(described())
    return render_template("api_docs.html", info=described()["info"], calls=calls, kinds=kinds)


VIEWS = (
    *service.operations,
    *operations,
    *sessions.operations,
    *events.operations,
    *rolls.operations,
    *photos.operations,
    *proposals.operations,
    *people.operations,
    *seats.operations,
)


@cache
def described() -> Json:
    """The OpenAPI document of all operations, with all games that are on the shelf."""
    return describe(GAMES.values())


def describe(games: Iterable[AnyGame]) -> Json:
    """The OpenAPI document of all operations, with these games."""
    return openapi.document((*(operation for operation, _view in VIEWS), STREAM, ROLLS), games)


for operation, view in VIEWS:
    api.add_url_rule(re.sub(r"{(\w+)}", r"<id:\1>", operation.path), view_func=view, methods=[operation.method])
