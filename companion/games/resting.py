"""Resting: a player leaves for a while, and the game goes on without waiting; alike in all games that allow it.

A game stores who rests in its state (`resting`, by `changed`) and waits for none of them. A game whose sheet lets
nobody miss a turn has none of these events, and says why (`Rules.why_no_rest`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from companion.errors import IllegalEvent
from companion.games.seats import check_player
from companion.words import _


@dataclass(frozen=True)
class Rested:
    """A player left for a while: nobody waits for this seat until the player is back."""

    player: str


@dataclass(frozen=True)
class Returned:
    """A player who rested is back and plays on."""

    player: str


Event = Rested | Returned


def changed(resting: frozenset[str], event: Event, players: Sequence[str]) -> frozenset[str]:
    """Who rests after the event; raises IllegalEvent if it is so already, or if nobody would play on."""
    check_player(players, event.player)
    if isinstance(event, Returned):
        if event.player not in resting:
            raise IllegalEvent(_("This player isn't on a break. Just play on."))
        return resting - {event.player}
    if event.player in resting:
        raise IllegalEvent(_("This player is on a break already. Play on without them."))
    if len(resting) + 1 >= len(players):
        raise IllegalEvent(_("Somebody has to play on. Just stop here: the game waits for you."))
    return resting | {event.player}


def check_plays(resting: frozenset[str], player: str) -> None:
    """Raises IllegalEvent for a player who rests."""
    if player in resting:
        raise IllegalEvent(_("This player is on a break. Say first that they are back, then play."))


def described(event: Event, name: str) -> str:
    """One sentence for the history."""
    return _("{name} takes a break.", name=name) if isinstance(event, Rested) else _("{name} is back.", name=name)
