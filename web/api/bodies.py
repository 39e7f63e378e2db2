"""What the API takes and gives, as types: the validation of every body and its schema in the OpenAPI document."""

from typing import Annotated, Any, TypeVar

import msgspec
from flask import request
from msgspec import Meta
from werkzeug.exceptions import RequestEntityTooLarge, UnsupportedMediaType

from companion.errors import BadInput
from companion.journal.session import NAME_LENGTH
from companion.words import _

PLAYERS = 100  # more than any game seats
GAME_BYTES = 16_000_000  # a game of a whole evening is far below 1 MB
LARGEST = 999_999_999  # far beyond any sequence number, within what SQLite counts

EventId = Annotated[str, Meta(pattern="^[0-9A-Za-z._-]{1,64}$", description="Made by the sender, one for each tap.")]
SessionId = Annotated[
    str, Meta(pattern="^[0-9A-Za-z_-]{8,64}$", description="Made by the sender, so that a repeated request makes one.")
]
Seq = Annotated[int, Meta(ge=1, le=LARGEST)]
SeenSeq = Annotated[int, Meta(ge=0, le=LARGEST, description="The newest entry the sender knew of.")]
Seqs = Annotated[list[Seq], Meta(max_length=1000)]
GameName = Annotated[str, Meta(min_length=1, max_length=64)]
# The core refuses a bad name with a sentence of its own, so the length is only told here and not checked twice.
Name = Annotated[str, Meta(extra_json_schema={"minLength": 1, "maxLength": NAME_LENGTH, "pattern": r"\S"})]
Event = Annotated[dict[str, Any], Meta(extra_json_schema={"x-event": True})]
OptionValues = Annotated[dict[str, Any], Meta(extra_json_schema={"x-options": True})]
DieValue = Annotated[int, Meta(ge=1, le=6)]
Corrections = Annotated[dict[Annotated[str, Meta(max_length=64)], DieValue], Meta(max_length=64)]


