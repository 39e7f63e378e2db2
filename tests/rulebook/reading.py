"""Worked cases out of files: YAML, or the YAML blocks of Markdown."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

MARKDOWN = (".md", ".markdown")
YAML = ("yaml", "yml")
FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)$")


@dataclass(frozen=True)
class Twice:
    """Stands as a key in a mapping in which `key` stands twice, so that its case fails and the others run."""

    key: str


class Loader(yaml.SafeLoader):
    """YAML as it stands; a key that stands twice leaves a mark."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode) and key.value != "<<"]
        mapping = super().construct_mapping(node, deep)
        twice = {key for key in keys if keys.count(key) > 1}
        return {**mapping, **{Twice(key): None for key in twice}}


def blocks(path: Path) -> Iterator[str]:
    """The YAML texts of a file; raises ValueError for Markdown whose last fence is open."""
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix.lower() not in MARKDOWN:
        yield text
        return
    opened: re.Match[str] | None = None
    lines: list[str] = []
    for line in text.splitlines():
        fence = FENCE.match(line)
        if opened is None:
            opened, lines = fence, []
        elif fence and not fence["info"].strip() and fence["fence"].startswith(opened["fence"]):
            if opened["info"].split()[:1] and opened["info"].split()[0].lower() in YAML:
                yield "\n".join(lines)
            opened = None
        else:
            lines.append(line.removeprefix(opened["indent"]))
    if opened is not None:
        raise ValueError(f"the fence {opened['fence']}{opened['info'].strip()} is not closed")


def cases_of(text: str) -> list[dict[Any, Any]]:
    """The list of cases of a YAML text: the data itself, or what stands under `cases`; raises ValueError without."""
    data = yaml.load(text, Loader)  # It is a safe one.
    if isinstance(data, dict) and set(data) == {"cases"}:
        data = data["cases"]
    if not isinstance(data, list) or not all(isinstance(case, dict) for case in data):
        raise ValueError("no list of cases")
    return data


def key_twice(value: Any) -> Twice | None:
    """The first key that stands twice somewhere in a value."""
    parts: list[Any] = []
    if isinstance(value, dict):
        parts = [*value, *value.values()]
    elif isinstance(value, list):
        parts = value
    elif isinstance(value, Twice):
        return value
    return next((found for part in parts if (found := key_twice(part))), None)
