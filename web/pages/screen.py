"""The big screen, and the overlay for a video stream: the active game, to look at only.

Both show the game's own view without its taps, and follow when another game becomes active. If many play, the leaders
come first: `static/screen.js` leaves out what does not fit.
"""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from flask import Blueprint, render_template

from companion.game.players import Viewer
from companion.game.scores import best_first
from companion.game.widgets import (
    AnyWidget,
    Choice,
    Clock,
    Consult,
    Grid,
    Headline,
    NumberEntry,
    ScoreTable,
    Standings,
    TextEntry,
    Variants,
)
from web.house import host
from web.pages import game as pages
from web.render.last import last_of

screen = Blueprint("screen", __name__)

TAPPED: tuple[type[AnyWidget], ...] = (
    Choice,
    NumberEntry,
    TextEntry,
    Consult,
    Variants,
)  # useless without taps
MANY = 12  # more lines need several columns to be read from afar
OVERLAID: tuple[type[AnyWidget], ...] = (Headline, Clock, ScoreTable, Standings)  # all that a video stream has room for


@screen.get("/board")
def big_screen_page() -> str:
    """The whole table for a television, to be read from across the room."""
    return render_template("big_screen.html", **values_of(is_shown))


@screen.get("/board/sheet")
def big_screen_fragment() -> str:
    """The part of the page that changes."""
    return render_template("big_screen_sheet.html", **values_of(is_shown))


@screen.get("/overlay")
def overlay_page() -> str:
    """Score, turn and clock on a transparent ground, as a browser source of a streaming program."""
    return render_template("overlay.html", **values_of(is_overlaid))


@screen.get("/overlay/sheet")
def overlay_fragment() -> str:
    """The part of the page that changes."""
    return render_template("overlay_sheet.html", **values_of(is_overlaid))


def is_shown(widget: AnyWidget) -> bool:
    """Whether a widget is of use without taps."""
    return not isinstance(widget, TAPPED)


def is_overlaid(widget: AnyWidget) -> bool:
    """Whether a widget belongs over a picture of the table."""
    return isinstance(widget, OVERLAID)


def values_of(is_wanted: Callable[[AnyWidget], bool]) -> dict[str, Any]:
    """The values for a screen; `table` is None when no game is active."""
    active = host().active.session
    if active is None:
        return {"table": None, "session": "", "seq": 0, "many": False}
    table = host().table(active)
    values = pages.drawn_now(table, Viewer(None, table.names, looks_on=True))
    many = len(table.session.players) > MANY
    for part in ("main", "aside"):
        widgets = tuple(untapped(widget) for widget in values[part] if is_wanted(widget))
        values[part] = for_many(widgets) if many else widgets
    return {
        **values,
        "many": many,
        "session": active,
        "last": last_of(table),
        "asks": bool(host().proposals(active)),
    }


def for_many(widgets: tuple[AnyWidget, ...]) -> tuple[AnyWidget, ...]:
    """The widgets with the leaders first, and without small boards, which would leave no room for the points."""
    fitting = (widget for widget in widgets if not isinstance(widget, Grid) or widget.large)
    return tuple(
        replace(widget, lines=best_first(widget.lines)) if isinstance(widget, ScoreTable) else widget
        for widget in fitting
    )


def untapped(value: Any) -> Any:
    """A widget, or a part of one, without anything to tap."""
    if isinstance(value, tuple):
        return tuple(map(untapped, value))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed = {field.name: untapped(getattr(value, field.name)) for field in fields(value)}
    return replace(value, **changed | {name: empty for name, empty in (("tap", None), ("taps", ())) if name in changed})
