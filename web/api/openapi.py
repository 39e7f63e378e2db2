"""The OpenAPI document of the REST API, made from the very types that validate its bodies and write its answers.

Ours, not spectree's: that has no place for each game's events, takes "5" for 5, and its page to read comes from the
Internet.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from companion import ids
from companion.game.game import AnyGame
from companion.journal.codec import event_schema, options_schema
from web.api import responses
from web.api.operations import Json, Operation

API = "1.2"  # docs/versions.md says when which number rises.
REF = "#/components/schemas/{name}"
ID: Json = {"type": "string", **ids.SCHEMA_PATTERN}

WHY = {
    403: "this device has no ticket, or not for that; in a locked game only the referee may",
    400: "not understood: the sentence says what is wrong",
    404: "there is no such session, entry, question, person or picture",
    409: "something that this relies on has changed since `seen_seq`: look again",
    413: "too large",
    415: "the content type is not application/json",
    422: "the rules do not allow it now",
    429: "too many lately: the sentence says when to try again",
    503: "the journal cannot be read or written; nothing was changed",
}


def document(operations: Sequence[Operation], games: Iterable[AnyGame]) -> Json:
    """The OpenAPI 3.1 document of these operations and games."""
    types = [kind for operation in operations for kind in json_types(operation)]
    schemas, components = msgspec.json.schema_components([*types, responses.Error], ref_template=REF)
    schema_of = dict(zip(map(repr, types), schemas, strict=False))
    extend_with_games(components, games)
    paths: Json = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method] = described(operation, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Table companion",
            "version": API,
            "description": "Dice, timers and scores of physical table games. A refusal is a status and one sentence.",
        },
        "paths": paths,
        "components": {"schemas": components},
    }


def json_types(operation: Operation) -> list[Any]:
    """The types of an operation's JSON request and response."""
    gives = operation.gives if isinstance(operation.gives, tuple) else (operation.gives,)
    return [kind for kind in (operation.takes, *gives) if kind is not None and not isinstance(kind, str)]


def extend_with_games(components: Json, games: Iterable[AnyGame]) -> None:
    """Adds schemas for the events and new sessions of each game, which `requests` only knows as objects."""
    events, sessions = [], []
    for game in games:
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
    """The schema of the body that begins one game, with its number of players, its options and its presets."""
    fewest, most = game.rules.seats
    fields = general["properties"]
    players = {**fields["players"], "minItems": fewest, "maxItems": most, "uniqueItems": True}
    preset = {**fields["preset"], "enum": ["", *(preset.name for preset in game.pages.presets)]}
    own = {"game": {"const": game.rules.name}, "players": players, "options": options, "preset": preset}
    return {**general, "title": f"New game of {game.pages.title}", "properties": {**fields, **own}}


def described(operation: Operation, schema_of: dict[str, Json]) -> Json:
    """The OpenAPI description of one operation."""
    answer: Json = {"description": operation.summary, "content": content(operation.gives, schema_of)}
    refusals = {
        str(status): {
            "description": WHY[status],
            "content": {"application/json": {"schema": {"$ref": REF.format(name="Error")}}},
        }
        for status in sorted(operation.refusals)
    }
    entry: Json = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": [
            *(
                {
                    "name": name,
                    "in": "path",
                    "required": True,
                    "schema": ID,
                }
                for name in re.findall(r"{(\w+)}", operation.path)
            ),
            *(
                {"name": part.name, "in": part.where, "required": part.required, "schema": part.schema}
                for part in operation.parameters
            ),
        ],
        "responses": {str(operation.status): answer, **refusals},
    }
    if operation.takes is not None:
        entry["requestBody"] = {"required": True, "content": content(operation.takes, schema_of)}
    return entry


def content(kind: Any, schema_of: dict[str, Json]) -> Json:
    """A body's media type and schema."""
    if isinstance(kind, str):
        return {kind: {"schema": {"type": "string"}}}
    if isinstance(kind, tuple):
        return {"application/json": {"schema": {"oneOf": [schema_of[repr(part)] for part in kind]}}}
    return {"application/json": {"schema": schema_of[repr(kind)]}}
