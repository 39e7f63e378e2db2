"""Bodies of responses as types, which write every JSON response and make its schema in the OpenAPI document."""

from typing import Any

import msgspec


class Error(msgspec.Struct):
    """A refusal, in one sentence for people: what is wrong, then what to do."""

    error: str


class Done(msgspec.Struct):
    """The request was carried out."""

    done: bool = True


class Receipt(msgspec.Struct):
    """The entry that was written into the journal."""

    event_id: str
    seq: int


class PhotoAnswer(msgspec.Struct, omit_defaults=True):
    """What a photo led to: the entry with this number, the question with this id, or a sentence.

    wants   "corners": the photo can be read once it is sent again with the board's corners
    """

    entered: int | None = None
    proposal: str | None = None
    remark: str | None = None
    wants: str | None = None


class Misfit(msgspec.Struct):
    """A later entry that would no longer fit."""

    seq: int
    sentence: str
    why: str


class Preview(msgspec.Struct):
    """The effect of a correction: the score before and after."""

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
    `ended_early`: the players stopped before the rules ended it; it is not over then.
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
    ended_early: bool = False


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


class Who(msgspec.Struct):
    """What a device is here: `role` is host, player or watcher; `player` the only seat that it plays for.

    `may_choose`: whether it may say whom it plays for. `taken`: how many other devices play for a seat alone.
    `token`: the new ticket of a device that has just chosen, in place of its present one; "" otherwise.
    """

    role: str
    player: str | None
    may_choose: bool
    taken: dict[str, int]
    token: str = ""


class HistoryEntry(msgspec.Struct):
    """An entry of the history. `status`: "", "undone", "struck" or "corrected".

    `event`: as it counts now, null when it does not, and of an early end or a stand-in, which are no events.

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
    """A person of the house, drawn as `symbol` in `colour`. `games`: how many they played in."""

    id: str
    name: str
    symbol: str
    colour: str
    games: int


class BestInfo(msgspec.Struct):
    """The most points in a finished game of one kind; the earliest if several are equal."""

    game: str
    points: int
    session: str


class PersonRecord(PersonInfo, kw_only=True):
    """The totals of one person's games. `won` counts only games with rivals."""

    finished: int
    won: int
    bests: list[BestInfo]


class PersonGame(msgspec.Struct):
    """A game that a person played in.

    `place`: the mean of shared places, null until it is over and where another is played. `others`: those still known.
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


class Seen(msgspec.Struct):
    """Whom the table takes the asking device for.

    `role` is null for a stranger. `grounds` says why the request counts as the table's own machine's ("own", "screen"),
    or why it does not. `address` and `port` are where the table sees it come from.
    """

    role: str | None
    grounds: str
    address: str
    port: int


class Part(msgspec.Struct):
    """How a part of the table is: `state` is ok, note, warn, off or down, and `text` one sentence."""

    part: str
    state: str
    text: str
