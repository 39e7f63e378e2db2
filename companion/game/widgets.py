"""The small vocabulary in which games describe a page. Each widget has exactly one template of the same name.

A widget says what is there, never how it is drawn. Things to tap are `Tap`s: one posts an event, or changes the draft
(what was chosen on this page and not yet posted), never both.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Tone(StrEnum):
    """How loudly something is said."""

    PLAIN = "plain"
    PRIMARY = "primary"  # the one thing to do next
    GOOD = "good"
    WARN = "warn"
    DIM = "dim"


@dataclass(frozen=True)
class Tap:
    """Something to tap.

    event       posted when tapped, or
    draft       fields of the draft to set ("" clears one)
    chosen      it is the value in the draft now
    refused     why it cannot be tapped now; "" when it can
    """

    label: str
    event: Any = None
    draft: Mapping[str, str] = field(default_factory=dict)
    chosen: bool = False
    tone: Tone = Tone.PLAIN
    refused: str = ""


@dataclass(frozen=True)
class Notice:
    """One sentence for everybody."""

    text: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True)
class Headline:
    """Whose turn and what phase, to be read from two metres."""

    title: str
    detail: str = ""
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True)
class Face:
    """One die as it lies: its value (None: not rolled yet) and body colour."""

    value: int | None
    colour: str = "white"
    note: str = ""
    tap: Tap | None = None


@dataclass(frozen=True)
class DiceRow:
    """Dice side by side, large."""

    title: str
    dice: tuple[Face, ...]


@dataclass(frozen=True)
class Stack:
    """Dice standing on each other, or one die that lies alone.

    value       what the top shows
    layers      body colours of the dice, the lowest first
    mark        "" or one of "target", "full"
    """

    value: int
    layers: tuple[str, ...]
    note: str = ""
    mark: str = ""
    tap: Tap | None = None


@dataclass(frozen=True)
class Stacks:
    """Stacks of dice side by side, each drawn layer by layer, so that a fallen one can be set up again."""

    title: str
    stacks: tuple[Stack, ...]


@dataclass(frozen=True)
class Choice:
    """A question with things to tap; `faces` draws the labels 1–6 as die faces."""

    prompt: str
    taps: tuple[Tap, ...]
    faces: bool = False


@dataclass(frozen=True)
class Cell:
    """One square of a grid.

    text        what stands in it (read aloud too)
    colour      a colour class ("red"), "" for none
    mark        "" or one of "new", "group", "crossed", "target"
    layers      colours of a pile of pieces, the lowest first; drawn as pieces lying on each other
    """

    text: str = ""
    colour: str = ""
    mark: str = ""
    tap: Tap | None = None
    layers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Grid:
    """Squares in rows, top row first, with a heading over each column and one before each row ("" for none).

    large       the board of the game: as large as there is room, every piece on it equally bright
    """

    title: str
    rows: tuple[tuple[Cell, ...], ...]
    column_heads: tuple[str, ...] = ()
    row_heads: tuple[str, ...] = ()
    large: bool = False


@dataclass(frozen=True)
class Variant:
    """One way in which squares might lie: a small board, what there is to say of it, and the tap that chooses it."""

    title: str
    rows: tuple[tuple[Cell, ...], ...]
    lines: tuple[str, ...] = ()
    tap: Tap | None = None


@dataclass(frozen=True)
class Variants:
    """Small boards side by side, to be told apart by looking and chosen by one tap."""

    title: str
    variants: tuple[Variant, ...]


@dataclass(frozen=True)
class Track:
    """A row of `total` circles of which `used` are crossed out and `pending` are about to be."""

    title: str
    total: int
    used: int
    pending: int = 0


@dataclass(frozen=True)
class ScoreLine:
    """One player's line: points now, what they are made of (text, points, rule id), and a place once it is over."""

    player: str
    name: str
    points: int
    parts: tuple[tuple[str, int, str], ...] = ()
    state: str = ""
    active: bool = False
    winner: bool = False


@dataclass(frozen=True)
class ScoreTable:
    """Everybody's points, "if it ended now"."""

    title: str
    lines: tuple[ScoreLine, ...]


@dataclass(frozen=True)
class Clock:
    """A clock that the tablet draws from instants of table time and never counts by itself.

    from_us     the clock shows full time and, before it, the countdown to it; None while it does not run
    until_us    it shows zero
    left_us     what it shows while it does not run
    """

    title: str
    from_us: int | None
    until_us: int | None
    left_us: int
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True)
class SeatCard:
    """One player at a timer: big state, small detail, things to tap."""

    player: str
    name: str
    state: str
    detail: str = ""
    tone: Tone = Tone.PLAIN
    taps: tuple[Tap, ...] = ()


