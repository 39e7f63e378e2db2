"""The big screen, and the overlay of a stream: whichever game has the table, to be looked at and never tapped.

Both show the game's own view without its taps, and follow the table when another game takes it. Where many play, the
leaders come first: what does not fit is left out by `static/screen.js`.
"""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from flask import Blueprint, render_template

from companion.game.players import Viewer
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
from companion.games.scores import best_first
from web.house import host
from web.pages import game as pages

screen = Blueprint("screen", __name__)

TAPPED: tuple[type[AnyWidget], ...] = (Choice, NumberEntry, TextEntry, Consult, Variants)  # nothing without a finger
MANY = 12  # more lines than these are read from afar in several columns only
OVERLAID: tuple[type[AnyWidget], ...] = (Headline, Clock, ScoreTable, Standings)  # what a stream has room for


@screen.get("/board")
def big_screen_page() -> str:
    """The whole table for a television, to be read from across the room."""
    return render_template("big_screen.html", **seen(is_shown))


@screen.get("/board/sheet")
def big_screen_fragment() -> str:
    """The part of it that changes."""
    return render_template("big_screen_sheet.html", **seen(is_shown))


@screen.get("/overlay")
def overlay_page() -> str:
    """Score, turn and clock on a transparent ground, as a browser source of a streaming program."""
    return render_template("overlay.html", **seen(is_overlaid))


@screen.get("/overlay/sheet")
def overlay_fragment() -> str:
    """The part of it that changes."""
    return render_template("overlay_sheet.html", **seen(is_overlaid))


def is_shown(widget: AnyWidget) -> bool:
    """Whether a widget says anything to those who only look."""
    return not isinstance(widget, TAPPED)


def is_overlaid(widget: AnyWidget) -> bool:
    """Whether a widget belongs over a picture of the table."""
    return isinstance(widget, OVERLAID)


def seen(is_wanted: Callable[[AnyWidget], bool]) -> dict[str, Any]:
    """What the screen shows of the game that has the table; `table` is None when none has."""
    holder = host().active.session
    if holder is None:
        return {"table": None, "session": "", "seq": 0, "many": False}
    table = host().table(holder)
    shown = pages.drawn(table, table.state, Viewer(None, table.names))
    many = len(table.session.players) > MANY
    for part in ("main", "aside"):
        widgets = tuple(untapped(widget) for widget in shown[part] if is_wanted(widget))
        shown[part] = for_many(widgets) if many else widgets
    return {
        **shown,
        "many": many,
        "session": holder,
        "last": pages.last_of(table),
        "asks": bool(host().proposals(holder)),
    }


def for_many(widgets: tuple[AnyWidget, ...]) -> tuple[AnyWidget, ...]:
    """The leaders first; a board for each player would leave no room for the points."""
    kept = (widget for widget in widgets if not isinstance(widget, Grid) or widget.large)
    return tuple(
        replace(widget, lines=best_first(widget.lines)) if isinstance(widget, ScoreTable) else widget for widget in kept
    )


def untapped(value: Any) -> Any:
    """A widget, or a part of one, without anything to tap."""
    if isinstance(value, tuple):
        return tuple(map(untapped, value))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed = {field.name: untapped(getattr(value, field.name)) for field in fields(value)}
    return replace(value, **changed | {name: empty for name, empty in (("tap", None), ("taps", ())) if name in changed})
