"""The big screen, and the overlay for a video stream: the active game, to look at only.

Both show the game's own view without its taps, and follow when another game becomes active. Style sheets alone say how
large everything is, so the first picture that a screen paints is right: no script has to measure it.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import groupby
from typing import Any, TypeGuard

from flask import Blueprint, render_template

from companion.game.charts import Figures, PhotoFinish, Pictures
from companion.game.players import Viewer
from companion.game.scores import best_first
from companion.game.widgets import (
    AnyWidget,
    Choice,
    Clock,
    Consult,
    DiceRow,
    Grid,
    Headline,
    NumberEntry,
    PictureChoice,
    ScoreTable,
    Seats,
    Stacks,
    Standings,
    TextEntry,
    Variants,
)
from companion.table.table import Table
from web.house import host
from web.pages import game as pages
from web.render.changed import with_changes
from web.render.finish import best_moment
from web.render.last import Last, last_of
from web.render.result_picture import ems

screen = Blueprint("screen", __name__)

TAPPED: tuple[type[AnyWidget], ...] = (
    Choice,
    NumberEntry,
    TextEntry,
    Consult,
    PictureChoice,
    Variants,
    Figures,
)  # useless without taps, or too much to be read from afar
BOARDS: tuple[type[AnyWidget], ...] = (
    Grid,
    Stacks,
    Seats,
    Clock,
    Pictures,
    PhotoFinish,
)  # in the middle of the picture
OVERLAID: tuple[type[AnyWidget], ...] = (Headline, Clock, ScoreTable, Standings)  # all that a video stream has room for
PLACED: tuple[type[AnyWidget], ...] = (*BOARDS, Headline, DiceRow, ScoreTable, Standings)  # all others are notes
MANY = 12  # more boards leave no room for any of them
MOST_LINES, MOST_OVERLAID = 24, 12  # where more than MANY play, so many leaders are shown
FEW_LINES = 6  # more are too low for one column on a screen that stands upright
SIZES = (10, 14, 18, 24, 30, 38, 48, 60)  # the lengths of a line in ems that screen.css has a letter size for
LONG_NAME, SHORT_NAME = 14.0, 7.5  # ems


@dataclass(frozen=True)
class Part:
    """Boards of one kind, which share a part of the picture; `count` pieces stand in rows and columns."""

    kind: str
    widgets: tuple[AnyWidget, ...]
    count: int
    is_low: bool = False

    @property
    def across(self) -> int:
        """The number of columns on a screen that lies."""
        return min(self.count, 6) if self.is_low else math.ceil(math.sqrt(self.count))

    @property
    def down(self) -> int:
        """The number of columns on a screen that stands: that of the rows on one that lies."""
        return math.ceil(math.sqrt(self.count) if self.is_low else self.count / self.across)


@screen.get("/board")
def big_screen_page() -> str:
    """The whole table for a television, to be read from across the room."""
    return render_template("big_screen.html", **board_values())


@screen.get("/board/sheet")
def big_screen_fragment() -> str:
    """The part of the page that changes."""
    return render_template("big_screen_sheet.html", **board_values())


@screen.get("/overlay")
def overlay_page() -> str:
    """Score, turn and clock on a transparent ground, as a browser source of a streaming program."""
    return render_template("overlay.html", **overlay_values())


@screen.get("/overlay/sheet")
def overlay_fragment() -> str:
    """The part of the page that changes."""
    return render_template("overlay_sheet.html", **overlay_values())


def is_shown(widget: AnyWidget) -> bool:
    """Whether a widget is of use without taps; squares to tap ask for a number or a card, one row is no board."""
    if isinstance(widget, Grid) and not widget.large:
        return len(widget.rows) > 1 and not any(cell.tap for row in widget.rows for cell in row)
    return not isinstance(widget, TAPPED)


def is_overlaid(widget: AnyWidget) -> bool:
    """Whether a widget belongs over a picture of the table."""
    return isinstance(widget, OVERLAID)


def active_table() -> Table | None:
    """The game that has the table, or None."""
    active = host().active.session
    return None if active is None else host().table(active)


def drawn_for(table: Table, is_wanted: Callable[[AnyWidget], bool]) -> dict[str, Any]:
    """The values of the game's view for whoever looks on; `widgets` are those that are wanted, without taps."""
    values = pages.drawn_now(table, Viewer(None, table.names, looks_on=True))
    widgets = tuple(untapped(widget) for widget in (*values["main"], *values["aside"]) if is_wanted(widget))
    return {**values, "session": table.session.id, "widgets": widgets, "many": len(table.session.players) > MANY}


