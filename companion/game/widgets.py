"""The widgets with which games describe a page. Each has exactly one template, of the same name.

A widget says what is there, never how it is drawn. A `Tap` posts an event or changes the draft (what was chosen on
this page and not yet posted), never both. Widgets with taps are generic over the events of their game, so mypy checks
what is posted. Widgets that draw figures are in `charts`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, get_args, get_origin

from companion.game.charts import Bars, Curves, Figures, PhotoFinish, Picture, Pictures
from companion.game.events import EventT_co


class Tone(StrEnum):
    """The emphasis of a text or a tap."""

    PLAIN = "plain"
    PRIMARY = "primary"  # This is the one thing to do next.
    GOOD = "good"
    WARN = "warn"
    DIM = "dim"


@dataclass(frozen=True)
class Tap(Generic[EventT_co]):
    """Something to tap.

    event       posted by a tap, or None
    draft       draft fields that a tap sets ("" clears one): those of one thing that is chosen, and of no other
    adds        draft fields to which a tap adds a word, after a comma: each tap counts, also several before the page
                is drawn anew. What does not count any more the game leaves out, and says so
    chosen      True: it is the value in the draft now
    refused     why it cannot be tapped now; "" when it can
    at_once     True: the choice that brings it up enters it; it stands there for a draft that was complete before
    """

    label: str
    event: EventT_co | None = None
    draft: Mapping[str, str] = field(default_factory=dict)
    adds: Mapping[str, str] = field(default_factory=dict)
    chosen: bool = False
    tone: Tone = Tone.PLAIN
    refused: str = ""
    at_once: bool = False


def after_taps(draft: Mapping[str, str], *taps: Tap[Any]) -> dict[str, str]:
    """The draft after these taps one after the other, as the page's scripts keep it."""
    changed = dict(draft)
    for tap in taps:
        grown = {name: ",".join(filter(None, (changed.get(name), word))) for name, word in tap.adds.items()}
        changed = {name: value for name, value in {**changed, **tap.draft, **grown}.items() if value}
    return changed


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
class Face(Generic[EventT_co]):
    """One die as it lies: its value (None: not rolled yet) and body colour."""

    value: int | None
    colour: str = "white"
    note: str = ""
    tap: Tap[EventT_co] | None = None


@dataclass(frozen=True)
class DiceRow(Generic[EventT_co]):
    """Dice side by side, large."""

    title: str
    dice: tuple[Face[EventT_co], ...]


@dataclass(frozen=True)
class Stack(Generic[EventT_co]):
    """A stack of dice, or one die that lies alone.

    value       the face of the top die
    layers      body colours of the dice, the lowest first
    mark        "" or one of "target", "full", "new"
    """

    value: int
    layers: tuple[str, ...]
    note: str = ""
    mark: str = ""
    tap: Tap[EventT_co] | None = None


@dataclass(frozen=True)
class Stacks(Generic[EventT_co]):
    """Stacks of dice side by side, each drawn layer by layer, so that a fallen one can be set up again."""

    title: str
    stacks: tuple[Stack[EventT_co], ...]


@dataclass(frozen=True)
class Choice(Generic[EventT_co]):
    """A question with its taps.

    faces       the labels 1–6 are drawn as die faces
    folded      it is rare: a page shows the question alone, and its taps once that is tapped
    columns     the taps are alike in size, in rows of so many, or (0) of as many as fit; None: as wide as their words
    """

    prompt: str
    taps: tuple[Tap[EventT_co], ...]
    faces: bool = False
    folded: bool = False
    columns: int | None = None


@dataclass(frozen=True)
class Cell(Generic[EventT_co]):
    """One square of a grid.

    text        its text, which is also read aloud
    colour      a colour class ("red"), "" for none
    mark        "" or one of "new", "group", "crossed", "target"
    layers      colours of a pile of pieces, the lowest first; drawn as pieces lying on each other
    picture     drawn above the text
    """

    text: str = ""
    colour: str = ""
    mark: str = ""
    tap: Tap[EventT_co] | None = None
    layers: tuple[str, ...] = ()
    picture: Picture | None = None


@dataclass(frozen=True)
class Grid(Generic[EventT_co]):
    """Squares in rows, top row first, with a heading over each column and one before each row ("" for none).

    large       the board of the game: as large as the page allows, every piece equally bright
    asked       the headline asks for one of its squares: where boards lie below each other it comes first
    tap         a tap on any of it, for a board without taps on its squares
    written     a sheet of words and numbers, each row as high as its words
    """

    title: str
    rows: tuple[tuple[Cell[EventT_co], ...], ...]
    column_heads: tuple[str, ...] = ()
    row_heads: tuple[str, ...] = ()
    large: bool = False
    asked: bool = False
    tap: Tap[EventT_co] | None = None
    written: bool = False


@dataclass(frozen=True)
class Variant(Generic[EventT_co]):
    """One possible layout of a board: a small grid, lines of text about it, and the tap that chooses it."""

    title: str
    rows: tuple[tuple[Cell[EventT_co], ...], ...]
    lines: tuple[str, ...] = ()
    tap: Tap[EventT_co] | None = None


@dataclass(frozen=True)
class Variants(Generic[EventT_co]):
    """Small boards side by side, to compare and choose by one tap.

    is_reference    whether they are for looking up alone, beside the sheet
    """

    title: str
    variants: tuple[Variant[EventT_co], ...]
    is_reference: bool = False


