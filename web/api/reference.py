"""The OpenAPI document as a page to read: each operation with its request and its responses."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from web.api.operations import Json

WORDS = {"integer": "number", "array": "list", "null": "nothing"}  # JSON's word is the key.


@dataclass(frozen=True)
class Shape:
    """A schema in one line: text, with names of other schemas in it, each of them a link."""

    parts: tuple[tuple[str, bool], ...]  # (text, whether it is the name of a schema)


@dataclass(frozen=True)
class Field:
    """One field of a body, or one parameter."""

    name: str
    shape: Shape
    required: bool
    note: str = ""


@dataclass(frozen=True)
class Call:
    """One method of one path. `answers` are (status, description, shape)."""

    method: str
    path: str
    summary: str
    fields: tuple[Field, ...]
    body: Shape | None
    answers: tuple[tuple[str, str, Shape], ...]


@dataclass(frozen=True)
class Kind:
    """A schema with a name."""

    name: str
    text: str
    shape: Shape | None
    fields: tuple[Field, ...]


def calls(document: Json) -> tuple[Call, ...]:
    """Every operation, in the order of the document."""
    return tuple(
        Call(
            method.upper(),
            path,
            operation["summary"],
            tuple(Field(p["name"], shape(p["schema"]), p["required"], p["in"]) for p in operation["parameters"]),
            shape_of_content(operation["requestBody"]["content"]) if "requestBody" in operation else None,
            tuple(
                (status, answer["description"], shape_of_content(answer["content"]))
                for status, answer in operation["responses"].items()
            ),
        )
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    )


def kinds(document: Json) -> tuple[Kind, ...]:
    """Every named schema."""
    return tuple(
        Kind(
            name,
            component.get("description", ""),
            None if "properties" in component else shape(component),
            tuple(
                Field(field, shape(schema), field in component.get("required", ()))
                for field, schema in component.get("properties", {}).items()
            ),
        )
        for name, component in sorted(document["components"]["schemas"].items())
    )


def shape_of_content(content: Json) -> Shape:
    """The shape of a body: its schema if it is JSON, else its media type."""
    (media, described), *_ = content.items()
    return shape(described["schema"]) if media == "application/json" else Shape(((media, False),))


def shape(schema: Json) -> Shape:
    """A schema in one line."""
    return Shape(tuple(parts(schema)))


def parts(schema: Json) -> Iterator[tuple[str, bool]]:
    """The parts of a schema's line."""
    if "$ref" in schema:
        yield schema["$ref"].rpartition("/")[2], True
    elif "const" in schema:
        yield repr(schema["const"]), False
    elif "enum" in schema:
        yield " or ".join(map(repr, schema["enum"])), False
    elif alternatives := schema.get("anyOf") or schema.get("oneOf"):
        yield from joined(alternatives)
    elif isinstance(schema.get("items"), dict):
        yield "list of ", False
        yield from parts(schema["items"])
    elif schema.get("title") and "properties" in schema:
        yield schema["title"], False
    else:
        yield plain(schema), False


def joined(alternatives: list[Json]) -> Iterator[tuple[str, bool]]:
    """The parts of alternatives, with "or" between them."""
    for number, alternative in enumerate(alternatives):
        if number:
            yield " or ", False
        yield from parts(alternative)


def plain(schema: Json) -> str:
    """A type with its bounds: "number from 0 to 9"."""
    kind: Any = schema.get("type", "anything")
    words = WORDS.get(kind, str(kind))
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None:
        words += f" from {low}"
    if high is not None:
        words += f" to {high}"
    if "maxLength" in schema:
        words += f" of up to {schema['maxLength']} characters"
    return words
