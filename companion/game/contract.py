"""What every game gives and what it is given: the contract between the rules and the table.

A game is a folder with two doors. `rules.py` is the rulebook: pure functions over frozen values. `interface.py` says
how it looks and what readings and buttons mean. `Game` binds the two; nothing else in the project knows a game by name.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from typing import Any, get_type_hints

from companion.game.readings import Kind, Reading
from companion.game.widgets import Widget
from companion.words import N_, _

PlayerId = str
State = Any  # each game's own frozen dataclass
Event = Any  # one of the game's own frozen event dataclasses
Options = Any  # the game's own frozen dataclass of switches

NOW_US = -1  # in an event's at_us: "when this arrives"; the table puts its time there

SOURCES = (N_("tablet"), N_("camera"), N_("button"), N_("clock"))


class Device(StrEnum):
    """What a button at the table is for."""

    SEAT = "seat"
    START = "start"
    UNDO = "undo"
    CONFIRM = "confirm"


@dataclass(frozen=True)
class Signal:
    """A button went down or came up at the table.

    seat        1, 2, … for a seat's button, otherwise None
    at_us       table time of the kernel's edge stamp
    trace       the raw edges around it, chatter and all: (contact closed, table time); kept as evidence
    """

    device: Device
    pressed: bool
    at_us: int
    seat: int | None = None
    trace: tuple[tuple[bool, int], ...] = ()


class Light(StrEnum):
    """What a seat's LED says."""

    OFF = "off"
    ON = "on"
    SLOW = "slow"  # blinks once a second: your move
    FAST = "fast"  # blinks four times a second: hurry, or asked


class Phase(StrEnum):
    """What the box has to tell; its sounds and the status light are data in firmware/signs.toml."""

    WAITING = "waiting"
    COUNTDOWN = "countdown"
    RUNNING = "running"
    LAST_SECONDS = "last_seconds"
    PAUSED = "paused"
    FINISHED = "finished"
    WRONG = "wrong"
    ASK = "ask"
    LAST_TURN = "last_turn"
    OVER = "over"


@dataclass(frozen=True)
class BoxLook:
    """How the box shall look now: its phase and one light for each seat, in seat order."""

    phase: Phase
    lights: tuple[Light, ...]


@dataclass(frozen=True)
class Due:
    """An event that the clock brings: `event` happens at table time `at_us` unless something comes first."""

    at_us: int
    event: Event


@dataclass(frozen=True)
class Ask:
    """A legal event that still needs a number: `field` of event `kind`, from `low` to `high`."""

    kind: str
    field: str
    low: int
    high: int
    prompt: str


@dataclass(frozen=True)
class Proposed:
    """What a reading means to a game.

    event       the event as read
    paths       for each die of the reading, then each unread box, the dotted path of its value in the event ("dice.0"),
                "" for one that is no part of it; of other readings none
    confirm     True: a person must tap even when the camera is sure (the roll came early, say)
    instead     what it might be as well, likeliest first: what to call it, and the event
    which       True: `event` is no likelier than those, so a bare yes, such as the box's Confirm, is no answer
    lasting     True: what it says no later look can undo (a stack that fell has fallen, though it stands again)
    goes_on     True: the look shows more than this; once this is entered, it is looked at again
    patience_s  of a question that the camera is sure of: seconds after which it counts by itself where the house wants
                that of this kind of reading, unless somebody taps or the table changes; 0: it always waits for a tap
    of_before   True: it is about how the table lay at the last look; that picture is shown beside the new one
    """

    event: Event
    paths: tuple[str, ...] = ()
    confirm: bool = False
    note: str = ""
    instead: tuple[tuple[str, Event], ...] = ()
    which: bool = False
    lasting: bool = False
    of_before: bool = False
    goes_on: bool = False
    patience_s: int = 0


@dataclass(frozen=True)
class Eyes:
    """What the cameras read for a game now, each time the table comes to rest.

    above   by the camera above the table
    front   by the camera at table height; it is also asked at once when an event says `glance = True`
    knows   what the game knows of the table, in the fields of a scene file: how many spaces its board has, say
    """

    above: Kind | None = Kind.DICE
    front: Kind | None = None
    knows: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Remark:
    """What is no event now, in one sentence for the players: what is wrong, then what to do.

    source      who brought it, one of SOURCES
    """

    text: str
    source: str = "camera"


@dataclass(frozen=True)
class Viewer:
    """Who looks at a page.

    player      the player whose sheet is shown, None for the whole table
    names       what to call each player
    draft       what was tapped on this page and not yet posted: field → value, all strings
    """

    player: PlayerId | None
    names: Mapping[PlayerId, str]
    draft: Mapping[str, str] = field(default_factory=dict)

    def name(self, player: PlayerId) -> str:
        """The player's name, or "somebody" for one who has been deleted."""
        return self.names.get(player) or _("somebody")


@dataclass(frozen=True)
class Choice:
    """One value an option may take, and what to call it."""

    value: Any
    label: str


