"""Bodies of requests as types, which validate requests and make their schemas in the OpenAPI document."""

from typing import Annotated, Any, TypeVar

import msgspec
from flask import request
from msgspec import Meta
from werkzeug.exceptions import UnsupportedMediaType

from companion.errors import BadInput
from companion.foreign import read_json, read_value
from companion.ids import Id
from companion.names import NAME_LENGTH
from companion.words import _

PLAYERS = 100  # more than any game allows
LARGEST = 999_999_999  # No sequence number is as large, and SQLite's integers hold it.

EventId = Annotated[Id, Meta(description="Made by the sender, one for each tap.")]
SessionId = Annotated[Id, Meta(min_length=8, description="Made by the sender, so that a repeated request makes one.")]
Seq = Annotated[int, Meta(ge=1, le=LARGEST)]
SeenSeq = Annotated[int, Meta(ge=0, le=LARGEST, description="The newest entry the sender knew of.")]
Seqs = Annotated[tuple[Seq, ...], Meta(max_length=1000)]
GameName = Annotated[str, Meta(min_length=1, max_length=64)]
# The core refuses a bad name with a sentence of its own, so the length is only documented here, not checked.
Name = Annotated[str, Meta(extra_json_schema={"minLength": 1, "maxLength": NAME_LENGTH, "pattern": r"\S"})]
Event = Annotated[dict[str, Any], Meta(extra_json_schema={"x-event": True})]
OptionValues = Annotated[dict[str, Any], Meta(extra_json_schema={"x-options": True})]
DieValue = Annotated[int, Meta(ge=1, le=6)]
Corrections = Annotated[dict[Annotated[str, Meta(max_length=64)], DieValue], Meta(max_length=64)]


class Body(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A request that has the named fields and no other."""


class NewSession(Body):
    """A game to start."""

    game: GameName
    players: Annotated[list[Name], Meta(min_length=1, max_length=PLAYERS)]
    options: OptionValues = {}
    preset: Annotated[str, Meta(max_length=40, description="A set of switches by name; options change it.")] = ""
    session_id: SessionId | None = None


class Sent(Body):
    """An entry to make. The same `event_id` gets the same answer; something newer than `seen_seq` may refuse it."""

    event_id: EventId
    seen_seq: SeenSeq


class PostEvent(Sent):
    """Something that happened on the table. Its `at_us` is -1, the moment it arrives; only the host says another."""

    event: Event


class Roll(Sent):
    """Roll the dice that the page of `player` (of the whole table, without one) may throw now."""


class Rename(Body):
    """Another name for one player of a game. The seat then belongs to the person of that name, or to nobody."""

    player: str
    name: str


class AtSeat(Sent):
    """Somebody comes or goes at the seat of `player`."""

    player: str


class StandIn(AtSeat, kw_only=True):
    """`who` plays for `player`; "": the player plays again."""

    who: str = ""


class Stop(Sent):
    """The game ends before its rules do, or goes on again."""


class NextPlayer(Body):
    """A seat of the next game; `player` is whoever stays there from this game, with colour and devices."""

    name: Name
    player: str = ""


class LineUp(Stop, kw_only=True):
    """The players of the game that begins when this one ends, in the order of the seats."""

    session_id: SessionId
    players: Annotated[list[NextPlayer], Meta(min_length=1, max_length=PLAYERS)]


class Choose(Body):
    """Whom this device plays for: the id of a player, "everybody", or "nobody" to look on.

    A seat that another device plays for is refused, unless `anyway`.
    """

    choice: str
    anyway: bool = False


class Delete(Body):
    """Delete a game for good. `really` repeats the game's id, so that no slip deletes one."""

    really: str


class Undo(Sent):
    """Take back the newest entry that counts, or with `seq` exactly that one; of an undo, that redoes."""

    seq: Seq | None = None


class Strike(Sent):
    """Take an earlier entry out. Later ones that no longer fit are struck too (`also`) or stay (`ruled`)."""

    seq: Seq
    also: Seqs = ()
    ruled: Seqs = ()
    preview: bool = False


class Amend(Sent):
    """Put another event in place of an earlier one; `also` and `ruled` as for a strike."""

    seq: Seq
    event: Event
    also: Seqs = ()
    ruled: Seqs = ()
    preview: bool = False


class Confirm(Body):
    """Agree to what the camera saw; `corrections` give the value of each die it asked about.

    `instead` is the number, from 0, of another event that it might be as well.
    """

    event_id: EventId
    corrections: Corrections = {}
    instead: Annotated[int, Meta(ge=0, le=99)] | None = None


class Correct(Body):
    """Say what the dice show: path in the event → value."""

    event_id: EventId
    corrections: Annotated[Corrections, Meta(min_length=1)]


class PreviewAsk(Body):
    """Another event in place of an earlier one, or none: the response says what would change."""

    event: Event | None = None


class Touch(Body):
    """A touch on a picture, as shares of its width and height."""

    x: Annotated[float, Meta(ge=0, le=1)]
    y: Annotated[float, Meta(ge=0, le=1)]


class ColourTap(Touch, kw_only=True):
    """A touch on a die in the picture."""

    colour: str


BodyType = TypeVar("BodyType", bound=Body)


def body(kind: type[BodyType]) -> BodyType:
    """The request's body as `kind`; raises BadInput for anything else."""
    if request.mimetype != "application/json":
        raise UnsupportedMediaType
    return read_value(whole_numbers(read_json(request.get_data())), kind)


def whole_numbers(value: Any) -> Any:
    """`value` with every 3.0 as 3: in JSON they are the same number."""
    match value:
        case dict():
            return {key: whole_numbers(part) for key, part in value.items()}
        case list():
            return [whole_numbers(part) for part in value]
        case float() if value.is_integer():
            return int(value)
    return value


def number_argument(name: str, default: int, low: int = 0, high: int = LARGEST) -> int:
    """A whole number from the query; raises BadInput when it is none or out of range."""
    text = request.args.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST)) and low <= int(text) <= high):
        raise BadInput(_("{name} must be a whole number from {low} to {high}.", name=name, low=low, high=high))
    return int(text)
