"""Moving the pieces of the demo's board."""

from companion.demo import board as virtual_board
from companion.demo.tabletop import Tabletop
from companion.demo.things import PIECE_COLOURS, VirtualTable
from companion.errors import BadInput
from companion.words import _


class Pieces:
    """The pieces on the board. Methods raise BadInput if no board is on the table."""

    def __init__(self, top: Tabletop) -> None:
        self._top = top

    def put(self, row: int, column: int, colour: str) -> None:
        """Puts a piece on a square of the board."""
        if colour not in PIECE_COLOURS:
            raise BadInput(_("There are no pieces like that. Choose one of {names}.", names=", ".join(PIECE_COLOURS)))
        with self._top.lock:
            self._top.change(virtual_board.put(self._board(), row, column, colour))

    def take(self, row: int, column: int) -> None:
        """Takes the top piece of a square away."""
        with self._top.lock:
            self._top.change(virtual_board.take(self._board(), row, column))

    def tip(self, row: int, column: int, first: int) -> None:
        """Tips the upper four pieces of a square over; see `board.tip`."""
        with self._top.lock:
            self._top.change(virtual_board.tip(self._board(), row, column, first))

    def _board(self) -> VirtualTable:
        if self._top.table.mat != "board":
            raise BadInput(_("There's no board on the table. Start a game that has one."))
        return self._top.table