NOTHING: dict[str, Any] = {"table": None, "session": "", "seq": 0, "many": False}  # the values while no game is active


def overlay_values() -> dict[str, Any]:
    """The values for the overlay."""
    table = active_table()
    if table is None:
        return NOTHING
    values = drawn_for(table, is_overlaid)
    shown = leaders(values["widgets"], MOST_OVERLAID) if values["many"] else values["widgets"]
    return {**values, "widgets": shown, "more": left_out(values["widgets"], shown)}


def board_values() -> dict[str, Any]:
    """The values for the big screen: a headline, the boards, what stands beside them, and what happened last."""
    table = active_table()
    if table is None:
        return NOTHING
    values = drawn_for(table, is_shown)
    widgets, last = values["widgets"], last_of(table)
    newest = table.fold.steps[-1].seq if table.fold.steps else 0
    # A correction of an earlier move would mark all that came after it, too.
    if last and last.line and last.line.seq == newest and not table.ended_early:
        before = table.game.pages.view(table.state_before(newest), values["viewer"])
        widgets = with_changes(tuple(filter(is_shown, before)), widgets)
    standings = next((widget for widget in widgets if isinstance(widget, Standings)), None)
    headline = next((widget for widget in widgets if isinstance(widget, Headline)), None)
    lines = tuple(filter(is_lines, widgets))[:1]  # where teams play, theirs come first
    leading = leaders(lines, MOST_LINES)
    return {
        **values,
        "headline": headline or (Headline(standings.title) if standings else None),
        "standings": standings if standings and standings.is_podium else None,
        "moment": best_moment(table) if standings else None,
        "parts": () if standings and standings.is_podium else parts_of(widgets),
        "lines": leading,
        "more": left_out(lines, leading),
        "dice": tuple(widget for widget in widgets if isinstance(widget, DiceRow)),
        "notes": tuple(widget for widget in widgets if not isinstance(widget, PLACED)),
        "is_long": any(ems(line.name) > LONG_NAME for widget in leading for line in widget.lines),
        "is_short": all(ems(line.name) <= SHORT_NAME for widget in leading for line in widget.lines),
        "is_tall": len(table.session.players) > FEW_LINES,
        "last": last,
        "size": size_of,
        "said": said,
        "asks": bool(host().questions.of(table.session.id)),
    }


def size_of(text: str) -> int:
    """The class of screen.css in whose letters the text takes one line, or a few if it is very long."""
    return next((size for size in SIZES if ems(text) <= size), SIZES[-1])


def said(last: Last) -> str:
    """The sentence of what happened last, without a full stop: it stands alone."""
    return last.text.removesuffix(".")


def parts_of(widgets: Iterable[AnyWidget]) -> tuple[Part, ...]:
    """The boards by kind, in their order; those of very many players are left out."""
    boards = (widget for widget in widgets if isinstance(widget, BOARDS))
    grouped = ((kind, tuple(group)) for kind, group in groupby(boards, key=lambda widget: type(widget).__name__))
    parts = [Part(kind, group, sum(map(pieces, group))) for kind, group in grouped]
    parts = [part for part in parts if part.count <= MANY]
    is_low = sum(part.kind != Clock.__name__ for part in parts) > 1
    return tuple(replace(part, is_low=is_low) for part in parts)


def pieces(widget: AnyWidget) -> int:
    """How many pieces of a board stand side by side."""
    match widget:
        case Seats():
            return len(widget.cards)
        case Pictures():
            return len(widget.pictures)
    return 1


def is_lines(widget: AnyWidget) -> TypeGuard[ScoreTable | Standings]:
    """Whether a widget is a list of players with their points."""
    return isinstance(widget, ScoreTable | Standings)


def leaders(widgets: tuple[AnyWidget, ...], most: int) -> tuple[Any, ...]:
    """The widgets with the leaders first, and no more lines than `most`."""
    return tuple(
        replace(widget, lines=best_first(widget.lines)[:most]) if is_lines(widget) else widget for widget in widgets
    )


def left_out(widgets: tuple[AnyWidget, ...], shown: tuple[AnyWidget, ...]) -> int:
    """How many lines of players are not shown."""

    def lines(some: tuple[AnyWidget, ...]) -> int:
        return sum(len(widget.lines) for widget in some if is_lines(widget))

    return lines(widgets) - lines(shown)


def untapped(value: Any) -> Any:
    """A widget, or a part of one, without anything to tap."""
    if isinstance(value, tuple):
        return tuple(map(untapped, value))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed = {field.name: untapped(getattr(value, field.name)) for field in fields(value)}
    return replace(value, **changed | {name: empty for name, empty in (("tap", None), ("taps", ())) if name in changed})