class Body(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A request: nothing but the fields named."""


class NewSession(Body):
    """A game to start."""

    game: GameName
    players: Annotated[list[Name], Meta(min_length=1, max_length=PLAYERS)]
    options: OptionValues = {}
    preset: Annotated[str, Meta(max_length=40, description="A set of switches by name; options change it.")] = ""
    session_id: SessionId | None = None


class PostEvent(Body):
    """Something that happened on the table."""

    event: Event
    event_id: EventId
    seen_seq: SeenSeq


class Undo(Body):
    """Take back the newest entry that counts, or with `seq` exactly that one; of an undo, that redoes."""

    event_id: EventId
    seen_seq: SeenSeq
    seq: Seq | None = None


class Strike(Body):
    """Take an earlier entry out. Later ones that no longer fit are struck too (`also`) or stay (`ruled`)."""

    seq: Seq
    event_id: EventId
    seen_seq: SeenSeq
    also: Seqs = []
    ruled: Seqs = []
    preview: bool = False


class Amend(Body):
    """Put another event in the place of an earlier one; `also` and `ruled` as for a strike."""

    seq: Seq
    event: Event
    event_id: EventId
    seen_seq: SeenSeq
    also: Seqs = []
    ruled: Seqs = []
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
    """What if: another event in the place of an earlier one, or none."""

    event: Event | None = None


class Roll(Body):
    """Dice to throw on the demo's table: those named, so many, so many of each player's, or all that lie there."""

    keys: Annotated[list[Annotated[str, Meta(max_length=64)]], Meta(max_length=100)] | None = None
    count: Annotated[int, Meta(ge=1, le=100)] | None = None
    each: Annotated[int, Meta(ge=1, le=100)] | None = None


class OneDie(Body):
    """A die of the demo's table to which something is done."""

    key: Annotated[str, Meta(max_length=64)]


class PutOnto(Body):
    """A die of the demo's table, put onto another one."""

    key: Annotated[str, Meta(max_length=64)]
    onto: Annotated[str, Meta(max_length=64)]


class Move(Body):
    """A die pushed elsewhere on the demo's table."""

    key: Annotated[str, Meta(max_length=64)]
    x_mm: Annotated[float, Meta(ge=-1000, le=1000)]
    y_mm: Annotated[float, Meta(ge=-1000, le=1000)]


Square = Annotated[int, Meta(ge=0, le=99)]


class Put(Body):
    """A piece put on a square of the demo's board."""

    row: Square
    column: Square
    colour: Annotated[str, Meta(max_length=20)]


class Take(Body):
    """The top piece of a square, taken away."""

    row: Square
    column: Square


class Tip(Body):
    """A pile tipped over: the side its lowest moving piece goes to, 0 is far, then clockwise."""

    row: Square
    column: Square
    first: Annotated[int, Meta(ge=0, le=3)]


class Deal(Body):
    """How many boxes of each size lie beside the trucks, smallest first."""

    counts: Annotated[list[Annotated[int, Meta(ge=0, le=30)]], Meta(min_length=5, max_length=5)]


class Load(Body):
    """A box put onto a truck: its far left unit on that square, along the rows, away from the viewer, or upright."""

    size: Annotated[int, Meta(ge=1, le=5)]
    truck: Square
    row: Square
    column: Square
    along: Annotated[str, Meta(max_length=1)]


class Unload(Body):
    """The upper box of a truck's square, taken back."""

    truck: Square
    row: Square
    column: Square


class PutBlock(Body):
    """A block put on a stack: how it lies, and its middle right of the space's."""

    way: Annotated[str, Meta(max_length=20)]
    x_mm: Annotated[float, Meta(ge=-1000, le=1000)]


class Card(Body):
    """The number of the card that lies on the demo's card spot; none lies there without one."""

    number: Annotated[int, Meta(ge=1, le=99)] | None = None


class Finger(Body):
    """A button of the demo's box."""

    button: Annotated[str, Meta(max_length=64)]


class Touch(Body):
    """A picture was touched: as parts of its width and height."""

    x: Annotated[float, Meta(ge=0, le=1)]
    y: Annotated[float, Meta(ge=0, le=1)]


class ColourTap(Touch, kw_only=True):
    """A die was touched in the picture."""

    colour: str


class Error(msgspec.Struct):
    """A refusal, in one sentence for people: what is wrong, then what to do."""

    error: str


class Done(msgspec.Struct):
    """It is so now."""

    done: bool = True


class Receipt(msgspec.Struct):
    """What was written into the journal."""

    event_id: str
    seq: int


class Misfit(msgspec.Struct):
    """A later entry that would no longer fit."""

    seq: int
    sentence: str
    why: str


class Preview(msgspec.Struct):
    """What a correction would change: the score before and after."""

    seq: int
    before: dict[str, int]
    after: dict[str, int]
    misfits: list[Misfit]


class OptionChoice(msgspec.Struct):
    value: Any
    label: str


class GameOption(msgspec.Struct):
    """A switch of a game; `rule` is the id in its rule sheet."""

    name: str
    default: Any
    label: str
    help: str
    rule: str
    choices: list[OptionChoice]
    low: int | None = None
    high: int | None = None


class GamePreset(msgspec.Struct):
    """A set of switches. `locked`: no switch may be changed, and only a referee corrects and rules."""

    name: str
    label: str
    help: str
    options: dict[str, Any]
    locked: bool


class GameInfo(msgspec.Struct):
    """A game that can be played."""

    name: str
    title: str
    tagline: str
    fewest: int
    most: int
    options: list[GameOption]
    presets: list[GamePreset]


class PlayerInfo(msgspec.Struct):
    id: str
    name: str


class Summary(msgspec.Struct):
    """A session in the list.

    `unreadable`: why it cannot be opened here, "" for one that can; it then has no score and is not over.
    """

    id: str
    game: str
    title: str
    players: list[PlayerInfo]
    score: dict[str, int]
    over: bool
    seq: int
    created_wall_us: int
    preset: str
    locked: bool
    unreadable: str = ""


class DueInfo(msgspec.Struct):
    """The event that the clock brings next."""

    at_us: int
    event: Any


class SessionInfo(Summary, kw_only=True):
    """A session as it stands. `awaiting`: the players who may act now; `state`: the game's own facts.

    `due` and `now_us` are in the game's own time, as its entries are: of a game from elsewhere not the house's.
    """

    awaiting: list[str]
    winners: list[str]
    options: dict[str, Any]
    holds_table: bool
    state: Any
    due: DueInfo | None
    now_us: int


class LegalNumber(msgspec.Struct):
    """A legal event that still needs a number."""

    kind: str
    field: str
    low: int
    high: int
    prompt: str


class Legal(msgspec.Struct):
    """What a player may do now. `numbers` are events that still need a number."""

    player: str
    events: list[Any]
    numbers: list[LegalNumber]


class HistoryEntry(msgspec.Struct):
    """An event of the history. `status`: "", "undone", "struck" or "corrected".

    `device`: what the house calls the device it was tapped on, "" for a sensor or where that is not known.
    """

    seq: int
    sentence: str
    source: str
    device: str
    wall_us: int
    status: str
    player: str | None
    picture: str | None
    event: Any


class PersonInfo(msgspec.Struct, kw_only=True):
    """Somebody of the house, drawn as `symbol` in `colour`. `games`: how many they sat in."""

    id: str
    name: str
    symbol: str
    colour: str
    games: int


class BestInfo(msgspec.Struct):
    """The most points in a finished game of one kind; of equal ones the earliest."""

    game: str
    points: int
    session: str


class PersonRecord(PersonInfo, kw_only=True):
    """Somebody with what their games add up to. `won`: games with rivals alone."""

    finished: int
    won: int
    bests: list[BestInfo]


class PersonGame(msgspec.Struct):
    """A game somebody sat in. `place`: the mean of shared ones, null until it is over; `others`: those still known.

    `unreadable`: why its points are not known here, "" for a game that can be read.
    """

    session: str
    game: str
    title: str
    player: str
    created_wall_us: int
    over: bool
    won: bool
    points: int
    place: float | None
    others: list[str]
    unreadable: str = ""


class DoubtInfo(msgspec.Struct):
    """A die the camera asks about: where its value stands in the event, the likely values, its picture's hash."""

    path: str
    alternatives: list[tuple[int, float]]
    picture: str | None


class ProposalInfo(msgspec.Struct):
    """An event as the camera read it, waiting for a tap."""

    id: str
    kind: str
    event: Any
    instead: list[tuple[str, Any]]
    doubts: list[DoubtInfo]
    sure: list[tuple[str, int]]
    note: str
    picture: str | None
    created_us: int
    counts_us: int | None


class ClockInfo(msgspec.Struct):
    """Table time now, in microseconds."""

    now_us: int


class Health(msgspec.Struct):
    status: str


BodyType = TypeVar("BodyType", bound=Body)


def body(kind: type[BodyType]) -> BodyType:
    """The request's body as `kind`; raises BadInput with one sentence for everything else."""
    if request.mimetype != "application/json":
        raise UnsupportedMediaType
    try:
        return msgspec.convert(whole_numbers(msgspec.json.decode(request.get_data())), kind)
    except RequestEntityTooLarge:
        raise
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadInput(_("This request cannot be understood: {error}.", error=error)) from error
    except RecursionError as error:
        raise BadInput(_("This request is nested too deeply: send what the documentation shows.")) from error


def whole_numbers(value: Any) -> Any:
    """`value` with 3.0 as 3, wherever it stands: to JSON they are the same number."""
    match value:
        case dict():
            return {key: whole_numbers(part) for key, part in value.items()}
        case list():
            return [whole_numbers(part) for part in value]
        case float() if value.is_integer():
            return int(value)
    return value


def number_argument(name: str, default: int, low: int = 0, high: int = LARGEST) -> int:
    """A whole number from the address's query; raises BadInput when it is none in range."""
    text = request.args.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST)) and low <= int(text) <= high):
        raise BadInput(_("{name} must be a whole number from {low} to {high}.", name=name, low=low, high=high))
    return int(text)
