"""What a sheet offers this device: nothing that it would be refused. Who has nothing to do sees who is awaited.

This holds for every game, whatever its `view` draws: a tap goes where its event is another seat's, or comes to none.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from flask import g

from companion.game.charts import Picture
from companion.game.events import seats
from companion.game.players import Viewer
from companion.game.widgets import (
    AnyWidget,
    Choice,
    Headline,
    NumberEntry,
    PictureChoice,
    Tap,
    TextEntry,
    Tone,
    Variants,
    after_taps,
)
from companion.table.table import Table
from companion.words import _, listed
from web.access import gate, rights

MOST_LOOKS = 24  # at pages to which choices lead; what is not found by then is offered
MOST_NAMED = 8  # Beyond that, a headline gives a number.


def is_to_look_at(player: str | None) -> bool:
    """Whether this device only looks at the page of a player, or of the table: it is a watcher's, or another seat's."""
    return not gate.may(gate.Need.PLAY) or g.visitor.player not in (None, player)


def offered(table: Table, viewer: Viewer, widgets: Iterable[AnyWidget]) -> tuple[AnyWidget, ...]:
    """The widgets with what this device may use of them."""
    drawn = tuple(widgets)
    awaited = table.game.rules.awaiting(table.state)
    # Where nobody in particular is awaited, anybody acts.
    waits = viewer.player is not None and bool(awaited) and viewer.player not in awaited
    pages = _Pages(table, viewer)

    def may_post(event: Any) -> bool:
        is_of_page = viewer.player is None or rights.may_write_for(table, seats(event), viewer.player)
        return is_of_page and rights.may_enter(table, event)

    def is_of_use(tap: Tap[Any]) -> bool:
        if tap.event is not None:
            return may_post(tap.event)
        if viewer.looks_on or (waits and tap.refused):
            return False
        return not waits or _leads_to_event(pages, tap, may_post)

    kept = tuple(part for widget in drawn if (part := _with_taps(widget, is_of_use, may_post)) is not None)
    return tuple(_waiting(table, viewer, part) for part in kept) if _has_nothing_to_do(table, viewer, kept) else kept


def taps_of(value: Any) -> Iterator[Tap[Any]]:
    """Every tap in a widget, or in a part of one."""
    if isinstance(value, Tap):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from taps_of(part)
    elif is_dataclass(value) and not isinstance(value, type | Picture):  # Of a picture's many shapes none is tapped.
        for each in fields(value):
            yield from taps_of(getattr(value, each.name))


def _with_taps(widget: Any, keep: Callable[[Tap[Any]], bool], may_post: Callable[[Any], bool]) -> Any:
    """A widget, or a part of one, with the taps to keep; None for one that is of no use without the others."""
    if isinstance(widget, NumberEntry | TextEntry):
        return widget if may_post(widget.event) else None
    if isinstance(widget, Tap):
        return widget if keep(widget) else None
    if isinstance(widget, tuple):
        return tuple(part for each in widget if (part := _with_taps(each, keep, may_post)) is not None)
    if not is_dataclass(widget) or isinstance(widget, type) or next(taps_of(widget), None) is None:
        return widget
    values = {each.name: getattr(widget, each.name) for each in fields(widget)}
    kept = replace(widget, **{name: _with_taps(value, keep, may_post) for name, value in values.items()})
    return None if isinstance(widget, Choice | PictureChoice | Variants) and next(taps_of(kept), None) is None else kept


class _Pages:
    """The taps on the pages to which choices lead from a viewer's page, each page drawn once."""

    def __init__(self, table: Table, viewer: Viewer) -> None:
        self._table, self.viewer = table, viewer
        self._taps: dict[frozenset[tuple[str, str]], list[Tap[Any]]] = {}

    def at(self, draft: Mapping[str, str]) -> list[Tap[Any]]:
        key = frozenset(draft.items())
        if key not in self._taps:
            page = self._table.game.pages.view(self._table.state, replace(self.viewer, draft=draft))
            self._taps[key] = [tap for tap in taps_of(page) if not tap.refused]
        return self._taps[key]


def _leads_to_event(pages: _Pages, tap: Tap[Any], may_post: Callable[[Any], bool]) -> bool:
    """Whether a choice, maybe with further ones, brings up an event that may be posted."""
    viewer = pages.viewer
    here = {repr(each.event) for each in pages.at(viewer.draft)}
    drafts = deque([after_taps(viewer.draft, tap)])
    seen: set[frozenset[tuple[str, str]]] = set()
    while drafts and len(seen) < MOST_LOOKS:
        draft = drafts.popleft()
        if (key := frozenset(draft.items())) in seen:
            continue
        seen.add(key)
        next_taps = pages.at(draft)
        if any(each.event is not None and repr(each.event) not in here and may_post(each.event) for each in next_taps):
            return True
        choices = [each for each in next_taps if each.event is None and not {*each.adds} & {*draft}]
        fresh = {frozenset(each.draft): each for each in reversed(choices) if not {*each.draft} & {*draft}}
        drafts.extendleft(after_taps(draft, each) for each in fresh.values())
        drafts.extend(after_taps(draft, each) for each in choices if {*each.draft} & {*draft})
    return bool(drafts)


def _has_nothing_to_do(table: Table, viewer: Viewer, widgets: tuple[AnyWidget, ...]) -> bool:
    """Whether the page has no part in what comes next."""
    rules = table.game.rules
    awaited = rules.awaiting(table.state)
    is_left_out = viewer.looks_on if viewer.player is None else viewer.looks_on or viewer.player not in awaited
    is_free = not any(tap.tone is Tone.PRIMARY and not tap.refused for tap in taps_of(widgets))
    return is_left_out and is_free and not rules.is_over(table.state)


def _waiting(table: Table, viewer: Viewer, widget: AnyWidget) -> AnyWidget:
    """The headline for who waits: it calls for no tap. Any other widget as it is."""
    awaited = table.game.rules.awaiting(table.state)
    if not isinstance(widget, Headline):
        return widget
    if not awaited:
        return replace(widget, tone=Tone.PLAIN)
    names = [viewer.name(player) for player in table.session.players if player in awaited]
    title = (
        _("Waiting for {n} of {all}", n=len(names), all=len(table.session.players))
        if len(names) > MOST_NAMED
        else _("Waiting for {names}", names=listed(names))
    )
    told = widget.detail if widget.tone is Tone.PLAIN and widget.detail else widget.title
    return Headline(title, told if told != title else "")
