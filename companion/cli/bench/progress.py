"""A progress line for commands that take minutes."""

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

import click

Thing = TypeVar("Thing")


def with_progress(things: Sequence[Thing], label: str) -> Iterator[Thing]:
    """Yields the things one after the other, with a progress line on standard error if that is a terminal."""
    if not (sys.stderr and sys.stderr.isatty()):
        yield from things
        return
    with click.progressbar(things, label=label, file=sys.stderr) as shown:
        yield from shown
