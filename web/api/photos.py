"""Photos that people take of the table."""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from flask import Response, request

from companion.errors import BadInput, CornersWanted
from companion.game.readings import Kind
from companion.house.photos import Corners
from companion.ids import is_id
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.sensing.asking import ShownBy
from companion.sensing.looks import Reply
from companion.table.table import Table
from companion.words import _
from web.access import gate, rights
from web.api import requests, responses
from web.api.answers import as_json
from web.api.operations import SESSION, WRITE, Json, Operations, Parameter
from web.house import host

PIECE_BYTES = 65_536  # received at a time
MOST_BYTES = 25_000_000  # of a photo: one of 48 megapixels has some 20 MB

operations = Operations()

NUMBER = r"[01](\.[0-9]{1,6})?"
SEEN_SEQ: Json = {"type": "integer", "minimum": 0, "maximum": requests.LARGEST}
CORNERS: Json = {  # of a board: x and y as shares of the photo's width and height, from row 1, column 1 clockwise
    "type": "string",
    "pattern": f"^{NUMBER}(,{NUMBER}){{7}}$",
    "example": "0.2,0.1,0.8,0.1,0.9,0.9,0.1,0.9",
}
KIND: Json = {"type": "string", "enum": [str(kind) for kind in Kind]}


@operations.post(
    SESSION + "/photo",
    "Show a photo of the table, which becomes an entry, a question or a remark",
    gives=responses.PhotoAnswer,
    takes="image/*",
    name="photo",
    refusals=(*WRITE, 422, 429),
    parameters=(
        Parameter("kind", "query", KIND),
        Parameter("event_id", "query", {"type": "string"}, required=True),
        Parameter("seen_seq", "query", SEEN_SEQ),
        Parameter("corners", "query", CORNERS),
    ),
)
def take_photo(session: str) -> Response:
    table = host().table(session)
    event_id = request.args.get("event_id", "")
    if not is_id(event_id):
        raise BadInput(_("An event id has 1 to 64 letters, digits, '-' or '_'. Make a new one."))
    with place_for(table):
        try:
            outcome = photo_taken(table, request.get_data(), event_id)
        except CornersWanted as why:
            return as_json(responses.PhotoAnswer(remark=why.sentence, wants="corners"))
    return as_json(
        responses.PhotoAnswer(
            entered=outcome.receipt.seq if outcome.receipt else None,
            proposal=outcome.question.id if outcome.question else None,
            remark=outcome.remark.text if outcome.remark else None,
        )
    )


@contextmanager
def place_for(table: Table) -> Iterator[None]:
    """Room for this device's photo of a game; raises NotAllowed, before it is received, while others are to play."""
    rights.required_for(table.awaiting)
    with place():
        yield


@contextmanager
def place() -> Iterator[None]:
    """Room for a photo of this device, while it is received and read."""
    request.max_content_length = MOST_BYTES
    with host().photos.places.place(gate.device(), gate.share(), is_hosts=gate.role() is Role.HOST) as stay:
        request.environ["wsgi.input"] = Arriving(request.environ["wsgi.input"], stay)
        yield


class Arriving(io.RawIOBase):
    """A body while it is received; `stay` raises where it takes too long.

    Its time begins now: that it has waited for a place is not its device's fault.
    """

    def __init__(self, body: IO[bytes], stay: Callable[[], None]) -> None:
        self._body, self._stay = body, stay
        if begin := getattr(body, "begin", None):  # The bodies of other servers have no limit of ours.
            begin()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._stay()
        piece = self._body.read(min(len(buffer), PIECE_BYTES))
        buffer[: len(piece)] = piece
        return len(piece)


def photo_taken(table: Table, content: bytes, event_id: str) -> Reply:
    """What a photo that this device shows leads to; the query has kind, corners and the newest entry it knew of."""
    sent = Origin(event_id, requests.number_argument("seen_seq", table.seq), "camera", gate.sender())
    shown_by = ShownBy(sent, lambda event: rights.required_to_enter(table, event))
    return host().photos.take(table, content, asked_kind(), shown_by, tapped_corners())


def asked_kind() -> Kind | None:
    """The kind that the query names, or None; raises BadInput for another word."""
    name = request.args.get("kind")
    if not name:
        return None
    if name not in {str(kind) for kind in Kind}:
        raise BadInput(_("A photo shows one of {names}. Leave kind out, or name one of them.", names=", ".join(Kind)))
    return Kind(name)


def tapped_corners() -> Corners | None:
    """The corners that the query names, or None; raises BadInput for anything else."""
    text = request.args.get("corners")
    if not text:
        return None
    parts = text.split(",")
    if len(parts) != 8 or not all(re.fullmatch(NUMBER, part) and float(part) <= 1 for part in parts):
        raise BadInput(_("Corners are eight numbers from 0 to 1: across and down, clockwise from row 1, column 1."))
    numbers = [float(part) for part in parts]
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))
