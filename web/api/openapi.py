"""The OpenAPI document of the REST API, made from the very types that validate its bodies and write its answers."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from companion.game.game import AnyGame
from companion.games import GAMES
from companion.journal.codec import event_schema, options_schema
from web.api import requests, responses

Json = dict[str, Any]
REF = "#/components/schemas/{name}"

WHY = {
    403: "this device has no ticket, or not for that; in a locked game only the referee may",
    400: "not understood: the sentence says what is wrong",
    404: "there is no such session, entry, question, person or picture",
    409: "something that this relies on has changed since `seen_seq`: look again",
    413: "too large",
    415: "the content type is not application/json",
    422: "the rules do not allow it now",
    503: "the journal cannot be read or written; nothing was changed",
}
READ = (403, 404, 503)
WRITE = (400, 403, 404, 413, 415, 503)


@dataclass(frozen=True)
class Parameter:
    """A parameter in the query or the headers."""

    name: str
    where: str
    schema: Json
    required: bool = False


@dataclass(frozen=True)
class Operation:
    """One method of one address.

    `takes` is a type of `requests` and `gives` one of `responses`, or a media type for what is no JSON; a tuple gives
    one or the other.
    """

    method: str
    path: str
    name: str
    summary: str
    gives: Any
    takes: Any = None
    status: int = 200
    refusals: tuple[int, ...] = ()
    parameters: tuple[Parameter, ...] = ()


ID: Json = {"type": "string", "pattern": "^[0-9A-Za-z_-]{1,64}$"}
SINCE: Json = {"type": "integer", "minimum": 0, "maximum": requests.LARGEST}
SESSION = "/api/sessions/{session}"
PROPOSAL = SESSION + "/proposals/{proposal}"
PERSON = "/api/people/{profile}"

OPERATIONS = (
    Operation("get", "/healthz", "healthz", "Whether the service answers", responses.Health),
    Operation("get", "/metrics", "metrics", "Figures in Prometheus' text format", "text/plain"),
    Operation("get", "/api/openapi.json", "document", "This document", Json),
    Operation("get", "/api/docs", "docs", "This document as a page to read", "text/html"),
    Operation("get", "/api/clock", "clock", "Table time now", responses.ClockInfo),
    Operation(
        "get", "/api/games", "games", "The games that can be played, with their switches", list[responses.GameInfo]
    ),
    Operation(
        "get", "/api/sessions", "sessions", "All sessions, newest first", list[responses.Summary], refusals=(403, 503)
    ),
    Operation(
        "post",
        "/api/sessions",
        "create",
        "Start a game",
        responses.SessionInfo,
        requests.NewSession,
        201,
        (*WRITE, 409, 422),
    ),
    Operation(
        "post",
        "/api/import",
        "import",
        "Take over a game that another table exported",
        responses.SessionInfo,
        "text/plain",
        201,
        (400, 403, 409, 413, 422, 503),
    ),
    Operation("get", SESSION, "show", "A session as it stands", responses.SessionInfo, refusals=READ),
    Operation("get", SESSION + "/export", "export", "The game as JSON lines", "application/x-ndjson", refusals=READ),
    Operation(
        "get",
        SESSION + "/legal",
        "legal",
        "What a player may do now",
        responses.Legal,
        refusals=READ,
        parameters=(Parameter("player", "query", {"type": "string", "maxLength": 64}, required=True),),
    ),
    Operation(
        "get", SESSION + "/history", "history", "Every event, newest first", list[responses.HistoryEntry], refusals=READ
    ),
    Operation(
        "get",
        SESSION + "/stream",
        "stream",
        "Server-sent events: `entry` for each new entry, `change` when a question or the status line changed",
        "text/event-stream",
        refusals=(400, 403, 404, 503),
        parameters=(Parameter("since", "query", SINCE), Parameter("Last-Event-ID", "header", {"type": "string"})),
    ),
    Operation(
        "post",
        SESSION + "/events",
        "post",
        "Tell what happened",
        responses.Receipt,
        requests.PostEvent,
        200,
        (*WRITE, 409, 422),
    ),
    Operation(
        "post", SESSION + "/undo", "undo", "Take back", responses.Receipt, requests.Undo, 200, (*WRITE, 409, 422)
    ),
    Operation(
        "post",
        SESSION + "/strike",
        "strike",
        "Take an earlier entry out, or see what that would change",
        (responses.Receipt, responses.Preview),
        requests.Strike,
        200,
        (*WRITE, 409, 422),
    ),
    Operation(
        "post",
        SESSION + "/amend",
        "amend",
        "Put another event in the place of an earlier one, or see what that would change",
        (responses.Receipt, responses.Preview),
        requests.Amend,
        200,
        (*WRITE, 409, 422),
    ),
    Operation("post", SESSION + "/hold", "hold", "Take the table's camera and box", responses.Done, refusals=READ),
    Operation(
        "get", SESSION + "/proposals", "proposals", "What the camera asks", list[responses.ProposalInfo], refusals=READ
    ),
    Operation(
        "post", PROPOSAL + "/confirm", "confirm", "Agree", responses.Receipt, requests.Confirm, 200, (*WRITE, 409, 422)
    ),
    Operation(
        "post",
        PROPOSAL + "/correct",
        "correct",
        "Say what the dice show",
        responses.Receipt,
        requests.Correct,
        200,
        (*WRITE, 409, 422),
    ),
    Operation("post", PROPOSAL + "/dismiss", "dismiss", "Forget the question", responses.Done, refusals=READ),
    Operation(
        "get",
        "/api/people",
        "people",
        "The people of the house, by name",
        list[responses.PersonInfo],
        refusals=(403, 503),
    ),
    Operation("get", PERSON, "person", "Somebody, with personal bests", responses.PersonRecord, refusals=READ),
    Operation(
        "get", PERSON + "/games", "person_games", "Their games, newest first", list[responses.PersonGame], refusals=READ
    ),
    Operation("get", "/api/pictures/{picture}.jpg", "picture", "A picture by its hash", "image/jpeg", refusals=READ),
)


@cache
def document() -> Json:
    """The OpenAPI 3.1 document."""
    types = [kind for one in OPERATIONS for kind in json_types(one)]
    schemas, components = msgspec.json.schema_components([*types, responses.Error], ref_template=REF)
    schema_of = dict(zip(map(repr, types), schemas, strict=False))
    extend_with_games(components)
    paths: Json = {}
    for one in OPERATIONS:
        paths.setdefault(one.path, {})[one.method] = described(one, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Table companion",
            "version": "1",
            "description": "Dice, timers and scores of physical table games. A refusal is a status and one sentence.",
        },
        "paths": paths,
        "components": {"schemas": components},
    }


def json_types(one: Operation) -> list[Any]:
    """The types of an operation's JSON body and answer."""
    gives = one.gives if isinstance(one.gives, tuple) else (one.gives,)
    return [kind for kind in (one.takes, *gives) if kind is not None and not isinstance(kind, str)]


