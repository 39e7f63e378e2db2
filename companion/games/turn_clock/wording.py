"""Sentences for the history about events of the turn clock."""

from companion.game.players import Viewer
from companion.games import rulings
from companion.games.rulings import Ruling
from companion.games.turn_clock import events
from companion.games.turn_clock.events import Event
from companion.games.turn_clock.state import State, spent_us
from companion.words import _, _n, seconds


def describe(state: State, event: Event, viewer: Viewer) -> str:
    """A sentence for the history. `state` is the one before the event, which may be none that the event fits."""
    if isinstance(event, Ruling):
        return rulings.described(event, viewer.name(event.player))
    name = viewer.name(getattr(event, "player", ""))
    match event:
        case events.Started():
            return _("The clock started.")
        case events.Passed(at_us=at_us):
            return _("{name} pressed after {time}.", name=name, time=seconds(max(0, spent_us(state, at_us))))
        case events.TurnGiven():
            return _("The turn went to {name}.", name=name)
        case events.Skipped():
            return _("The turn was skipped.")
        case events.Reversed():
            return _("The order turned round.")
        case events.DroppedOut():
            return _("{name} dropped out.", name=name)
        case events.CameBack():
            return _("{name} came back.", name=name)
        case events.Paused():
            return _("The clock was paused.")
        case events.Resumed():
            return _("The clock went on.")
        case events.Corrected(seconds=more) if more >= 0:
            return _n("{name} got {n} second more.", "{name} got {n} seconds more.", more, name=name)
        case events.Corrected(seconds=less):
            return _n("{name} got {n} second less.", "{name} got {n} seconds less.", -less, name=name)
        case events.TimeRanOut():
            return _("{name}'s time was up.", name=name)
        case events.RoundRang():
            return _("The buzzer ended the round.")
        case events.Won():
            return _("{name} won.", name=name)
        case events.Drawn():
            return _("It was over, and nobody won alone.")
