"""Answers that may be long: they are made and sent piece by piece, so that none is ever in memory as a whole."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import TypeVar

from flask import Response

AT_ONCE = 200  # lines of a list in one piece, as many as a page of the history has
MOST_WHOLE = 3  # pieces of an answer that is made at once, so that it has a length and may be compressed

T = TypeVar("T")


def in_pieces(pieces: Iterator[bytes], mimetype: str) -> Response:
    """An answer of these pieces. Those after MOST_WHOLE are made without Flask's contexts and the reader's language.

    Whatever goes wrong with the first pieces refuses the request; with later ones the connection is broken off
    (`serving.front`).
    """
    begun = [*islice(pieces, MOST_WHOLE + 1)]
    if len(begun) <= MOST_WHOLE:
        return Response(b"".join(begun), mimetype=mimetype)
    return Response(chain(begun, pieces), mimetype=mimetype)


def batches(values: Iterable[T]) -> Iterator[list[T]]:
    """The values, AT_ONCE in a list."""
    left = iter(values)
    while some := [*islice(left, AT_ONCE)]:
        yield some
