"""What to tap to correct an event that games share, and so have no view for: a ruling, or a seat that rests."""

from dataclasses import replace

from companion.game.game import Event
from companion.game.players import PlayerId, Viewer
from companion.game.widgets import Choice, NumberEntry, Tap, TextEntry
from companion.games.resting import Rested, Returned
from companion.games.rulings import LONGEST_REASON, MOST_POINTS, Ruling, reason_of
from companion.words import _

AnyWidget = Choice[Event] | NumberEntry[Event] | TextEntry[Event]


def anew(event: Event, viewer: Viewer, players: tuple[PlayerId, ...]) -> tuple[AnyWidget, ...]:
    """The widgets to correct the event; empty for an event of the game's own, which its view corrects."""
    if isinstance(event, Ruling):
        return (
            _of_another(_("For which player?"), event, viewer, players),
            NumberEntry(_("Points, not {points}", points=event.points), event, "points", -MOST_POINTS, MOST_POINTS),
            TextEntry(_("Why, not “{why}”", why=reason_of(event)), event, "why", LONGEST_REASON),
        )
    if isinstance(event, Rested):
        return (_of_another(_("Who takes a break?"), event, viewer, players),)
    if isinstance(event, Returned):
        return (_of_another(_("Who is back?"), event, viewer, players),)
    return ()


def _of_another(
    prompt: str, event: Ruling | Rested | Returned, viewer: Viewer, players: tuple[PlayerId, ...]
) -> Choice[Event]:
    """The same event of each other player."""
    return Choice(
        prompt,
        tuple(
            Tap(viewer.name(player), event=replace(event, player=player))
            for player in players
            if player != event.player
        ),
    )
