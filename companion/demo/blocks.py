"""Hands that build the stacks of MaxStax on the demo's table."""

from collections.abc import Mapping
from dataclasses import replace

from companion.demo import stacks as virtual_stacks
from companion.demo.stacks import EMPTY, SPACES, TableStack
from companion.demo.tabletop import Tabletop
from companion.equipment.deck import Way
from companion.errors import BadInput
from companion.words import _

SEATS = range(1, 9)


class Blocks:
    """The stack of each seat. Methods raise BadInput for a seat that the table does not have.

    references  seat → what its stack should be, as the game last said
    """

    def __init__(self, top: Tabletop) -> None:
        self.references: Mapping[str, Mapping[str, int]] = {}
        self._top = top
        self._stacks = dict.fromkeys(SEATS, EMPTY)

    def put_away(self) -> None:
        """Takes all stacks apart."""
        self._stacks = dict.fromkeys(SEATS, EMPTY)

    def stack(self, seat: int) -> TableStack:
        """The stack of a seat."""
        with self._top.lock:
            return self._stacks[checked_seat(seat)]

    def build(self, seat: int) -> None:
        """Puts the next block on a seat's stack."""
        with self._top.lock:
            self._set_stack(seat, virtual_stacks.with_next(self._standing(seat), self._design(seat)))

    def put_block(self, seat: int, way: str, x_mm: float) -> None:
        """Puts a block freely on a seat's stack, which may fall.

        x_mm    of the block's middle, to the right of the middle of the space
        """
        if way not in tuple(Way):
            raise BadInput(_("A block can't be placed like that. Choose one of {names}.", names=", ".join(Way)))
        with self._top.lock:
            block = virtual_stacks.laid(Way(way), x_mm)
            self._set_stack(seat, virtual_stacks.let_down(self._standing(seat), block))

    def take_block_off(self, seat: int) -> None:
        """Takes the last block off a seat's stack."""
        with self._top.lock:
            self._set_stack(seat, virtual_stacks.without_last(self._standing(seat)))

    def finish(self, seat: int) -> None:
        """Builds the whole stack of a seat, by its card or by the stack that it copies."""
        with self._top.lock:
            self._set_stack(seat, TableStack(self._design(checked_seat(seat))))

    def build_wrong(self, seat: int) -> None:
        """Puts the last block of a seat's stack wrongly."""
        with self._top.lock:
            self._set_stack(seat, virtual_stacks.with_one_wrong(self.stack(seat), self._top.random))

    def knock_over(self, seat: int) -> None:
        """Knocks a seat's stack over."""
        with self._top.lock:
            self._set_stack(seat, virtual_stacks.fallen(self.stack(seat)))

    def take_apart(self, seat: int) -> None:
        """Takes a seat's stack apart."""
        with self._top.lock:
            self._set_stack(checked_seat(seat), EMPTY)

    def _standing(self, seat: int) -> TableStack:
        stack = self.stack(seat)
        if not stack.standing:
            raise BadInput(_("The stack at seat {seat} has fallen. Take it apart first.", seat=seat))
        return stack

    def _design(self, seat: int) -> tuple[virtual_stacks.TableBlock, ...]:
        return virtual_stacks.design(self.references.get(str(seat), {}), list(self._stacks.values()))

    def _set_stack(self, seat: int, stack: TableStack) -> None:
        self._stacks[seat] = stack
        in_view = tuple(self._stacks[number] for number in range(1, SPACES + 1))
        if in_view != self._top.table.stacks:
            self._top.change(replace(self._top.table, stacks=in_view))
        else:
            self._top.publish()


def checked_seat(seat: int) -> int:
    """`seat`; raises BadInput if the table has no such seat."""
    if seat not in SEATS:
        raise BadInput(
            _("The table has no seat {seat}. Choose {first} to {last}.", seat=seat, first=SEATS[0], last=SEATS[-1])
        )
    return seat
