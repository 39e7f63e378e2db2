"""The widgets that draw figures: curves, bars, tables, photo finishes, and pictures of rectangles."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Shape:
    """One rectangle of a picture, from its upper left corner.

    tone        1, 2 or 3: wood, so that neighbours differ; 0: the picture's colour
    """

    left: float
    top: float
    width: float
    height: float
    tone: int = 1


@dataclass(frozen=True)
class Picture:
    """A card or a shape, drawn to scale from rectangles.

    label       stands below
    text        is read aloud
    number      in the upper left corner, as on a card
    mark        in the upper right corner: stars, or a height
    colour      a colour class, in which shapes of tone 0 are drawn
    stands      whether there is a ground line below: a stack seen from the front
    """

    label: str
    text: str
    width: float
    height: float
    shapes: tuple[Shape, ...]
    number: str = ""
    mark: str = ""
    colour: str = "white"
    stands: bool = True


@dataclass(frozen=True)
class Pictures:
    """Pictures side by side."""

    title: str
    pictures: tuple[Picture, ...]


@dataclass(frozen=True)
class Figures:
    """A plain table of figures: a heading over each column, the first column names the row."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Curve:
    """One player's points over a game: one number for each step, the first before anything happened."""

    player: str
    name: str
    points: tuple[Fraction | float, ...]


@dataclass(frozen=True)
class Curves:
    """The curves of all players, with the same number of steps each. `across` names a step."""

    title: str
    across: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Bar:
    """One bar: its label, its length, its player ("" for none), the length that was expected, and its interval."""

    label: str
    value: int
    player: str = ""
    expected: float | None = None
    between: tuple[float, float] | None = None


@dataclass(frozen=True)
class Bars:
    """Bars side by side, with a sentence about them."""

    title: str
    bars: tuple[Bar, ...]
    note: str = ""


@dataclass(frozen=True)
class Press:
    """One player's press, in microseconds of the time that the chart compares."""

    player: str
    name: str
    at_us: int


# A share of the axis: less lets marks run together on a phone, more repeats the whole chart in an inset.
TOUCHING = 0.04


@dataclass(frozen=True)
class PhotoFinish:
    """The order of presses, one line a seat: each between the first and the last, with the gap to the one before it."""

    title: str
    presses: tuple[Press, ...]

    @property
    def finish(self) -> tuple[tuple[Press, float, int], ...]:
        """(press, its place on the axis from 0 to 1, microseconds after the one before) of each press, in order."""
        order = sorted(self.presses, key=lambda press: press.at_us)
        before = [order[0].at_us, *(press.at_us for press in order)] if order else []
        span = max(1, before[-1] - before[0]) if order else 1
        return tuple(
            (press, (press.at_us - before[0]) / span, press.at_us - earlier)
            for press, earlier in zip(order, before, strict=False)
        )

    @property
    def span_us(self) -> int:
        """Microseconds from the first press to the last."""
        stamps = [press.at_us for press in self.presses]
        return max(stamps) - min(stamps) if stamps else 0

    @property
    def insets(self) -> tuple["PhotoFinish", ...]:
        """Each group of presses whose marks would touch, drawn larger on an axis of its own."""
        groups: list[list[Press]] = []
        for press, _, after_us in self.finish:
            if groups and after_us < TOUCHING * self.span_us:
                groups[-1].append(press)
            else:
                groups.append([press])
        close = (PhotoFinish(self.title, tuple(group)) for group in groups)
        return tuple(inset for inset in close if 0 < inset.span_us < self.span_us)
