"""JSON output of commands."""

import codecs
import json
import sys

import click


def echo_json(value: object) -> None:
    """Prints JSON on one line: as it is in UTF-8, else in ASCII, since other encodings lack characters.

    The escapes of `backslashreplace` (\\U0001f600, \\xe9) would be no JSON.
    """
    click.echo(json.dumps(value, ensure_ascii=not is_utf8(sys.stdout)))


def is_utf8(stream: object) -> bool:
    encoding = getattr(stream, "encoding", None)
    return isinstance(encoding, str) and codecs.lookup(encoding).name == "utf-8"
