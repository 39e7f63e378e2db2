"""How a command prints JSON."""

import codecs
import json
import sys

import click


def echo_json(value: object) -> None:
    """One line on standard output: as it is in UTF-8, else in ASCII, for other encodings lack signs that it may hold.

    What `backslashreplace` makes of those (\\U0001f600, \\xe9) is no JSON.
    """
    click.echo(json.dumps(value, ensure_ascii=not is_utf8(sys.stdout)))


def is_utf8(stream: object) -> bool:
    """Whether any text can be written there."""
    encoding = getattr(stream, "encoding", None)
    return isinstance(encoding, str) and codecs.lookup(encoding).name == "utf-8"
