"""Pages made from the rules: whose turn it is, a tap for each legal event, the points; a sentence for each event."""

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from companion.game.events import Ask, is_beside_play, is_sealed
from companion.game.parts.rules import AnyRules
from companion.game.players import PlayerId, Viewer
from companion.game.scores import best_first, score_lines
from companion.game.widgets import AnyWidget, Choice, Headline, NumberEntry, ScoreLine, ScoreTable, Standings, Tap, Tone
from companion.words import _, _n, joined, listed, number

UNNAMED_FIELDS = ("player", "at_us")  # The sentence begins with the player, and the history has the time.


def view(rules: AnyRules) -> Callable[[Any, Viewer], tuple[AnyWidget, ...]]:
    """The view of a game with these rules."""

    def of(state: Any, viewer: Viewer) -> tuple[AnyWidget, ...]:
        explained = {player: rules.explain(state, player) for player in rules.score(state)}
        winners, awaiting = rules.winners(state), rules.awaiting(state)
        lines = tuple(map(_brief, score_lines(explained, viewer, winners, awaiting)))
        if rules.is_over(state):
            names = listed(viewer.name(player) for player in winners)
            title = _n("{names} wins", "{names} win", len(winners), names=names) if winners else _("Nobody wins")
            return (Standings(title, best_first(lines), rules.ranking(state)),)
        waiting = [player for player in explained if player in awaiting]
        acting = [player for player in waiting if viewer.player in (None, player) and not viewer.looks_on]
        entries = [widget for player in acting for widget in _entries(rules, state, player, viewer)]
        return (_headline(waiting, viewer), *entries, ScoreTable(_("Points"), lines))

    return of


def describe(_state: object, event: object, viewer: Viewer) -> str:
    """One sentence for the history: "Ann walked 2."."""
    player = getattr(event, "player", None)
    if player is None:
        return _("{did}.", did=_did(event, viewer))
    name = viewer.name(player)
    if is_beside_play(event):
        return _("{what} for {name}: {details}.", what=_first_large(event), name=name, details=_details(event, viewer))
    return _("{name} {did}.", name=name, did=_did(event, viewer, small=True))


def _brief(line: ScoreLine) -> ScoreLine:
    """A player's line without parts that say no more than it does."""
    says_more = len(line.parts) > 1 or any(rule for _text, _points, rule in line.parts)
    return line if says_more else replace(line, parts=())


def _headline(waiting: list[PlayerId], viewer: Viewer) -> Headline:
    if viewer.player in waiting:
        return Headline(_("Your turn"), tone=Tone.PRIMARY)
    return Headline(_("{names} to play", names=listed(map(viewer.name, waiting)) or _("Nobody")))


def _entries(rules: AnyRules, state: Any, player: PlayerId, viewer: Viewer) -> Iterator[AnyWidget]:
    """What a player may enter now: the events to tap, then the numbers to type."""
    legal = rules.legal(state, player)
    taps = tuple(Tap(_did(event, viewer), event=event) for event in legal if not isinstance(event, Ask))
    if taps:
        is_own = viewer.player == player
        yield Choice(_("What did you do?") if is_own else _("What did {name} do?", name=viewer.name(player)), taps)
    kinds = {kind.__name__: kind for kind in rules.events}
    for ask in (event for event in legal if isinstance(event, Ask)):
        yield NumberEntry(ask.prompt, event_to_complete(kinds[ask.kind], ask, player), ask.field, ask.low, ask.high)


def event_to_complete(kind: type[Any], ask: Ask, player: PlayerId) -> Any:
    """The event that a player is asked to complete, with the lowest number."""
    whose = {"player": player} if "player" in {field.name for field in fields(kind)} else {}
    return kind(**{ask.field: ask.low}, **whose)


def _words(name: str) -> str:
    """A name of the program in words: "GaveUp" and "gave_up" are "gave up"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", name).lower()


def _first_large(event: object) -> str:
    words = _words(type(event).__name__)
    return _(words[:1].upper() + words[1:])


def _did(event: object, viewer: Viewer, small: bool = False) -> str:
    """What happened, without the player: "walked 2", and as a label "Walked 2"."""
    what, values = _(_words(type(event).__name__)) if small else _first_large(event), _values(event)
    if not values:
        return what
    return joined((what, _details(event, viewer)), " " if len(values) == 1 else ": ")


def _values(event: object) -> dict[str, Any]:
    """The values of an event by their names, without those that say nothing."""
    values = {field.name: getattr(event, field.name) for field in fields(event) if field.name not in UNNAMED_FIELDS}  # type: ignore[arg-type]
    return {name: value for name, value in values.items() if value is not None and value is not False and value != ()}


def _details(event: object, viewer: Viewer) -> str:
    """The values of an event in words; of several each with its name."""
    values = _values(event)
    details = {name: "" if value is True else _value(value, viewer) for name, value in values.items()}
    if len(details) == 1 and (only := next(iter(details.values()))):
        return only
    return joined(joined(filter(None, (_(_words(name)), value)), " ") for name, value in details.items())


def _value(value: Any, viewer: Viewer) -> str:
    match value:
        case str():
            return _("the reason isn't kept here") if is_sealed(value) else viewer.names.get(value, value.rstrip("."))
        case int():
            return number(value)
        case tuple():
            return listed(_value(part, viewer) for part in value)
    return str(value)
