"""The vision process's way to the pictures of a phone: it asks the service for each, piece by piece."""

import secrets
from typing import Any, Protocol

from companion.cameras.phone import Picture
from companion.clock import monotonic_us
from companion.sensing.process_messages import PicturePiece, PictureWanted


class Pipe(Protocol):
    """What of the service's pipe is needed here."""

    def send(self, message: Any) -> None: ...

    def wait(self, seconds: float) -> None: ...

    def take(self, kind: type[PicturePiece]) -> list[PicturePiece]: ...


class PhoneLine:
    """Asks for one picture at a time. Commands that come meanwhile are received as in every other wait."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._token = secrets.randbits(62)  # A piece for an earlier process must not be taken for one of these.
        self._awaits_full: bool | None = None  # The picture that was asked for in advance is a full one.
        self.has_seen = False

    def ask(self, *, full: bool) -> None:
        """Asks for the next picture now; `next` with the same size then waits for it."""
        self._token += 1
        self._pipe.take(PicturePiece)
        self._pipe.send(PictureWanted(self._token, full))
        self._awaits_full = full

    def next(self, within_s: float, *, full: bool = False) -> Picture | None:
        """The next picture, or None if it has not come whole in so many seconds."""
        if self._awaits_full is not full:
            self.ask(full=full)
        self._awaits_full = None
        content = b""
        until_us = monotonic_us() + round(within_s * 1_000_000)
        while (left_us := until_us - monotonic_us()) > 0:
            pieces = self._pipe.take(PicturePiece)  # One that was asked for earlier may have come.
            if not pieces:
                self._pipe.wait(left_us / 1_000_000)
                pieces = self._pipe.take(PicturePiece)
            for piece in pieces:
                if piece.token != self._token or piece.at != len(content):
                    continue
                content += piece.content
                if len(content) == piece.size:
                    self.has_seen = True
                    return Picture(content, piece.at_us)
                self._pipe.send(PictureWanted(self._token, full, len(content)))
        return None
