"""Rolling, pushing and stacking the demo's dice."""

from dataclasses import replace

from companion.demo import dice as virtual_dice
from companion.demo.tabletop import Tabletop
from companion.demo.things import DIE_MM, HEIGHT_MM, MAT, WIDTH_MM, TableDie, cleared, moved, stack_of, thrown
from companion.equipment.mat import Kind, mat
from companion.errors import BadInput
from companion.words import _

MOST_DICE = 56  # Four players of Stack have so many.
THROWS = 5000  # After so many tries to find a place for a die there counts as no room.
APART_MM = 22.0  # Two dice of 16 mm that lie corner to corner just touch at 22.6 between their centres.
EDGE_MM = DIE_MM  # Dice land at least this far inside their zone of the mat.


class Dice:
    """The dice of the demo's table. Methods raise BadInput for a key that no die has."""

    def __init__(self, top: Tabletop) -> None:
        self._top = top
        # The stack that was knocked over last: as it stood, and as its dice fell.
        self._stood: tuple[TableDie, ...] = ()
        self._fell: tuple[TableDie, ...] = ()

    def roll(self, keys: list[str] | None = None, count: int | None = None, each: int | None = None) -> None:
        """Throws dice.

        keys    these dice; None, with no other argument: all on the table
        count   so many white dice, after all others were picked up
        each    so many dice of each player's colour, after all others were picked up
        """
        with self._top.lock:
            if count is not None:
                rolled, others = self._in_hand(white(count)), list[TableDie]()
            elif each is not None:
                rolled, others = self._in_hand(self._of_everybody(each)), []
            else:
                chosen = self._chosen(keys)
                for key in keys or ():
                    virtual_dice.free(self._top.table, key)
                rolled = tuple(die for die in self._top.table.dice if die.key in chosen)
                others = [die for die in self._top.table.dice if die.key not in chosen]
            self._throw(rolled, others)

    def move(self, key: str, x_mm: float, y_mm: float) -> None:
        """Pushes a die, or the stack that it belongs to, to another place. It stays where it was if others are in the
        way.
        """
        with self._top.lock:
            self._chosen([key])
            pushed = moved(self._top.table, key, x_mm, y_mm)
            hand = frozenset(die.key for die in stack_of(self._top.table, key))
            (die,) = (die for die in pushed.dice if die.key == key)
            if has_room(die, tuple(other for other in pushed.dice if other.key not in hand)):
                self._top.change(pushed)

    def clear(self) -> None:
        """Takes all dice off the table."""
        with self._top.lock:
            self._top.change(cleared(self._top.table))

    def put_onto(self, key: str, onto: str) -> None:
        """Puts a die onto another one or its stack."""
        with self._top.lock:
            self._chosen([key, onto])
            self._top.change(virtual_dice.put(self._top.table, key, onto))

    def put_down(self, key: str, x_mm: float, y_mm: float) -> None:
        """Puts a free die down on the table; raises BadInput if another lies there."""
        with self._top.lock:
            self._chosen([key])
            table = virtual_dice.put_down(self._top.table, key, x_mm, y_mm)
            (die,) = (die for die in table.dice if die.key == key)
            if not has_room(die, tuple(other for other in table.dice if other.key != key)):
                raise BadInput(_("There's a die there already. Tap a free place."))
            self._top.change(table)

    def turn(self, key: str) -> None:
        """Turns a die to the next number."""
        with self._top.lock:
            self._chosen([key])
            self._top.change(virtual_dice.turned(self._top.table, key))

    def take_off(self, key: str) -> None:
        """Takes a die and its stack off the table."""
        with self._top.lock:
            self._chosen([key])
            self._top.change(virtual_dice.taken_off(self._top.table, key))

    def collapse(self, key: str) -> None:
        """Knocks over the stack that a die belongs to: its dice land at random."""
        with self._top.lock:
            self._chosen([key])
            fallen = stack_of(self._top.table, key)
            if len(fallen) == 1:
                raise BadInput(_("This die isn't in a stack. Tap a stack."))
            self._throw(fallen, [die for die in self._top.table.dice if die not in fallen])
            keys = [die.key for die in fallen]
            self._stood, self._fell = fallen, tuple(die for die in self._top.table.dice if die.key in keys)

    def rebuild(self) -> None:
        """Builds the stack that was knocked over last, as it stood."""
        with self._top.lock:
            lying = self._top.table.dice
            as_fell = all(die in lying and stack_of(self._top.table, die.key) == (die,) for die in self._fell)
            if not self._fell or not as_fell:
                raise BadInput(_("No stack of dice has fallen. Put dice on top of each other first."))
            others = tuple(die for die in lying if die not in self._fell)
            if not has_room(self._stood[0], others):
                raise BadInput(_("There's a die where the stack was. Push it away first."))
            self._top.change(replace(self._top.table, dice=(*others, *self._stood), throw=None))

    def _of_everybody(self, count: int) -> tuple[TableDie, ...]:
        if not self._top.table.colours:
            raise BadInput(_("No player has dice in their own colour. Start a game that uses them."))
        return tuple(
            TableDie(f"{colour}-{number}", 1, 0.0, 0.0, 0.0, colour)
            for colour in self._top.table.colours
            for number in range(1, count + 1)
        )

    def _in_hand(self, dice: tuple[TableDie, ...]) -> tuple[TableDie, ...]:
        if not 1 <= len(dice) <= MOST_DICE:
            raise BadInput(
                _("You can't roll {count} dice here. Choose 1 to {most_dice}.", count=len(dice), most_dice=MOST_DICE)
            )
        lying = {die.key: die for die in self._top.table.dice}
        return tuple(lying.get(die.key, die) for die in dice)

    def _throw(self, rolled: tuple[TableDie, ...], landed: list[TableDie]) -> None:
        """Lets rolled dice land beside those that lie there already (`landed`)."""
        for die in rolled:
            landed.append(self._landed(die, tuple(landed)))
        order = [die.key for die in (*self._top.table.dice, *rolled)]
        landed.sort(key=lambda die: order.index(die.key))
        self._top.change(thrown(self._top.table, tuple(landed), self._top.clock.now_us()))

    def _chosen(self, keys: list[str] | None) -> frozenset[str]:
        lying = frozenset(die.key for die in self._top.table.dice)
        if keys is None and not lying:
            raise BadInput(_("There are no dice on the table. Choose how many to roll."))
        for key in keys or ():
            if key not in lying:
                raise BadInput(_("There's no die called {key!r} on the table. Reload the page.", key=key))
        return lying if keys is None else frozenset(keys)

    def _landed(self, die: TableDie, others: tuple[TableDie, ...]) -> TableDie:
        """The die with a random value, place and turn, inside the dice zone of the mat and on no other die."""
        far_left, _far_right, near_right, _near_left = mat(MAT).zones_of(Kind.DICE)[0].corners_mm
        (left, far, _high), (right, near, _high) = far_left, near_right
        for _try in range(THROWS):
            landed = replace(
                die,
                value=self._top.random.randint(1, 6),
                x_mm=WIDTH_MM / 2 + self._top.random.uniform(left + EDGE_MM, right - EDGE_MM),
                y_mm=HEIGHT_MM / 2 - self._top.random.uniform(near + EDGE_MM, far - EDGE_MM),
                angle_deg=self._top.random.uniform(0.0, 360.0),
                level=0,
            )
            if has_room(landed, others):
                return landed
        raise BadInput(_("There's no room for another die. Push the dice together, or take some off."))


def white(count: int) -> tuple[TableDie, ...]:
    """`count` white dice, which belong to nobody."""
    return tuple(TableDie(f"die-{number}", 1, 0.0, 0.0, 0.0) for number in range(1, count + 1))


def has_room(die: TableDie, others: tuple[TableDie, ...]) -> bool:
    """Whether no other die is in the way of this one."""
    return all((die.x_mm - other.x_mm) ** 2 + (die.y_mm - other.y_mm) ** 2 >= APART_MM**2 for other in others)
