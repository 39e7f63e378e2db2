"""Widgets to HTML: one template for each widget, and the filters that templates need."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from flask import Flask, render_template, request
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from companion.game.charts import Figures
from companion.game.events import DRAWN
from companion.game.game import Event
from companion.game.players import PlayerId
from companion.game.widgets import (
    AnyWidget,
    Choice,
    Clock,
    Grid,
    Headline,
    ScoreTable,
    SeatCard,
    Seats,
    Standings,
    Tap,
    Tone,
    Track,
    Variants,
)
from companion.games.rule_sentences import sentence_of
from companion.house.symbols import Mark, seat_mark
from companion.journal.codec import event_to_json
from companion.journal.settings import PAPER, TABLE_NAME
from companion.printing.paper import paper_named
from companion.table.table import Table
from companion.words import clock_face, day, retold, seconds, signed, time_of_day
from web.house import host
from web.render import charts, names
from web.render.drawings import paths, view_box
from web.render.questions import is_held_back

AnyTap = Tap[Any]
THEMES = ("dark", "light")
ASIDE: tuple[type[AnyWidget], ...] = (ScoreTable, Figures, Track)  # beside the sheet if there is room, else below it

# A face has its pips on a grid of three by three: (column, row) from the upper left corner.
PIPS: Mapping[int, tuple[tuple[int, int], ...]] = {
    1: ((1, 1),),
    2: ((0, 0), (2, 2)),
    3: ((0, 0), (1, 1), (2, 2)),
    4: ((0, 0), (2, 0), (0, 2), (2, 2)),
    5: ((0, 0), (2, 0), (1, 1), (0, 2), (2, 2)),
    6: ((0, 0), (2, 0), (0, 1), (2, 1), (0, 2), (2, 2)),
}

# The symbols of players are paths in a square of 24.
SHAPES: Mapping[str, str] = {
    "circle": "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18z",
    "triangle": "M12 2.500 22.500 21h-21z",
    "square": "M3.500 3.500h17v17h-17z",
    "star": "m12 1.800 3.100 6.700 7.300.9-5.400 5 1.400 7.200L12 18l-6.400 3.600L7 14.400l-5.400-5 7.300-.9z",
    "cross": "M8.500 2h7v6.500H22v7h-6.500V22h-7v-6.500H2v-7h6.500z",
    "diamond": "M12 1 21.500 12 12 23 2.500 12z",
    "heart": "M12 21.500C5 16 1.500 12.500 1.500 8.300 1.500 5 4 3 6.700 3 9 3 11 4.300 12 6.500"
    " 13 4.300 15 3 17.300 3c2.700 0 5.200 2 5.200 5.300 0 4.200-3.500 7.700-10.500 13.200z",
    "moon": "M16.500 2.500a10 10 0 1 0 4.500 15A9 9 0 0 1 16.500 2.500z",
    "hexagon": "M7 3h10l5.500 9L17 21H7L1.500 12z",
    "drop": "M12 1.500c4.500 5.500 7 9 7 12.800a7 7 0 0 1-14 0C5 10.500 7.500 7 12 1.500z",
}


def prepare(app: Flask) -> None:
    """Gives the templates their filters and the values of every page of a house."""
    prepare_drawing(app)
    app.context_processor(common)


def prepare_drawing(app: Flask) -> None:
    """Gives the templates their filters."""
    app.jinja_env.filters |= {
        "draw": draw_here,
        "unfolded": unfolded,
        "line_chart": charts.line_chart,
        "bar_chart": charts.bar_chart,
        "figure": charts.figure,
        "rows_that_differ": charts.rows_that_differ,
        "thinned": charts.thinned,
        "event_json": event_json,
        "draft_json": draft_json,
        "word": word,
        "day": day,
        "time_of_day": time_of_day,
        "clock_face": clock_face,
        "seconds": seconds,
        "signed": signed,
        "rule_sentence": sentence_of,
        "correction_json": correction_json,
        "named": names.named,
        "with_names": names.with_names,
        "button_words": names.button_words,
        "zip_names": zip,
        "paths": paths,
        "view_box": view_box,
    }
    app.jinja_env.globals |= {"DRAWN": DRAWN, "PIPS": PIPS, "SHAPES": SHAPES, "theme": theme, "seat_mark": seat_mark}
    app.jinja_env.globals |= {"NAME_FIELD": names.NAME_FIELD, "is_held_back": is_held_back}
    kinds = {"headline": is_headline, "grid": is_grid, "standings": is_standings, "folded": is_folded}
    app.jinja_env.tests |= {"pairs": is_pairs, **kinds}


def common() -> dict[str, object]:
    """The values of every page: the table's name, its paper, whether there is a demo table, and the status lines."""
    status = {part: replace(line, text=retold(line.text)) for part, line in host().status.lines.items()}
    paper = paper_named(PAPER.of(host().journal))
    return {
        "demo": host().outside.demo is not None,
        "status": status,
        "hall_staff": host().staff,
        "table_name": table_name(),
        "paper_name": paper.name,
    }


