"""Plays of Sandpile Panic in words, short enough for a button."""

from collections.abc import Iterable

from companion.games.sandpile_panic import board as sand
from companion.games.sandpile_panic.events import Placed, Topple, Toppled, ToppledRest, Turned
from companion.words import _, joined


def told(event: object) -> str:
    """A play, short enough for a button."""
    match event:
        case Turned(_player, at, pink, topples):
            piece = _("Pink on {at}", at=at) if pink else _("Piece on {at}", at=at)
            sides = in_order(topples)
            return _("{piece}; {sides}", piece=piece, sides=sides) if sides else piece
        case ToppledRest(_player, topples):
            return in_order(topples)
        case Placed(_player, at, pink):
            return _("Pink on {at}", at=at) if pink else _("Piece on {at}", at=at)
        case Toppled(_player, at, start):
            return in_order((Topple(at, start),))
    return str(event)


def in_order(topples: Iterable[Topple]) -> str:
    """ "r3c3 north, r3c4 east"."""
    return joined(joined((topple.at, _(sand.SIDE_NAMES[topple.start])), " ") for topple in topples)


def path_words(topples: tuple[Topple, ...]) -> str:
    """The topples in order: "r3c3 north, r3c4 east"; of a long chain the beginning."""
    told = in_order(topples[:6])
    more = len(topples) - 6
    return _("{path} and {more} more", path=told, more=more) if more > 0 else told