@dataclass(frozen=True)
class OptionInfo:
    """One switch of a game, for the set-up page: `help` is one sentence, `rule` the id in the rule sheet."""

    name: str
    default: Any
    kind: Any
    label: str
    help: str
    rule: str
    choices: tuple[Choice, ...]
    low: int | None
    high: int | None
    editor: str


def option(
    default: Any,
    label: str,
    help: str,
    rule: str,
    choices: tuple[Choice, ...] = (),
    low: int | None = None,
    high: int | None = None,
    editor: str = "",
) -> Any:
    """A field of a game's `Options`, with what the set-up page says about it.

    choices     empty for a switch between yes and no, a number or a text; the field's type decides
    low, high   smallest and largest number allowed, where it is one; start() still checks for itself
    editor      name of a script that makes typing easier, "" for none ("grid": cards of squares, one a line)
    """
    metadata = {"label": label, "help": help, "rule": rule, "choices": choices, "low": low, "high": high}
    return field(default=default, metadata={**metadata, "editor": editor})


def option_infos(options: type[Options]) -> tuple[OptionInfo, ...]:
    """The switches of a game in the order of its `Options`, in the current language."""
    kinds = get_type_hints(options)
    return tuple(
        OptionInfo(f.name, None if f.default is MISSING else f.default, kinds[f.name], **told(f.metadata))
        for f in fields(options)
    )


