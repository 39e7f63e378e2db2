"""Moving the pieces on the demo's board: put one down, take one away, tip a pile over. No rules here."""

from dataclasses import replace

from companion.demo.things import TablePiece, VirtualTable
from companion.errors import BadInput
from companion.words import _

BLOCK = 4  # So many pieces are tipped over together, one to each side.
CLOCKWISE_FROM_FAR = ((-1, 0), (0, 1), (1, 0), (0, -1))
MOST_PIECES = 400  # No game has so many, but a page may repeat a request forever.


def pile(table: VirtualTable, row: int, column: int) -> tuple[TablePiece, ...]:
    """The pieces on a square, lowest first."""
    return tuple(piece for piece in table.pieces if (piece.row, piece.column) == (row, column))


def put(table: VirtualTable, row: int, column: int, colour: str) -> VirtualTable:
    """The table with one more piece on top of a square; raises BadInput off the board."""
    if not (0 <= row < table.board_n and 0 <= column < table.board_n):
        raise BadInput(_("That square isn't on the board. Tap one that is."))
    if len(table.pieces) >= MOST_PIECES:
        raise BadInput(_("There are no pieces left. Take some off the board first."))
    return replace(table, pieces=(*table.pieces, TablePiece(row, column, colour)))


def take(table: VirtualTable, row: int, column: int) -> VirtualTable:
    """The table without the top piece of a square; raises BadInput if there is none."""
    return without(table, top(table, row, column, 1))


def tip(table: VirtualTable, row: int, column: int, first: int) -> VirtualTable:
    """The table after the upper four pieces of a square tipped over, one to each side.

    first   side of the lowest of them: 0 is the far side, then clockwise, as the next pieces go

    A piece that falls off the board is gone. Raises BadInput if fewer than four lie there.
    """
    block = top(table, row, column, BLOCK)
    table = without(table, block)
    for turn, piece in enumerate(block):
        down, right = CLOCKWISE_FROM_FAR[(first + turn) % len(CLOCKWISE_FROM_FAR)]
        to = (row + down, column + right)
        if all(0 <= place < table.board_n for place in to):
            table = put(table, *to, piece.colour)
    return table


def top(table: VirtualTable, row: int, column: int, count: int) -> tuple[TablePiece, ...]:
    """The upper `count` pieces of a square, lowest first; raises BadInput if there are fewer."""
    pieces = pile(table, row, column)[-count:]
    if len(pieces) < count:
        raise BadInput(_("There aren't that many pieces there. Tap another square."))
    return pieces


def without(table: VirtualTable, gone: tuple[TablePiece, ...]) -> VirtualTable:
    """The table without these pieces; of equal pieces the upper, later ones are removed."""
    left = list(reversed(table.pieces))
    for piece in gone:
        left.remove(piece)
    return replace(table, pieces=tuple(reversed(left)))
