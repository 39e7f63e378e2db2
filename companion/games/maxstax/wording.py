"""Sentences for the history about events of a timed round, the same in all MaxStax games."""

from collections.abc import Callable

from companion.games import resting, rulings
from companion.games.maxstax import events, timer
from companion.games.maxstax.timer import Round
from companion.games.resting import Rested, Returned
from companion.games.rulings import Ruling
from companion.words import _, seconds

SharedEvent = events.TimerEvent | events.Judged | events.RoundClosed | Rested | Returned | Ruling


def describe(current: Round, event: SharedEvent, name: Callable[[str], str], round_name: str) -> str:
    """A sentence for the history.

    name        player → name
    round_name  the name of the current round, such as "Round 2 of 5"
    """
    match event:
        case events.Readied(player):
            return _("{name} is ready.", name=name(player))
        case events.Started():
            return _("{round_name} started.", round_name=round_name)
        case events.FalseStarted(player):
            return _("{name} pressed before go. A false start doesn't count.", name=name(player))
        case events.Shouted(player, at_us):
            word = _("MAX STAX") if current.shout_required else _("done")
            if current.go_us is None:
                return _("{name}: {word}.", name=name(player), word=word)
            time = seconds(timer.elapsed_us(current, at_us))
            return _("{name}: {word} after {time}.", name=name(player), word=word, time=time)
        case events.ShoutRejected(player):
            return _("{name}'s stack didn't match, so the shout doesn't count.", name=name(player))
        case events.Witnessed(player):
            # The table decides: the camera may have had no reference, or have judged the stack differently.
            return _("Photo of the shout checked: {name}'s stack is correct.", name=name(player))
        case events.Collapsed(player):
            return _("{name}'s stack fell.", name=name(player))
        case events.Bumped(player):
            return _("Someone else knocked over {name}'s stack.", name=name(player))
        case events.GaveUp(player):
            return _("{name} gave up this round.", name=name(player))
        case events.Paused():
            return _("Round paused.")
        case events.Resumed():
            return _("Round resumed.")
        case events.TimeRanOut():
            return _("Time ran out.")
        case events.Judged(player, complete):
            if complete:
                return _("{name}'s stack stands and matches.", name=name(player))
            return _("{name}'s stack isn't complete.", name=name(player))
        case events.RoundClosed():
            return _("{round_name} closed.", round_name=round_name)
        case Rested(player) | Returned(player):
            return resting.described(event, name(player))
        case Ruling(player):
            return rulings.described(event, name(player))
    raise TypeError(event)