def table_name() -> str:
    """The table's name, "" if nobody gave it one."""
    return TABLE_NAME.of(host().journal)


def theme() -> str:
    """The theme chosen on this device, "" for the system's own."""
    chosen = request.cookies.get("theme", "")
    return chosen if chosen in THEMES else ""


def draw(widget: AnyWidget, marks: Mapping[PlayerId, Mark]) -> Markup:
    """The widget as HTML, by the template of its name, with these marks of the players."""
    name = f"widgets/{type(widget).__name__}.html"
    return Markup(render_template(name, widget=widget, marks=marks))  # Jinja escapes in there.


@pass_context
def draw_here(context: Context, widget: AnyWidget) -> Markup:
    """The same in a template, with the marks of the page."""
    return draw(widget, context.get("marks", {}))


def is_aside(widget: AnyWidget) -> bool:
    """Whether a widget belongs beside the sheet."""
    return isinstance(widget, ASIDE) or (isinstance(widget, Variants) and widget.is_reference)


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


def is_headline(widget: AnyWidget) -> bool:
    """Whether a widget is a headline, which nothing on the page may cover."""
    return isinstance(widget, Headline)


def is_grid(widget: AnyWidget) -> bool:
    """Whether a widget is a board."""
    return isinstance(widget, Grid)


def is_folded(widget: AnyWidget) -> bool:
    """Whether a widget is a rare choice, which a page shows behind one tap."""
    return isinstance(widget, Choice) and widget.folded


def unfolded(choice: Choice[Any]) -> Choice[Any]:
    """The same choice, shown at once."""
    return replace(choice, folded=False)


def is_standings(value: object) -> bool:
    """Whether a widget is the standings of a finished game."""
    return isinstance(value, Standings)