def told(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What the set-up page says about an option, in the current language."""
    choices = tuple(Choice(choice.value, _(choice.label)) for choice in metadata["choices"])
    label, help_line = metadata["label"], metadata["help"]
    return {**metadata, "label": _(label), "help": _(help_line), "choices": choices}


@dataclass(frozen=True)
class Preset:
    """A set of switches with a name, for the set-up page: every option it does not name has its default.

    locked      the options stay as they are, a referee decides what the rules leave open
    """

    name: str
    label: str
    help: str
    options: Mapping[str, Any] = field(default_factory=dict)
    locked: bool = False


AS_PRINTED = Preset("printed", N_("As printed"), N_("Every switch as in the rulebook."))


@dataclass(frozen=True)
class Thrown:
    """One die of a roll, for the statistics: which kind of die it is, its faces, and what it showed."""

    die: str
    faces: tuple[int, ...]
    value: int


D6 = (1, 2, 3, 4, 5, 6)


@dataclass(frozen=True)
class Advice:
    """Something the players may ask to have worked out, too slow to be on every page: `answer` takes up to seconds.

    name        short, in addresses
    """

    name: str
    label: str
    answer: Callable[[State, Viewer], tuple[Widget, ...]]


def no_due(_state: State) -> Due | None:
    """For games without a clock."""
    return None


def nothing_seen(_state: State, _event: Event, _reading: Reading, _at_us: int) -> None:
    """For games no event of which asks for a look."""


def nothing_late(_state: State, _reading: Reading, _at_us: int) -> None:
    """For games in which a look means nothing any more once the game has gone on."""


def dice_alone(_state: State) -> Eyes:
    """For games that need a camera for their dice alone."""
    return Eyes()


def no_draft(_state: State, _event: Event) -> Mapping[str, str]:
    """For games whose corrections begin with nothing chosen."""
    return {}


def no_dice(_event: Event, _options: Options) -> tuple[Thrown, ...]:
    """For games without dice."""
    return ()


def no_colours(_state: State) -> Mapping[PlayerId, str]:
    """For games whose pieces are nobody's own."""
    return {}


def no_charts(_state: State, _viewer: Viewer) -> tuple[Widget, ...]:
    """For games whose result says it all in points."""
    return ()


@dataclass(frozen=True)
class Game:
    """A game as the rest of the project sees it. Every function is pure.

    name            folder name, in addresses and in the journal
    tagline         a message, as all words of presets and advice: whoever shows it says `_(…)`
    seats           fewest and most players
    events          every event class of the game; what a class says of its events beside their fields is one of MARKS
    start           (options, players clockwise) → state; raises IllegalEvent for options that make no game
    awaiting        players who may act now; empty when it is over, or when the table has to roll
    legal           (state, player) → events (or Asks) that apply() accepts now
    apply           (state, event, ruled) → state; raises IllegalEvent. `ruled`: the table says so, check only what
                    is physically possible
    score           points of every player, summed from facts in the state
    explain         (state, player) → lines (text, points, rule id) that add up to score()
    winners         empty until it is over
    describe        (state before, event, viewer) → one sentence for the history
    view            (state, viewer) → widgets
    propose         (state, reading) → what the reading means now, None when it means nothing; it may be of a kind that
                    `eyes` does not ask for, since the table changes while cameras look
    glanced         (state, event, reading, at_us) → the same of the look that an event with `glance = True` asked for,
                    in a picture of table time `at_us`; what is seen later has no say in it
    late            (state, reading, at_us) → what a picture of table time at_us means where `propose` says nothing:
                    the game may have gone on since it was taken
    eyes            what the cameras are to read in this state
    bind            (state, signal) → event, None when the button means nothing now
    due             (state) → the next event that the clock brings
    look            (state, now_us) → how the box looks
    thrown          (event, options) → the dice it tells of, for the statistics
    drafted         (state before, event) → the draft that amounts to it, for a correction to begin with
    presets         sets of switches by name, "as printed" first
    advice          what players may ask to have worked out
    family          name of a family of games that the same players change between; "" for none
    colours         (state) → the colour class of each player's own pieces
    charts          (state, viewer) → what the result shows besides points, as pictures
    """

    name: str
    title: str
    tagline: str
    seats: tuple[int, int]
    options: type[Options]
    events: tuple[type[Event], ...]
    start: Callable[[Options, tuple[PlayerId, ...]], State]
    awaiting: Callable[[State], frozenset[PlayerId]]
    legal: Callable[[State, PlayerId], tuple[Event | Ask, ...]]
    apply: Callable[..., State]
    score: Callable[[State], Mapping[PlayerId, int]]
    explain: Callable[[State, PlayerId], tuple[tuple[str, int, str], ...]]
    is_over: Callable[[State], bool]
    winners: Callable[[State], tuple[PlayerId, ...]]
    describe: Callable[[State, Event, Viewer], str]
    view: Callable[[State, Viewer], tuple[Widget, ...]]
    look: Callable[[State, int], BoxLook]
    propose: Callable[[State, Reading], Proposed | Remark | None]
    bind: Callable[[State, Signal], Event | None]
    late: Callable[[State, Reading, int], Proposed | None] = nothing_late
    glanced: Callable[[State, Event, Reading, int], Proposed | Remark | None] = nothing_seen
    eyes: Callable[[State], Eyes] = dice_alone
    due: Callable[[State], Due | None] = no_due
    thrown: Callable[[Event, Options], tuple[Thrown, ...]] = no_dice
    drafted: Callable[[State, Event], Mapping[str, str]] = no_draft
    presets: tuple[Preset, ...] = (AS_PRINTED,)
    advice: tuple[Advice, ...] = ()
    family: str = ""
    colours: Callable[[State], Mapping[PlayerId, str]] = no_colours
    charts: Callable[[State, Viewer], tuple[Widget, ...]] = no_charts

    def __post_init__(self) -> None:
        for event in self.events:
            check_marks(event)


# what an event's class says of it beside its fields

TABLE = "table"
CONCERNS, PART, WHOLE_TABLE, BESIDE_PLAY, GLANCE = "concerns", "part", "whole_table", "beside_play", "glance"
MARKS: Mapping[str, str] = {
    CONCERNS: "The players whose part of the table it changes, where it is not the one `player`'s.",
    PART: "Name of what it changes, where that is nobody's and nothing else on the table relies on it.",
    WHOLE_TABLE: "True: it changes the table's part as well, since the players share one board.",
    BESIDE_PLAY: "True: it changes points alone, and nothing that a camera may have seen.",
    GLANCE: "True: the camera at table height shall look at this very moment.",
}


def check_marks(event: type[Event]) -> None:
    """Raises TypeError where an event's class says what nobody asks for: a misspelled mark would mark nothing."""
    of_dataclasses = {field.name for field in fields(event)}
    for name in dir(event):
        if name.startswith("_") or (name in of_dataclasses and name not in MARKS):
            continue
        if name not in MARKS:
            raise TypeError(f"{event.__name__} says {name!r}, which is no mark of an event: take one of {set(MARKS)}.")
        if name == CONCERNS:
            continue
        is_mark = isinstance(getattr(event, name), str) if name == PART else getattr(event, name) is True
        if name in of_dataclasses or not is_mark:
            wanted = '"its name"' if name == PART else "True"
            raise TypeError(
                f"{event.__name__} says {name!r} otherwise than as a mark: write {name}: ClassVar = {wanted}."
            )


def seats(event: Event) -> frozenset[PlayerId]:
    """The players whose event it is, none for one of the whole table."""
    player = getattr(event, "player", None)
    return frozenset(getattr(event, CONCERNS, () if player is None else (player,)))


def affects(event: Event) -> frozenset[str]:
    """What an event changes, for telling a stale tap from an independent one: its player's part, a part that is
    nobody's, or the whole table."""
    parts = seats(event) or frozenset({getattr(type(event), PART, TABLE)})
    return parts | {TABLE} if getattr(type(event), WHOLE_TABLE, False) else parts


def relies_on(event: Event) -> frozenset[str]:
    """What must not have changed since an event was prepared: the table's part and its own player's."""
    return affects(event) | {TABLE}


def is_beside_play(event: Event) -> bool:
    """Whether an event changes points alone, and nothing that a camera may have seen."""
    return bool(getattr(type(event), BESIDE_PLAY, False))


def wants_glance(event: Event) -> bool:
    """Whether the camera at table height shall look at this very moment."""
    return bool(getattr(type(event), GLANCE, False))
