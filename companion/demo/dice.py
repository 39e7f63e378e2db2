"""Moving the stacked dice of the demo's table: put one down, turn it, take a stack off. No rules."""

from dataclasses import replace

from companion.demo.things import TableDie, VirtualTable, clamped, stack_of
from companion.errors import BadInput
from companion.words import _

DICE_EACH = 14  # A bought set has so many of one colour.
MOST_LEVELS = 4  # No game stacks dice higher, and no reader tells higher stacks apart.


def put(table: VirtualTable, key: str, onto: str) -> VirtualTable:
    """The table with a free die put on top of the stack, or single die, that `onto` belongs to; raises BadInput."""
    die, below = free(table, key), stack_of(table, onto)
    if die in below:
        raise BadInput(_("That die is already there. Tap another one."))
    if len(below) >= MOST_LEVELS:
        raise BadInput(_("The stack would fall. It's already {levels} dice high.", levels=MOST_LEVELS))
    x_mm, y_mm = below[0].x_mm, below[0].y_mm
    return changed(table, replace(die, x_mm=x_mm, y_mm=y_mm, level=len(below)))


def put_down(table: VirtualTable, key: str, x_mm: float, y_mm: float) -> VirtualTable:
    """The table with a free die put down beside the stacks; raises BadInput if another lies on it."""
    x_mm, y_mm = clamped(x_mm, y_mm)
    return changed(table, replace(free(table, key), x_mm=x_mm, y_mm=y_mm, level=0))


def turned(table: VirtualTable, key: str) -> VirtualTable:
    """The table with a free die turned to the next number; raises BadInput if another lies on it."""
    die = free(table, key)
    return changed(table, replace(die, value=die.value % 6 + 1))


def taken_off(table: VirtualTable, key: str) -> VirtualTable:
    """The table without a die and the stack that it belongs to."""
    gone = stack_of(table, key)
    return replace(table, dice=tuple(die for die in table.dice if die not in gone), throw=None)


def free(table: VirtualTable, key: str) -> TableDie:
    """The die with this key; raises BadInput if another lies on it."""
    *_below, top = stack_of(table, key)
    if top.key != key:
        raise BadInput(_("There's another die on top. Take that one off first."))
    return top


def changed(table: VirtualTable, die: TableDie) -> VirtualTable:
    """The table with this die in place of the one with the same key."""
    return replace(table, dice=tuple(die if die.key == other.key else other for other in table.dice), throw=None)
