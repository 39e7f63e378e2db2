"""For the site: the lists of a docstring's fields ("seats   fewest and most players") become tables of Markdown.

mkdocstrings loads this by its path (`mkdocs.yml`), in the environment of the site.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import griffe

FIELD = re.compile(r"(\S(?:.*?\S)?) {2,}(\S.*)")


class FieldTables(griffe.Extension):
    """Writes each docstring anew as it is read."""

    def on_object(self, *, obj: Any, **_others: Any) -> None:
        if obj.docstring:
            obj.docstring.value = "\n".join(with_tables(obj.docstring.value.splitlines()))


def with_tables(lines: Sequence[str]) -> Iterator[str]:
    """The lines, with each run of fields as a table; a line that is set in goes on with the field above it."""
    row = ""
    is_in_table = False
    for line in lines:
        field = FIELD.fullmatch(line)
        if row and line.startswith("  "):
            row += f" {line.strip()}"
            continue
        if row:
            yield f"{row} |"
            row = ""
        if field:
            if not is_in_table:
                yield from ("", "| field | what |", "| --- | --- |")
            name, what = field.groups()
            row = f"| `{name}` | {what}"
        elif is_in_table:
            yield ""
        if not field:
            yield line
        is_in_table = bool(field)
    if row:
        yield f"{row} |"
