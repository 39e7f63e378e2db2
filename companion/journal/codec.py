"""Events and options as JSON and back, validated by msgspec. No other module knows the JSON format of an event.

An event in JSON is its fields and its class name: `{"kind": "Rolled", "dice": [3, 5]}`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any

import msgspec

from companion.errors import BadInput
from companion.foreign import Unreadable, read_value
from companion.game.game import AnyGame, Event, Options, State
from companion.words import _, _p

Json = dict[str, Any]

LARGEST = 2**53  # The largest whole number that is exact in JavaScript is 285 years as microseconds.


def event_to_json(event: Event) -> Json:
    """The event as JSON-ready values."""
    return {"kind": type(event).__name__, **_fields(event)}


def event_from_json(game: AnyGame, data: object) -> Event:
    """The event that `data` describes; raises BadInput when it describes none."""
    if not isinstance(data, dict):
        raise BadInput(_("An event must be a JSON object with a kind. Send it as the documentation shows."))
    kinds = _kinds(game.rules.events)
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        raise BadInput(
            _(
                "{title} has no such kind of event. Choose one of {names}.",
                title=game.pages.title,
                names=", ".join(sorted(kinds)),
            )
        )
    return _convert({key: value for key, value in data.items() if key != "kind"}, kinds[kind], kind)


def options_to_json(options: Options) -> Json:
    """The options as JSON-ready values."""
    return _fields(options)


def state_to_json(state: State) -> Json:
    """A game's state as JSON-ready values, for people and other programs to read; it cannot be converted back."""
    return _fields(state)


def options_from_json(game: AnyGame, data: object) -> Options:
    """The options that `data` sets, with defaults for the others; raises BadInput."""
    if not isinstance(data, dict):
        raise BadInput(_("Options must be a JSON object. Send it as the documentation shows."))
    return _convert(data, game.rules.options, "options")


def event_schema(game: AnyGame) -> tuple[Json, dict[str, Json]]:
    """The JSON schema that matches any event of a game, and the component schemas it refers to."""
    (*_kinds,), components = msgspec.json.schema_components(
        game.rules.events, ref_template="#/components/schemas/{name}"
    )
    prefix = game.rules.name.title().replace("_", "")
    named = {prefix + name: _renamed(schema, prefix) for name, schema in components.items()}
    for kind in game.rules.events:
        schema = named[prefix + kind.__name__]
        schema["properties"] = {"kind": {"const": kind.__name__}, **schema.get("properties", {})}
        schema["required"] = ["kind", *schema.get("required", [])]
        schema["additionalProperties"] = False
    return {"oneOf": [{"$ref": f"#/components/schemas/{prefix}{kind.__name__}"} for kind in game.rules.events]}, named


def options_schema(game: AnyGame) -> tuple[Json, dict[str, Json]]:
    """The JSON schema of a game's options, and the component schemas it refers to."""
    schemas, components = msgspec.json.schema_components(
        (game.rules.options,), ref_template="#/components/schemas/{name}"
    )
    prefix = game.rules.name.title().replace("_", "")
    return _renamed(schemas[0], prefix), {prefix + name: _renamed(part, prefix) for name, part in components.items()}


def _fields(value: Any) -> Json:
    """Every field as JSON, defaults included: a stored game must not change when a later version has another default.

    msgspec would leave out fields that its own `convert` filled in from a default.
    """
    return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, frozenset):
        return sorted((_plain(part) for part in value), key=repr)
    return msgspec.to_builtins(value)


def _has_huge_number(value: Any) -> bool:
    """Whether a number in `value` is larger than SQLite, JavaScript and clocks can hold."""
    if isinstance(value, str):
        return False
    if isinstance(value, int):
        return abs(value) > LARGEST
    if isinstance(value, dict):
        return any(map(_has_huge_number, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_huge_number, value))


def _renamed(value: Any, prefix: str) -> Any:
    """`value` with the game's prefix in every reference to a component: two games may share a class name."""
    match value:
        case dict():
            return {
                key: part.replace("/schemas/", f"/schemas/{prefix}") if key == "$ref" else _renamed(part, prefix)
                for key, part in value.items()
            }
        case list() | tuple():
            return [_renamed(part, prefix) for part in value]
    return value


@cache
def _kinds(events: tuple[type[Any], ...]) -> Mapping[str, type[Any]]:
    """Name → class, of a game's events. It is kept, since each entry of a long game is read by it."""
    return {kind.__name__: kind for kind in events}


@cache
def _named(kind: type[Any]) -> tuple[frozenset[str], tuple[str, ...]]:
    """The names of a class's fields; those that have to be there, in order."""
    needed = (f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING)
    return frozenset(f.name for f in fields(kind)), tuple(needed)


def _convert(data: Json, kind: Any, what: str) -> Any:
    names, needed = _named(kind)
    for key in data:
        if key not in names:
            raise BadInput(
                _(
                    "{what} has no field {field!r}. It has {known}.",
                    what=what,
                    field=str(key)[:40],
                    known=", ".join(sorted(names)) or _p("names", "none"),
                )
            )
    for name in needed:
        if name not in data:
            raise BadInput(_("{what} is missing {name!r}. Add it.", what=what, name=name))
    if _has_huge_number(data):
        raise BadInput(_("{what} has a number that is far too big. Send the right one.", what=what))
    try:
        return read_value(data, kind)
    except Unreadable as error:
        raise BadInput(_("{what} can't be understood: {error}.", what=what, error=error.why)) from error