def extend_with_games(components: Json) -> None:
    """Says what an event and a new session of each game are, where `requests` knows only that they are objects."""
    events, sessions = [], []
    for game in GAMES.values():
        schema, named = event_schema(game)
        components.update(named)
        events.append(schema)
        schema, named = options_schema(game)
        components.update(named)
        sessions.append(new_session(components["NewSession"], game, schema))
    components["Event"] = {"anyOf": events}
    for name in ("PostEvent", "Amend"):
        components[name]["properties"]["event"] = {"$ref": REF.format(name="Event")}
    components["NewSession"] = {"oneOf": sessions}


def new_session(general: Json, game: AnyGame, options: Json) -> Json:
    """The body that starts one game: with its own number of players, each of another name, and its own switches."""
    fewest, most = game.seats
    fields = general["properties"]
    players = {**fields["players"], "minItems": fewest, "maxItems": most, "uniqueItems": True}
    preset = {**fields["preset"], "enum": ["", *(one.name for one in game.presets)]}
    own = {"game": {"const": game.name}, "players": players, "options": options, "preset": preset}
    return {**general, "title": f"New game of {game.title}", "properties": {**fields, **own}}


def described(one: Operation, schema_of: dict[str, Json]) -> Json:
    """One operation as OpenAPI describes it."""
    answer: Json = {"description": one.summary, "content": content(one.gives, schema_of)}
    refusals = {
        str(status): {
            "description": WHY[status],
            "content": {"application/json": {"schema": {"$ref": REF.format(name="Error")}}},
        }
        for status in sorted(one.refusals)
    }
    operation: Json = {
        "operationId": one.name,
        "summary": one.summary,
        "parameters": [
            *(
                {
                    "name": name,
                    "in": "path",
                    "required": True,
                    "schema": {"type": "string", "pattern": "^[0-9A-Za-z_-]{1,64}$"},
                }
                for name in re.findall(r"{(\w+)}", one.path)
            ),
            *(
                {"name": part.name, "in": part.where, "required": part.required, "schema": part.schema}
                for part in one.parameters
            ),
        ],
        "responses": {str(one.status): answer, **refusals},
    }
    if one.takes is not None:
        operation["requestBody"] = {"required": True, "content": content(one.takes, schema_of)}
    return operation


def content(kind: Any, schema_of: dict[str, Json]) -> Json:
    """A body's media type and schema."""
    if isinstance(kind, str):
        return {kind: {"schema": {"type": "string"}}}
    if isinstance(kind, tuple):
        return {"application/json": {"schema": {"oneOf": [schema_of[repr(each)] for each in kind]}}}
    return {"application/json": {"schema": schema_of[repr(kind)]}}
