"""From widgets to HTML: one template for each widget, and the few filters that templates need."""

import datetime
import json
import re
from collections.abc import Iterable, Mapping
from typing import cast

from flask import Flask, current_app, render_template, request
from markupsafe import Markup

from companion.codec import event_to_json
from companion.contract import Event
from companion.host import Host
from companion.widgets import Figures, ScoreTable, Track, Widget

THEMES = ("dark", "light")
TABLE_NAME = "table_name"  # the setting that holds what this table is called
SET_UP = "set_up"  # the setting that says that somebody has set the table up
ASIDE: tuple[type[Widget], ...] = (ScoreTable, Figures, Track)  # beside the sheet where there is room, else below it

# Pips of each face on a grid of three by three: column and row from the upper left corner.
PIPS: Mapping[int, tuple[tuple[int, int], ...]] = {
    1: ((1, 1),),
    2: ((0, 0), (2, 2)),
    3: ((0, 0), (1, 1), (2, 2)),
    4: ((0, 0), (2, 0), (0, 2), (2, 2)),
    5: ((0, 0), (2, 0), (1, 1), (0, 2), (2, 2)),
    6: ((0, 0), (2, 0), (0, 1), (2, 1), (0, 2), (2, 2)),
}


def host() -> Host:
    """The host that this application serves."""
    return cast(Host, current_app.extensions["host"])


def prepare(app: Flask) -> None:
    """Gives the templates their filters and what every page needs."""
    app.jinja_env.filters |= {
        "draw": draw,
        "event_json": event_json,
        "draft_json": draft_json,
        "word": word,
        "day": day,
        "time_of_day": time_of_day,
        "clock_face": clock_face,
        "correction_json": correction_json,
        "zip_names": zip,
    }
    app.jinja_env.globals |= {"PIPS": PIPS, "theme": theme}
    app.jinja_env.tests["pairs"] = is_pairs
    app.context_processor(common)


def common() -> dict[str, object]:
    """What every page shows: the table's name, whether there is a demo table, and how camera and box are."""
    return {"demo": host().demo is not None, "status": host().status, "table_name": table_name()}


def table_name() -> str:
    """What the table is called, "" where nobody gave it a name."""
    return host().journal.setting(TABLE_NAME, "")


def theme() -> str:
    """The look chosen on this device, "" for the system's own."""
    chosen = request.cookies.get("theme", "")
    return chosen if chosen in THEMES else ""


def draw(widget: Widget) -> Markup:
    """The widget as HTML, by the template that bears its name."""
    return Markup(render_template(f"widgets/{type(widget).__name__}.html", widget=widget))  # autoescaped in there


def is_aside(widget: Widget) -> bool:
    """Whether a widget stands beside the sheet."""
    return isinstance(widget, ASIDE)


def event_json(tap_event: Event) -> str:
    """An event as the page posts it."""
    return json.dumps(event_to_json(tap_event), separators=(",", ":"))


def draft_json(fields: Mapping[str, str]) -> str:
    """Fields of the draft as the page keeps them."""
    return json.dumps(dict(fields), separators=(",", ":"))


def correction_json(correction: Mapping[str, object]) -> str:
    """A strike or an amendment as the page posts it; a strike names no event."""
    return json.dumps({key: value for key, value in correction.items() if value is not None}, separators=(",", ":"))


def is_pairs(value: object) -> bool:
    """Whether an option's value is a table of pairs."""
    return isinstance(value, tuple) and bool(value) and all(isinstance(part, tuple) for part in value)


def word(text: str) -> str:
    """A value that may stand in a class name: small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def day(wall_us: int) -> str:
    """A moment as people write it: "Sat 21 Nov, 14:05"."""
    return f"{_local(wall_us):%a %-d %b, %H:%M}"


def time_of_day(wall_us: int) -> str:
    """The time alone: "14:05:09"."""
    return f"{_local(wall_us):%H:%M:%S}"


def clock_face(left_us: int) -> str:
    """Time left, rounded up to whole seconds: "2:00"."""
    seconds = max(0, -(-left_us // 1_000_000))
    return f"{seconds // 60}:{seconds % 60:02d}"


def split(widgets: Iterable[Widget]) -> tuple[tuple[Widget, ...], tuple[Widget, ...]]:
    """(the sheet, what stands beside it), each in the order the game gave."""
    found = tuple(widgets)
    return tuple(w for w in found if not is_aside(w)), tuple(w for w in found if is_aside(w))


def _local(wall_us: int) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(wall_us / 1e6).astimezone()