SEEN_AT_ONCE = 10  # Nobody has to look for one of so few pictures.


@dataclass(frozen=True)
class PictureTap(Generic[EventT_co]):
    """A picture, and the tap that chooses it; without one it is only shown."""

    picture: Picture
    tap: Tap[EventT_co] | None = None


@dataclass(frozen=True)
class PictureChoice(Generic[EventT_co]):
    """Pictures to choose from. Where there are many with numbers, a field beside the prompt finds one by its number.

    is_optional     whether play goes on without a choice: then they wait behind the prompt
    """

    prompt: str
    pictures: tuple[PictureTap[EventT_co], ...]
    is_optional: bool = False

    @property
    def has_field(self) -> bool:
        return sum(each.picture.number != "" for each in self.pictures) > SEEN_AT_ONCE


@dataclass(frozen=True)
class Track:
    """A row of `total` circles of which `used` are crossed out and `pending` are about to be."""

    title: str
    total: int
    used: int
    pending: int = 0


@dataclass(frozen=True)
class ScoreLine:
    """One player's line: points now, their parts (text, points, rule id), and whether the player has won.

    members     the players of a team's line
    gain        what the newest move gave, where a screen shows it
    """

    player: str
    name: str
    points: int
    parts: tuple[tuple[str, int, str], ...] = ()
    state: str = ""
    active: bool = False
    winner: bool = False
    members: tuple[str, ...] = ()
    gain: int = 0


@dataclass(frozen=True)
class ScoreTable:
    """Everybody's points, "if it ended now"."""

    title: str
    lines: tuple[ScoreLine, ...]


@dataclass(frozen=True)
class Clock:
    """A clock that the tablet draws from instants of table time and never counts by itself.

    from_us     the instant of full time, with a countdown before it; None while the clock does not run
    until_us    the instant of zero; None while the clock does not run, or where it counts up from `from_us`
    left_us     the time it shows while it does not run
    tap         a tap on any of it, or of the card that it stands in
    """

    title: str
    from_us: int | None
    until_us: int | None
    left_us: int
    tone: Tone = Tone.PLAIN
    tap: Tap[Any] | None = None


@dataclass(frozen=True)
class SeatCard(Generic[EventT_co]):
    """One player at a timer: big state, small detail, taps.

    before_go   the state while the clock beside it counts in, "" if it is the same
    clock       the player's own clock, in place of the state
    """

    player: str
    name: str
    state: str
    detail: str = ""
    tone: Tone = Tone.PLAIN
    taps: tuple[Tap[EventT_co], ...] = ()
    before_go: str = ""
    clock: Clock | None = None


@dataclass(frozen=True)
class Seats(Generic[EventT_co]):
    """All players at a timer, in seat order."""

    cards: tuple[SeatCard[EventT_co], ...]


@dataclass(frozen=True)
class NumberEntry(Generic[EventT_co]):
    """A number to type: posted as `event` with `field` replaced."""

    prompt: str
    event: EventT_co
    field: str
    low: int
    high: int
    action: str = "Enter"


@dataclass(frozen=True)
class TextEntry(Generic[EventT_co]):
    """A text to type: posted as `event` with `field` replaced."""

    prompt: str
    event: EventT_co
    field: str
    longest: int
    action: str = "Enter"


@dataclass(frozen=True)
class Consult:
    """A button for the calculation named `advice`; the answer appears below it."""

    label: str
    advice: str


@dataclass(frozen=True)
class Standings:
    """The winners and everybody's points once the game is over.

    ranking     groups of equal players, best first, where points alone do not place them; whoever is in none of them
                has no place. None: the winners, then the others by their points.
    """

    title: str
    lines: tuple[ScoreLine, ...]
    ranking: tuple[tuple[str, ...], ...] | None = None

    @property
    def steps(self) -> tuple[tuple[int, tuple[ScoreLine, ...]], ...]:
        """(place, the lines that share it), best first: after two first places comes the third."""
        if self.ranking is None:
            keys = sorted({_merit(line) for line in self.lines})
            groups = [[line for line in self.lines if _merit(line) == key] for key in keys]
        else:
            groups = [[line for line in self.lines if line.player in group] for group in self.ranking]
        return tuple((1 + sum(map(len, groups[:better])), tuple(group)) for better, group in enumerate(groups))

    @property
    def is_podium(self) -> bool:
        """Whether there are at least two places, so that a podium says more than the title."""
        return len(self.steps) > 1


def _merit(line: ScoreLine) -> tuple[bool, int]:
    """The less, the better; winners are equal, whatever decided the game."""
    return (False, 0) if line.winner else (True, -line.points)


Widget = (
    Notice
    | Headline
    | DiceRow[EventT_co]
    | Stacks[EventT_co]
    | Choice[EventT_co]
    | Grid[EventT_co]
    | Variants[EventT_co]
    | PictureChoice[EventT_co]
    | Track
    | ScoreTable
    | Figures
    | Clock
    | Seats[EventT_co]
    | Pictures
    | NumberEntry[EventT_co]
    | TextEntry[EventT_co]
    | Consult
    | Standings
    | Curves
    | Bars
    | PhotoFinish
)
AnyWidget = Widget[Any]
WIDGETS: tuple[type[AnyWidget], ...] = tuple(get_origin(widget) or widget for widget in get_args(Widget))
