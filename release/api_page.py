"""The API as a page of the site: each call with what it takes and gives, and an example of each body by its schema."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from web.api.operations import Json
from web.api.reference import Call, Field, Shape, calls, kinds
from web.api.routes import described

BEGINNING = """\
# The API

{description} Version {version}. A running table has this at `/api/docs`, and as a document for programs at
`/api/openapi.json`.

A program sends a ticket of its own, which `companion token` makes: `-H "Authorization: Bearer TICKET"`. Each example is
as its schema says, with `http://table.local` for the address of your table.
"""


def page() -> str:
    """The whole page, in Markdown."""
    document = described()
    info = document["info"]
    parts = [BEGINNING.format(description=info["description"], version=info["version"])]
    for call in calls(document):
        operation = document["paths"][call.path][call.method.lower()]
        parts.append("\n".join(call_lines(call, operation, document)))
    parts.append("## What the bodies contain\n")
    for kind in kinds(document):
        lines = [f"### {kind.name}\n", *([f"{kind.text}\n"] if kind.text else [])]
        lines += [f"{in_line(kind.shape)}\n"] if kind.shape else []
        parts.append("\n".join([*lines, *field_lines(kind.fields)]))
    return "\n".join(parts)


def call_lines(call: Call, operation: Json, document: Json) -> Iterator[str]:
    """The lines of one call."""
    yield f"## {call.method} {call.path}\n"
    yield f"{call.summary}.\n"
    yield f"```sh\n{command(call, operation, document)}\n```\n"
    yield from field_lines(call.fields)
    yield "| answer | what | body |\n| --- | --- | --- |"
    for status, meaning, shape in call.answers:
        yield f"| {status} | {in_cell(meaning)} | {in_line(shape)} |"
    yield ""
    status, answer = next(iter(operation["responses"].items()))
    schema = answer["content"].get("application/json", {}).get("schema")
    if schema and schema != {}:
        yield f"{status}, for example:\n\n```json\n{as_json(example(schema, document))}\n```\n"


def command(call: Call, operation: Json, document: Json) -> str:
    """A call as a line of curl, with a body where it takes one."""
    words = ["curl", *(["-X", call.method] if call.method != "GET" else [])]
    path = re.sub(r"{(\w+)}", lambda name: name[1].upper(), call.path)
    (content,) = operation.get("requestBody", {"content": {"": {}}})["content"].items()
    if content[0] == "application/json":
        body = json.dumps(example(content[1]["schema"], document))
        words += ["-H", '"Content-Type: application/json"', "-d", f"'{body}'"]
    elif content[0]:
        words += ["-H", f'"Content-Type: {content[0]}"', "--data-binary", "@FILE"]
    return " ".join([*words, f"http://table.local{path}"])


def example(schema: Json, document: Json, depth: int = 0) -> Any:
    """The plainest value that a schema allows; lists that may be empty are, below the first two steps."""
    if "$ref" in schema:
        return example(document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], document, depth)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return example(choices[0], document, depth)
    kind = schema.get("type")
    if kind == "object":
        needed = schema.get("required", ())
        named = {name: part for name, part in schema.get("properties", {}).items() if name in needed}
        if schema.get("minProperties"):
            named["a"] = schema["additionalProperties"]
        return {name: example(part, document, depth + 1) for name, part in named.items()}
    if kind == "array":
        first = [example(part, document, depth + 1) for part in schema.get("prefixItems", ())]
        least = max(schema.get("minItems", 0), int(depth < 2))
        more = schema.get("items")
        if not isinstance(more, dict) or len(first) >= least:
            return first
        further = [example(more, document, depth + 1) for _ in range(least - len(first))]
        return first + [f"{part}{number + 1}" if isinstance(part, str) else part for number, part in enumerate(further)]
    if kind == "string":
        return "0,0,1,0,1,1,0,1" if "(,[01]" in schema.get("pattern", "") else "a" * max(1, schema.get("minLength", 1))
    if kind in ("integer", "number"):
        return max(schema.get("minimum", 1), min(1, schema.get("maximum", 1)))
    return {"boolean": True, "null": None}.get(str(kind), {})


def field_lines(fields: Sequence[Field]) -> Iterator[str]:
    """A table of fields, none for none."""
    if fields:
        yield "| field | what |\n| --- | --- |"
        for field in fields:
            note = ", ".join(filter(None, (field.note, "needed" if field.required else "")))
            yield f"| `{field.name}` | {in_line(field.shape)}{f' ({note})' if note else ''} |"
        yield ""


def in_line(shape: Shape) -> str:
    """A shape with links to the kinds that it names."""
    return "".join(f"[{text}](#{text.lower()})" if named else in_cell(text) for text, named in shape.parts)


def in_cell(text: str) -> str:
    """A text that no table of Markdown takes for its own marks."""
    return text.replace("|", r"\|").replace("<", "&lt;")


def as_json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False)