@dataclass(frozen=True)
class Seats:
    """All players at a timer, in seat order."""

    cards: tuple[SeatCard, ...]


@dataclass(frozen=True)
class Shape:
    """One rectangle of a picture, from its upper left corner; `tone` (1, 2, 3) tells neighbours apart."""

    left: float
    top: float
    width: float
    height: float
    tone: int = 1


@dataclass(frozen=True)
class Picture:
    """Rectangles to scale on a line of ground: a stack seen from the front. `label` stands below, `text` is read."""

    label: str
    text: str
    width: float
    height: float
    shapes: tuple[Shape, ...]


@dataclass(frozen=True)
class Pictures:
    """Pictures side by side."""

    title: str
    pictures: tuple[Picture, ...]


@dataclass(frozen=True)
class NumberEntry:
    """A number to type: posted as `event` with `field` replaced."""

    prompt: str
    event: Any
    field: str
    low: int
    high: int
    action: str = "Enter"


@dataclass(frozen=True)
class TextEntry:
    """A text to type: posted as `event` with `field` replaced."""

    prompt: str
    event: Any
    field: str
    longest: int
    action: str = "Enter"


@dataclass(frozen=True)
class Consult:
    """A button that has something worked out (`advice` names it) and shows the answer below itself."""

    label: str
    advice: str


@dataclass(frozen=True)
class Figures:
    """A plain table of figures: a heading over each column, the first column names the row."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Standings:
    """Who won, once it is over."""

    title: str
    lines: tuple[ScoreLine, ...]


@dataclass(frozen=True)
class Curve:
    """One player's points in the course of a game: one number for each step, the first before anything happened."""

    player: str
    name: str
    points: tuple[float, ...]


@dataclass(frozen=True)
class Curves:
    """How everybody's points went, all with equally many steps. `across` says what one step is."""

    title: str
    across: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Bar:
    """One bar: what it stands for, how long it is, whose it is ("" for nobody's), how long it was expected to be."""

    label: str
    value: int
    player: str = ""
    expected: float | None = None


@dataclass(frozen=True)
class Bars:
    """Bars side by side, with a sentence on what they show."""

    title: str
    bars: tuple[Bar, ...]
    note: str = ""


@dataclass(frozen=True)
class Press:
    """One player's press, in microseconds of the time that is compared."""

    player: str
    name: str
    at_us: int


TOUCHING = 0.04  # of the axis; a smaller share makes marks run together on a phone, a larger one repeats the whole


@dataclass(frozen=True)
class PhotoFinish:
    """Who pressed when, one line a seat: where each press stands between the first and the last, and by how much
    it came after the one before it.
    """

    title: str
    presses: tuple[Press, ...]

    @property
    def finish(self) -> tuple[tuple[Press, float, int], ...]:
        """The presses in their order: each with its place from 0 to 1 and the microseconds after the one before."""
        order = sorted(self.presses, key=lambda press: press.at_us)
        before = [order[0].at_us, *(press.at_us for press in order)] if order else []
        span = max(1, before[-1] - before[0]) if order else 1
        return tuple(
            (press, (press.at_us - before[0]) / span, press.at_us - earlier)
            for press, earlier in zip(order, before, strict=False)
        )

    @property
    def span_us(self) -> int:
        """From the first press to the last, in microseconds."""
        stamps = [press.at_us for press in self.presses]
        return max(stamps) - min(stamps) if stamps else 0

    @property
    def insets(self) -> tuple["PhotoFinish", ...]:
        """The presses whose marks would touch, each such group drawn larger on an axis of its own."""
        groups: list[list[Press]] = []
        for press, _, after_us in self.finish:
            if groups and after_us < TOUCHING * self.span_us:
                groups[-1].append(press)
            else:
                groups.append([press])
        close = (PhotoFinish(self.title, tuple(group)) for group in groups)
        return tuple(inset for inset in close if 0 < inset.span_us < self.span_us)


Widget = (
    Notice
    | Headline
    | DiceRow
    | Stacks
    | Choice
    | Grid
    | Variants
    | Track
    | ScoreTable
    | Figures
    | Clock
    | Seats
    | Pictures
    | NumberEntry
    | TextEntry
    | Consult
    | Standings
    | Curves
    | Bars
    | PhotoFinish
)
WIDGETS: tuple[type[Widget], ...] = (
    Notice,
    Headline,
    DiceRow,
    Stacks,
    Choice,
    Grid,
    Variants,
    Track,
    ScoreTable,
    Figures,
    Clock,
    Seats,
    Pictures,
    NumberEntry,
    TextEntry,
    Consult,
    Standings,
    Curves,
    Bars,
    PhotoFinish,
)
