"""The geometry of charts: points and bars to positions in a drawing. Lengths are units of the drawing's viewBox."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from companion.game.charts import Bars, Curve, Curves
from companion.words import MINUS, number

WIDTH, HEIGHT = 400.0, 250.0  # about a phone's width, so that font sizes are true there
LEFT, RIGHT, TOP, BOTTOM = 44.0, 44.0, 10.0, 26.0  # The figures at the edges need these margins.
TICKS = 5
MARK_GAP = 17.0  # least distance between the marks at the ends of lines
COLUMNS = 300  # A line chart has about one for each unit of its width. More steps share a column.
ROWS = 300  # The table of the same points has no more.
BAR_SHARE = 0.72  # of the room for a bar and its gap
NARROW = "\u202f"  # This space parts a whole number from its fraction, and no line breaks there.
# The fractions that the fonts of all devices have as one glyph.
GLYPHS = {
    Fraction(1, 2): "½", Fraction(1, 3): "⅓", Fraction(2, 3): "⅔", Fraction(1, 4): "¼", Fraction(3, 4): "¾",
    Fraction(1, 6): "⅙", Fraction(5, 6): "⅚",
}  # fmt: skip

Row = tuple[int, tuple[Fraction | float, ...]]  # (step, everybody's points then)


@dataclass(frozen=True)
class Tick:
    """A number at an axis, and its position."""

    at: float
    text: str


@dataclass(frozen=True)
class Line:
    """One curve: the path, and the height of the mark at its end."""

    curve: Curve
    path: str
    mark_y: float

    @property
    def last(self) -> Fraction | float:
        """The points at the end."""
        return self.curve.points[-1]


@dataclass(frozen=True)
class LineChart:
    """All curves on one drawing."""

    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    lines: tuple[Line, ...]
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    right: float = WIDTH - RIGHT
    bottom: float = HEIGHT - BOTTOM


@dataclass(frozen=True)
class Drawn:
    """One bar of a chart; `expected_y` is the height of the line for the expected value, `between_y` those of the lower
    and the upper end of its interval, or None."""

    label: str
    value: int
    player: str
    x: float
    y: float
    width: float
    height: float
    expected_y: float | None
    between_y: tuple[float, float] | None

    @property
    def middle(self) -> float:
        """The middle of the bar, where its number is."""
        return self.x + self.width / 2


@dataclass(frozen=True)
class BarChart:
    """All bars on one drawing."""

    up: tuple[Tick, ...]
    bars: tuple[Drawn, ...]
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    right: float = WIDTH
    bottom: float = HEIGHT - BOTTOM


def line_chart(widget: Curves) -> LineChart:
    """The positions in a line chart."""
    steps = max((len(curve.points) for curve in widget.curves), default=1)
    values = [points for curve in widget.curves for points in curve.points]
    figures = nice(math.floor(min(values, default=0)), math.ceil(max(values, default=0)))
    low, high = figures[0], figures[-1]

    def x(step: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * step / max(1, steps - 1)

    def y(points: Fraction | float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * float(points - low) / (high - low)

    ends = apart([y(curve.points[-1]) for curve in widget.curves], MARK_GAP, TOP, HEIGHT - BOTTOM)
    return LineChart(
        tuple(Tick(x(step), number(step)) for step in nice(0, steps - 1) if 0 <= step < steps),
        tuple(Tick(y(figure), number(figure)) for figure in figures),
        tuple(
            Line(curve, stairs([(x(step), y(curve.points[step])) for step in telling(curve.points)]), end)
            for curve, end in zip(widget.curves, ends, strict=True)
        ),
    )


def bar_chart(widget: Bars) -> BarChart:
    """The positions in a bar chart."""
    tallest = max((max(bar.value, bar.expected or 0, *(bar.between or ())) for bar in widget.bars), default=0)
    figures = nice(0, math.ceil(tallest))
    room = (WIDTH - LEFT) / max(1, len(widget.bars))

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP - 12) * value / figures[-1]  # The number above a bar needs 12.

    return BarChart(
        tuple(Tick(y(figure), number(figure)) for figure in figures),
        tuple(
            Drawn(
                bar.label,
                bar.value,
                bar.player,
                LEFT + room * (index + (1 - BAR_SHARE) / 2),
                y(bar.value),
                room * BAR_SHARE,
                HEIGHT - BOTTOM - y(bar.value),
                None if bar.expected is None else y(bar.expected),
                None if bar.between is None else (y(bar.between[0]), y(bar.between[1])),
            )
            for index, bar in enumerate(widget.bars)
        ),
    )


def nice(low: int, high: int) -> list[int]:
    """About TICKS round numbers, evenly spaced, from at most `low` to at least `high`."""
    if high <= low:
        high = low + 1
    rough = (high - low) / (TICKS - 1)
    size = 10 ** max(0, math.floor(math.log10(rough)))
    step = next(size * times for times in (1, 2, 5, 10, 20) if size * times >= rough)
    first = math.floor(low / step) * step
    return list(range(first, math.ceil(high / step) * step + 1, step))


def figure(value: Fraction | float) -> str:
    """Points as people write them, exact: "3", "1½", "2 7/12". Two that differ never look alike."""
    whole, rest = divmod(abs(Fraction(value)), 1)
    parts = [number(whole)] if whole or not rest else []
    if rest in GLYPHS:
        parts.append(GLYPHS[rest])
    elif rest:
        parts += [NARROW] * len(parts) + [f"{rest.numerator}/{rest.denominator}"]
    return MINUS * (value < 0) + "".join(parts)


def telling(points: Sequence[Fraction | float]) -> list[int]:
    """The steps that a curve is drawn by: all of them, or of each column the lowest and the highest; first and last."""
    if len(points) <= COLUMNS:
        return list(range(len(points)))
    kept_steps = {0, len(points) - 1}
    for column in range(COLUMNS):
        steps = range(len(points) * column // COLUMNS, len(points) * (column + 1) // COLUMNS)
        kept_steps |= {min(steps, key=points.__getitem__), max(steps, key=points.__getitem__)}
    return sorted(kept_steps)


def stairs(places: Sequence[tuple[float, float]]) -> str:
    """A path of steps: points do not change between two entries."""
    (x, y), *rest = places
    path = [f"M{x:.1f} {y:.1f}"]
    for to_x, to_y in rest:
        path.append(f"H{to_x:.1f}")
        if to_y != y:
            path.append(f"V{to_y:.1f}")
        y = to_y
    return "".join(path)


def apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Heights near the wanted ones in the same order, at least `gap` from each other if there is room."""
    gap = min(gap, (high - low) / max(1, len(wanted)))
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    heights = [0.0] * len(wanted)
    lowest = low
    for index in order:
        heights[index] = lowest = max(wanted[index], lowest)
        lowest += gap
    highest = high
    for index in reversed(order):
        heights[index] = highest = min(heights[index], highest)
        highest -= gap
    return heights


def rows_that_differ(widget: Curves) -> list[Row]:
    """(step, everybody's points) for the first step, the last, and each step that changed somebody's points."""
    rows = list(enumerate(zip(*(curve.points for curve in widget.curves), strict=True)))
    return [row for row in rows if row[0] in (0, len(rows) - 1) or row[1] != rows[row[0] - 1][1]]


def thinned(rows: Sequence[Row]) -> Sequence[Row]:
    """At most ROWS of the rows and the last one, evenly apart; nobody reads more."""
    if len(rows) <= ROWS:
        return rows
    return [*(rows[len(rows) * index // ROWS] for index in range(ROWS)), rows[-1]]