def word(text: str) -> str:
    """A text as a part of a class name: small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def main_tap(widgets: Iterable[AnyWidget]) -> tuple[AnyTap | None, tuple[AnyWidget, ...]]:
    """(the one thing to do next, the widgets without it): the only primary tap of a choice, and rather one that is not
    refused. A page has it at a place of its own, where it stays whatever the sheet shows.
    """
    shown_widgets = tuple(widgets)
    taps = [(index, tap) for index, widget in enumerate(shown_widgets) if (tap := _only_primary(widget)) is not None]
    if not taps:
        return None, shown_widgets
    at, chosen = next((entry for entry in taps if not entry[1].refused), taps[0])
    choice = shown_widgets[at]
    assert isinstance(choice, Choice)
    rest = tuple(tap for tap in choice.taps if tap is not chosen)
    return chosen, (*shown_widgets[:at], *((replace(choice, taps=rest),) if rest else ()), *shown_widgets[at + 1 :])


def _only_primary(widget: AnyWidget) -> AnyTap | None:
    taps = [tap for tap in widget.taps if tap.tone is Tone.PRIMARY] if isinstance(widget, Choice) else []
    return taps[0] if len(taps) == 1 else None


def stepped_back(widget: AnyWidget) -> AnyWidget:
    """The widget whose taps are all as plain as each other: a page has one main button, and that is elsewhere."""
    match widget:
        case Choice():
            return replace(widget, taps=tuple(map(plain, widget.taps)))
        case Clock(tap=Tap() as tap):
            return replace(widget, tap=plain(tap))
        case Seats():
            return replace(widget, cards=tuple(map(_stepped_back, widget.cards)))
    return widget


def _stepped_back(card: SeatCard[Any]) -> SeatCard[Any]:
    clock = card.clock
    if clock is not None and clock.tap is not None:
        clock = replace(clock, tap=plain(clock.tap))
    return replace(card, taps=tuple(map(plain, card.taps)), clock=clock)


def plain(tap: AnyTap) -> AnyTap:
    """The same tap, no longer the main one."""
    return replace(tap, tone=Tone.PLAIN) if tap.tone is Tone.PRIMARY else tap


def is_racing(widgets: Iterable[AnyWidget]) -> bool:
    """Whether a clock runs, which nothing on the page may cover or push away."""
    return any(clock.from_us is not None for widget in widgets for clock in clocks_of(widget))


def grids_side_by_side(widgets: Iterable[AnyWidget]) -> bool:
    """Whether a sheet has two boards of one height, or a written one: they stand apart from what changes by step."""
    grids = [widget for widget in widgets if isinstance(widget, Grid)]
    return any(grid.written for grid in grids) or (len(grids) == 2 and len(grids[0].rows) == len(grids[1].rows))


def stopped(widget: AnyWidget, at_us: int) -> AnyWidget:
    """The widget with its clocks stopped at a moment."""
    return with_clocks(
        widget, lambda clock: replace(clock, from_us=None, until_us=None, left_us=shown_us(clock, at_us))
    )


def clocks_of(widget: AnyWidget) -> tuple[Clock, ...]:
    """The clocks of a widget."""
    if isinstance(widget, Seats):
        return tuple(card.clock for card in widget.cards if card.clock is not None)
    return (widget,) if isinstance(widget, Clock) else ()


def with_clocks(widget: AnyWidget, change: Callable[[Clock], Clock]) -> AnyWidget:
    """The widget with each clock that runs changed."""

    def changed(clock: Clock | None) -> Clock | None:
        return change(clock) if clock is not None and clock.from_us is not None else clock

    if isinstance(widget, Seats) and clocks_of(widget):
        return replace(widget, cards=tuple(replace(card, clock=changed(card.clock)) for card in widget.cards))
    return change(widget) if isinstance(widget, Clock) and widget.from_us is not None else widget


def shown_us(face: Clock, at_us: int) -> int:
    """The time that a clock shows at a moment."""
    if face.from_us is None:
        return face.left_us
    gone_us = max(0, at_us - face.from_us)
    return gone_us if face.until_us is None else max(0, face.until_us - face.from_us - gone_us)


def in_table_time(widget: AnyWidget, table: Table) -> AnyWidget:
    """The widget with its running clocks in table time, which tablets know, and with the time that they show now."""

    def told(clock: Clock) -> Clock:
        from_us, until_us = (None if us is None else table.table_us(us) for us in (clock.from_us, clock.until_us))
        return replace(clock, from_us=from_us, until_us=until_us, left_us=shown_us(clock, table.now_us()))

    return with_clocks(widget, told)


def split(widgets: Iterable[AnyWidget]) -> tuple[tuple[AnyWidget, ...], tuple[AnyWidget, ...]]:
    """(widgets of the sheet, widgets beside it), each in the game's order."""
    all_widgets = tuple(widgets)
    return tuple(w for w in all_widgets if not is_aside(w)), tuple(w for w in all_widgets if is_aside(w))
