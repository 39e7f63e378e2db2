"""Loading the demo's trucks."""

from collections.abc import Sequence

from companion.demo import boxes as virtual_boxes
from companion.demo.tabletop import Tabletop
from companion.demo.things import VirtualTable
from companion.errors import BadInput
from companion.words import _


class Boxes:
    """The boxes beside and on the trucks. Methods raise BadInput if no trucks are on the table."""

    def __init__(self, top: Tabletop) -> None:
        self._top = top

    def deal(self, counts: Sequence[int]) -> None:
        """Lays new boxes beside the trucks, in place of those there; `counts` of each size, smallest first."""
        with self._top.lock:
            self._top.change(virtual_boxes.dealt(self._trucks(), counts))

    def load(self, size: int, truck: int, row: int, column: int, along: str) -> None:
        """Puts a box onto a truck."""
        with self._top.lock:
            self._top.change(virtual_boxes.loaded(self._trucks(), size, truck, row, column, along))

    def unload(self, truck: int, row: int, column: int) -> None:
        """Takes the upper box of a truck's square back beside the trucks."""
        with self._top.lock:
            self._top.change(virtual_boxes.taken_back(self._trucks(), truck, row, column))

    def _trucks(self) -> VirtualTable:
        if self._top.table.mat != virtual_boxes.LOADS_MAT:
            raise BadInput(_("There are no trucks on the table. They appear when it's time to load."))
        return self._top.table
