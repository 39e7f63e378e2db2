"""What happened in Sandpile Panic, in words: one sentence an event, for the history."""

from companion.game.players import Viewer
from companion.games import rulings as referee
from companion.games.rulings import Ruling
from companion.games.sandpile_panic import board as sand
from companion.games.sandpile_panic.board import PINK, SIDE_NAMES
from companion.games.sandpile_panic.events import Event, Left, Placed, TakenOver, Toppled, ToppledRest, Turned
from companion.games.sandpile_panic.plays import path_words
from companion.games.sandpile_panic.state import State
from companion.words import _


def describe(state: State, event: Event, viewer: Viewer) -> str:
    """One sentence for the history."""
    name = viewer.name(event.player)
    match event:
        case Placed(player, at, pink):
            return _("{name} placed {piece} on {at}.", name=name, piece=_piece(state, player, pink), at=at)
        case Toppled(at=at, start=start):
            return _("{name} toppled {at}, beginning {side}.", name=name, at=at, side=_(SIDE_NAMES[start]))
        case ToppledRest(topples=topples):
            return _("{name} toppled {path}.", name=name, path=path_words(topples) or _("nothing"))
        case Turned(player, at, pink, topples):
            piece = _piece(state, player, pink)
            if not topples:
                return _("{name} placed {piece} on {at}.", name=name, piece=piece, at=at)
            path = path_words(topples)
            return _("{name} placed {piece} on {at} and toppled {path}.", name=name, piece=piece, at=at, path=path)
        case TakenOver():
            return _("{name} took the opening over and plays white.", name=name)
        case Left():
            return _("{name} left the opening to white and plays black.", name=name)
        case Ruling():
            return referee.described(event, name)
    raise TypeError(event)


def _piece(state: State, player: str, pink: bool) -> str:
    """What was placed: its colour, as far as that is known yet (SP-12)."""
    if not pink and player not in state.colours:
        return _("a piece")
    return sand.in_words(PINK if pink else state.colours[player])
