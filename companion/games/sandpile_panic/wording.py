"""Events of Sandpile Panic in words: sentences for the history, labels for buttons."""

from collections.abc import Iterable

from companion.game.players import Viewer
from companion.games import rulings as referee
from companion.games.rulings import Ruling
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic.board import PINK, SIDE_NAMES
from companion.games.sandpile_panic.events import Event, Left, Placed, TakenOver, Topple, Toppled, ToppledRest, Turned
from companion.games.sandpile_panic.options import Opening, piece_letters
from companion.games.sandpile_panic.state import Stage, State, opening_of, stage
from companion.words import _, joined


def opening_words(state: State, viewer: Viewer) -> tuple[str, ...]:
    """Sentences for the first turn: who begins, and what the opening is going to change (SP-10 … SP-14)."""
    opening, number, current = opening_of(state), len(state.order), stage(state)
    if current is Stage.OVER:
        return ()
    sentences = []
    if state.turns == 0:
        first, second, last = (viewer.name(state.order[place]) for place in (0, 1, -1))
        at = state.players.index(state.order[0]) + 1
        colour = _side(state, 0)
        sentences.append(
            _("{name} begins. Seat {seat} plays {colour} in this game.", name=first, seat=at, colour=colour)
        )
        if opening is Opening.PIE:
            sentences.append(_("After that {name} may switch sides and play {colour}.", name=second, colour=colour))
        elif opening is Opening.FAIR_SHARE and number == 2:
            sentences.append(_("After that {name} has two turns in a row.", name=second))
        elif opening is Opening.FAIR_SHARE:
            sentences.append(_("The second round goes backwards, starting with {name}.", name=last))
    return tuple(sentences)


def describe(state: State, event: Event, viewer: Viewer) -> str:
    """A sentence for the history."""
    name = viewer.name(event.player)
    match event:
        case Placed(player, at, pink):
            piece = _piece(state, player, pink)
            return _("{name} placed {piece} on {at}.", name=name, piece=piece, at=boards.spot(at))
        case Toppled(at=at, start=start):
            side = _(SIDE_NAMES[start])
            return _("{name} toppled {at}, beginning {side}.", name=name, at=boards.spot(at), side=side)
        case ToppledRest(topples=topples):
            return _("{name} toppled {path}.", name=name, path=path_words(topples) or _("nothing"))
        case Turned(player, at, pink, topples):
            piece, at = _piece(state, player, pink), boards.spot(at)
            if not topples:
                return _("{name} placed {piece} on {at}.", name=name, piece=piece, at=at)
            path = path_words(topples)
            return _("{name} placed {piece} on {at} and toppled {path}.", name=name, piece=piece, at=at, path=path)
        case TakenOver():
            return _("{name} switched sides and plays {colour}.", name=name, colour=_side(state, 0))
        case Left():
            return _("{name} stayed {colour}.", name=name, colour=_side(state, 1))
        case Ruling():
            return referee.described(event, name)
    raise TypeError(event)


def _side(state: State, place: int) -> str:
    """The colour of the first or the second side, in words (SP-12)."""
    return boards.in_words(piece_letters(state.options)[place])


def _piece(state: State, player: str, pink: bool) -> str:
    """The colour that was placed, if it is known yet (SP-12)."""
    if not pink and player not in state.colours:
        return _("a piece")
    return boards.in_words(PINK if pink else state.colours[player])


def play_label(event: object) -> str:
    """A play in words short enough for a button."""
    match event:
        case Turned(_player, at, pink, topples):
            piece = _on(at, pink)
            sides = in_order(topples)
            return _("{piece}; {sides}", piece=piece, sides=sides) if sides else piece
        case ToppledRest(_player, topples):
            return in_order(topples)
        case Placed(_player, at, pink):
            return _on(at, pink)
        case Toppled(_player, at, start):
            return in_order((Topple(at, start),))
    return str(event)


def _on(at: str, pink: bool) -> str:
    spot = boards.spot(at)
    return _("Pink on {at}", at=spot) if pink else _("Piece on {at}", at=spot)


def in_order(topples: Iterable[Topple]) -> str:
    """All topples in order: "row 3 column 3 north, row 3 column 4 east"."""
    return joined(joined((boards.spot(topple.at), _(boards.SIDE_NAMES[topple.start])), " ") for topple in topples)


def path_words(topples: tuple[Topple, ...]) -> str:
    """The topples in order, of a long chain only the beginning: "row 3 column 3 north, row 3 column 4 east"."""
    path = in_order(topples[:6])
    more = len(topples) - 6
    return _("{path} and {more} more", path=path, more=more) if more > 0 else path
