"""How far a command has come that takes minutes."""

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

import click

Thing = TypeVar("Thing")


def with_progress(things: Sequence[Thing], label: str) -> Iterator[Thing]:
    """The things one after the other; a line on standard error says how far that is, where it is a terminal."""
    if not (sys.stderr and sys.stderr.isatty()):
        yield from things
        return
    with click.progressbar(things, label=label, file=sys.stderr) as shown:
        yield from shown
