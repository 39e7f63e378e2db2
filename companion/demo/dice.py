"""Fingers for dice that stand on each other on the demo's table: put one down, turn it, take a stack off. No rules."""

from dataclasses import replace

from companion.demo.things import TableDie, VirtualTable, kept_on, stack_of
from companion.errors import BadInput
from companion.words import _

DICE_EACH = 14  # in a bought set of one colour
MOST_LEVELS = 4  # no game stacks dice higher, and no reader tells higher stacks apart


def put(table: VirtualTable, key: str, onto: str) -> VirtualTable:
    """A die on which none lies goes on top of the stack, or die, that `onto` belongs to.

    Raises BadInput where it cannot.
    """
    die, below = free(table, key), stack_of(table, onto)
    if die in below:
        raise BadInput(_("The die lies there already: tap another one."))
    if len(below) >= MOST_LEVELS:
        raise BadInput(_("The stack would fall: it is {levels} dice high.", levels=MOST_LEVELS))
    x_mm, y_mm = below[0].x_mm, below[0].y_mm
    return changed(table, replace(die, x_mm=x_mm, y_mm=y_mm, level=len(below)))


def put_down(table: VirtualTable, key: str, x_mm: float, y_mm: float) -> VirtualTable:
    """A die on which none lies goes onto the table itself; raises BadInput where another lies on it."""
    x_mm, y_mm = kept_on(x_mm, y_mm)
    return changed(table, replace(free(table, key), x_mm=x_mm, y_mm=y_mm, level=0))


def turned(table: VirtualTable, key: str) -> VirtualTable:
    """A die on which none lies shows the next number."""
    die = free(table, key)
    return changed(table, replace(die, value=die.value % 6 + 1))


def taken_off(table: VirtualTable, key: str) -> VirtualTable:
    """A die goes off the table with the stack that it belongs to."""
    gone = stack_of(table, key)
    return replace(table, dice=tuple(die for die in table.dice if die not in gone), throw=None)


def free(table: VirtualTable, key: str) -> TableDie:
    """A die that a hand can lift; raises BadInput where another lies on it."""
    *_below, top = stack_of(table, key)
    if top.key != key:
        raise BadInput(_("Another die lies on this one: take that one off first."))
    return top


def changed(table: VirtualTable, die: TableDie) -> VirtualTable:
    """The table with this die as it is now."""
    return replace(table, dice=tuple(die if die.key == each.key else each for each in table.dice), throw=None)
