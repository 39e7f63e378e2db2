"""Marks: a symbol and a colour for each player, so that nobody has to tell players apart by colour alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from companion.game.players import PlayerId

SYMBOLS = ("circle", "triangle", "square", "star", "cross", "diamond", "heart", "moon", "hexagon", "drop")
COLOURS = ("blue", "orange", "green", "purple", "yellow", "red", "turquoise", "pink", "brown", "black")
FACES = (
    "fox", "cat", "bear", "owl", "frog", "rabbit", "penguin", "panda", "lion", "robot", "ghost", "octopus",
)  # fmt: skip


@dataclass(frozen=True)
class Mark:
    """A player's mark: `symbol` is one of SYMBOLS, `colour` a colour class as in the widgets.

    face    one of FACES; "person.digest" for a photo; "" for a player without a face
    """

    symbol: str
    colour: str
    face: str = ""


def seat_mark(seat: int) -> Mark:
    """The mark of seat 1, 2, …; a hundred seats have a hundred marks."""
    row, column = divmod(seat - 1, len(SYMBOLS))
    return Mark(SYMBOLS[column], COLOURS[(column + row) % len(COLOURS)])


def marks_at_table(
    players: tuple[PlayerId, ...],
    own: Mapping[PlayerId, Mark],
    pieces: Mapping[PlayerId, str],
    faces: Mapping[PlayerId, str],
) -> Mapping[PlayerId, Mark]:
    """Everybody's mark; no symbol is used twice while there are enough.

    own         player → own mark, for those who have one
    pieces      player → colour of their pieces in this game, which takes precedence: another colour would mislead
    faces   player → face, for those who have one
    """
    marks: dict[PlayerId, Mark] = {}
    symbols: set[str] = set()
    for player in players:
        if player in own and own[player].symbol not in symbols:
            marks[player] = own[player]
            symbols.add(own[player].symbol)
    for seat, player in enumerate(players, start=1):
        if player not in marks:
            marks[player] = free_mark(symbols, seat)
            symbols.add(marks[player].symbol)
    return {
        player: replace(marks[player], colour=pieces.get(player, marks[player].colour), face=faces.get(player, ""))
        for player in players
    }


def face_of(profile: str, stored: str) -> str:
    """The face of a mark, as the house stores it for a person: a drawing's name, a photo's digest, or ""."""
    return f"{profile}.{stored}" if stored and stored not in FACES else stored


def free_mark(symbols: Iterable[str], seat: int) -> Mark:
    """The mark of a seat, or the next one whose symbol nobody has."""
    marks = [seat_mark(seat + step) for step in range(len(SYMBOLS))]
    return next((mark for mark in marks if mark.symbol not in symbols), marks[0])
