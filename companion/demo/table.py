"""The demo's physical table, moved by the page `/table`: dice to roll and stack, blocks, and the button box's panel.

It stands for wood, plastic and fingers. What it knows reaches the game through the virtual camera's pictures and the
box's pins alone.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random, SystemRandom
from typing import Any, Protocol

from companion.changes import Live
from companion.clock import Clock
from companion.demo import board as virtual_board
from companion.demo import boxes as virtual_boxes
from companion.demo import dice as virtual_dice
from companion.demo import stacks as virtual_stacks
from companion.demo.stacks import EMPTY, SPACES, TableStack
from companion.demo.things import (
    BOARD_N,
    DIE_MM,
    HEIGHT_MM,
    MAT,
    PIECE_COLOURS,
    WIDTH_MM,
    TableDie,
    VirtualTable,
    cleared,
    moved,
    stack_of,
    thrown,
)
from companion.equipment.deck import CARDS, OWN_DECK, Deck, Way
from companion.equipment.mat import Kind, mat
from companion.errors import BadInput
from companion.game.readings import Kind as ReadingKind
from companion.game.seeing import Eyes
from companion.words import _

CARDS_MAT = "towers"  # that has a card spot
MOST_DICE = 56  # those of four players of Stack
THROWS = 5000  # so often a place is looked for; more dice than that leaves room for lie in each other's way
APART_MM = 22.0  # between centres: two dice of 16 mm that lie corner to corner just touch at 22.6
EDGE_MM = DIE_MM  # dice land so far inside their place on the mat
SEATS = range(1, 9)


@dataclass(frozen=True)
class BoxState:
    """What can be seen and heard of the button box.

    leds        (name, brightness 0..1, whether it is blinking); one that blinks has the brightness of its lit moments
    tone_hz     what the buzzer plays, None for silence
    buttons     the names of all buttons; `pressed` those that are down
    """

    leds: tuple[tuple[str, float, bool], ...]
    tone_hz: float | None
    buttons: tuple[str, ...]
    pressed: tuple[str, ...] = ()


class Panel(Protocol):
    """Fingers and eyes for a simulated box; the firmware has one."""

    def press(self, name: str) -> None:
        """A finger pushes the button down."""
        ...

    def release(self, name: str) -> None:
        """The finger lets it go."""
        ...

    def state(self) -> BoxState:
        """What can be seen and heard."""
        ...


class DemoTable:
    """The table of `--demo`. Safe from several threads.

    `on_change` hears of every change to the dice, and those who listen to the topic "table" of every change at all.
    """

    def __init__(
        self, clock: Clock, live: Live | None = None, panel: Panel | None = None, random: Random | None = None
    ) -> None:
        self.panel = panel
        self.on_change: Callable[[VirtualTable], None] = lambda _table: None
        self._clock = clock
        self._live = live
        self._random = random or SystemRandom()
        self._lock = threading.RLock()
        self._table = VirtualTable()
        self._stacks = dict.fromkeys(SEATS, EMPTY)
        self._stood: tuple[TableDie, ...] = ()  # the last stack of dice that was knocked over, as it stood
        self._fell: tuple[TableDie, ...] = ()  # and as they fell
        self._references: Mapping[str, Mapping[str, int]] = {}  # seat → what its stack is to be like
        self._cards: Sequence[Mapping[str, Any]] = ()  # the trucks that a game last told of
        self._begins = False  # a game has taken the table, and nothing was laid for it yet

    def snapshot(self) -> VirtualTable:
        """The table as it is."""
        with self._lock:
            return self._table

    # dice

    def roll(self, keys: list[str] | None = None, count: int | None = None, each: int | None = None) -> None:
        """Throws the dice named by `keys`, or `count` dice or `each` of every player's own after all others were picked
        up, or all that lie there.
        """
        with self._lock:
            if count is not None:
                rolled, others = self._in_hand(white(count)), list[TableDie]()
            elif each is not None:
                rolled, others = self._in_hand(self._of_everybody(each)), []
            else:
                chosen = self._chosen(keys)
                for key in keys or ():
                    virtual_dice.free(self._table, key)
                rolled = tuple(die for die in self._table.dice if die.key in chosen)
                others = [die for die in self._table.dice if die.key not in chosen]
            self._throw(rolled, others)

    def move(self, key: str, x_mm: float, y_mm: float) -> None:
        """Pushes one die elsewhere, or the stack that it belongs to; against another die it stays where it was."""
        with self._lock:
            self._chosen([key])
            pushed = moved(self._table, key, x_mm, y_mm)
            hand = frozenset(die.key for die in stack_of(self._table, key))
            (die,) = (die for die in pushed.dice if die.key == key)
            if has_room(die, tuple(other for other in pushed.dice if other.key not in hand)):
                self._change(pushed)

    def clear(self) -> None:
        """Takes all dice off the table."""
        with self._lock:
            self._change(cleared(self._table))

    def put_onto(self, key: str, onto: str) -> None:
        """Puts a die onto another one or its stack."""
        with self._lock:
            self._chosen([key, onto])
            self._change(virtual_dice.put(self._table, key, onto))

    def put_down(self, key: str, x_mm: float, y_mm: float) -> None:
        """Takes the top die off its stack, or a single die, and puts it down where no other lies."""
        with self._lock:
            self._chosen([key])
            table = virtual_dice.put_down(self._table, key, x_mm, y_mm)
            (die,) = (die for die in table.dice if die.key == key)
            if not has_room(die, tuple(other for other in table.dice if other.key != key)):
                raise BadInput(_("Another die lies there: tap a place that is free."))
            self._change(table)

    def turn(self, key: str) -> None:
        """Turns a die to the next number."""
        with self._lock:
            self._chosen([key])
            self._change(virtual_dice.turned(self._table, key))

    def take_off(self, key: str) -> None:
        """Takes a die off the table with the stack that it belongs to."""
        with self._lock:
            self._chosen([key])
            self._change(virtual_dice.taken_off(self._table, key))

    def collapse(self, key: str) -> None:
        """Knocks over the stack that a die belongs to: its dice fall as they will."""
        with self._lock:
            self._chosen([key])
            fallen = stack_of(self._table, key)
            if len(fallen) == 1:
                raise BadInput(_("This die stands alone: tap a stack."))
            self._throw(fallen, [die for die in self._table.dice if die not in fallen])
            keys = [die.key for die in fallen]
            self._stood, self._fell = fallen, tuple(die for die in self._table.dice if die.key in keys)

    def rebuild(self) -> None:
        """Builds the stack that was knocked over last, as it stood."""
        with self._lock:
            lying = self._table.dice
            as_fell = all(die in lying and stack_of(self._table, die.key) == (die,) for die in self._fell)
            if not self._fell or not as_fell:
                raise BadInput(_("No dice lie as a stack of them fell: put them onto each other."))
            others = tuple(die for die in lying if die not in self._fell)
            if not has_room(self._stood[0], others):
                raise BadInput(_("Another die lies where the stack stood: push it away first."))
            self._change(replace(self._table, dice=(*others, *self._stood), throw=None))

    def _of_everybody(self, each: int) -> tuple[TableDie, ...]:
        if not self._table.colours:
            raise BadInput(_("No player has dice of a colour: start a game that is played so."))
        return tuple(
            TableDie(f"{colour}-{number}", 1, 0.0, 0.0, 0.0, colour)
            for colour in self._table.colours
            for number in range(1, each + 1)
        )

    def _in_hand(self, dice: tuple[TableDie, ...]) -> tuple[TableDie, ...]:
        if not 1 <= len(dice) <= MOST_DICE:
            raise BadInput(
                _("{count} dice cannot be rolled here: take 1 to {most_dice}.", count=len(dice), most_dice=MOST_DICE)
            )
        lying = {die.key: die for die in self._table.dice}
        return tuple(lying.get(die.key, die) for die in dice)

    def _throw(self, rolled: tuple[TableDie, ...], landed: list[TableDie]) -> None:
        """Dice of a hand land beside those that lie there."""
        for die in rolled:
            landed.append(self._landed(die, tuple(landed)))
        order = [die.key for die in (*self._table.dice, *rolled)]
        landed.sort(key=lambda die: order.index(die.key))
        self._change(thrown(self._table, tuple(landed), self._clock.now_us()))

    def _chosen(self, keys: list[str] | None) -> frozenset[str]:
        lying = frozenset(die.key for die in self._table.dice)
        if keys is None and not lying:
            raise BadInput(_("No dice lie on the table: say how many to roll."))
        for key in keys or ():
            if key not in lying:
                raise BadInput(_("No die called {key!r} lies on the table: load the page again.", key=key))
        return lying if keys is None else frozenset(keys)

    def _landed(self, die: TableDie, others: tuple[TableDie, ...]) -> TableDie:
        """The die with a value, a place and a turn by chance, where dice belong on the mat and on top of no other."""
        far_left, _far_right, near_right, _near_left = mat(MAT).zones_of(Kind.DICE)[0].corners_mm
        (left, far, _high), (right, near, _high) = far_left, near_right
        for _try in range(THROWS):
            landed = replace(
                die,
                value=self._random.randint(1, 6),
                x_mm=WIDTH_MM / 2 + self._random.uniform(left + EDGE_MM, right - EDGE_MM),
                y_mm=HEIGHT_MM / 2 - self._random.uniform(near + EDGE_MM, far - EDGE_MM),
                angle_deg=self._random.uniform(0.0, 360.0),
                level=0,
            )
            if has_room(landed, others):
                return landed
        raise BadInput(_("No room is left for another die: push those that lie there together, or take some off."))

    # what a game needs on its table

    def put_away(self) -> None:
        """Nothing of the last game lies there any more; mat, board and truck cards stay until the next are laid."""
        with self._lock:
            self._stacks = dict.fromkeys(SEATS, EMPTY)
            self._begins = True
            self._change(replace(self._table, dice=(), throw=None, pieces=(), boxes=(), stacks=(), card=None))

    def prepare(self, eyes: Eyes) -> None:
        """Lays the mat, the board or the truck cards that the cameras look for; what lay elsewhere is put away.

        What the stacks are compared with is what the demo's fingers build.
        """
        with self._lock:
            begins, self._begins = self._begins, False
            self._references = eyes.knows.get("references", {})
            match eyes.above:
                case None if begins:
                    self._lay(VirtualTable())
                case ReadingKind.BOARD:
                    self._lay(replace(VirtualTable(), mat="board", board_n=int(eyes.knows.get("board_n", BOARD_N))))
                case ReadingKind.CARD:
                    self._lay(replace(VirtualTable(), mat=CARDS_MAT, bought_deck=eyes.knows.get("deck") == Deck.BOUGHT))
                case ReadingKind.LOAD:
                    cards, self._cards = self._cards, eyes.knows.get("truck_cards", ())
                    before = VirtualTable()
                    if virtual_boxes.is_same_round(cards, self._cards):
                        before = replace(before, trucks=self._table.trucks, boxes=self._table.boxes)
                    self._lay(virtual_boxes.with_cards(before, self._cards))
                case ReadingKind.DICE | ReadingKind.STACKS:
                    self._lay(replace(VirtualTable(), colours=tuple(eyes.knows.get("players_colours", ()))))

    def _lay(self, bare: VirtualTable) -> None:
        now = self._table
        if laid(now) != laid(bare):
            self._change(replace(bare, stacks=now.stacks))

    # pieces and boxes

    def put(self, row: int, column: int, colour: str) -> None:
        """Puts a piece on a square of the board."""
        if colour not in PIECE_COLOURS:
            raise BadInput(_("There are no such pieces: choose one of {names}.", names=", ".join(PIECE_COLOURS)))
        with self._lock:
            self._change(virtual_board.put(self._board(), row, column, colour))

    def take(self, row: int, column: int) -> None:
        """Takes the top piece of a square away."""
        with self._lock:
            self._change(virtual_board.take(self._board(), row, column))

    def tip(self, row: int, column: int, first: int) -> None:
        """Tips the upper four pieces of a square over, the lowest of them to side `first`, then clockwise."""
        with self._lock:
            self._change(virtual_board.tip(self._board(), row, column, first))

    def _board(self) -> VirtualTable:
        if self._table.mat != "board":
            raise BadInput(_("No board lies on the table: start a game that has one."))
        return self._table

    def deal(self, counts: Sequence[int]) -> None:
        """Lays so many boxes of each size, smallest first, beside the trucks, in place of those that lie there."""
        with self._lock:
            self._change(virtual_boxes.dealt(self._trucks(), counts))

    def load(self, size: int, truck: int, row: int, column: int, along: str) -> None:
        """Puts a box onto a truck."""
        with self._lock:
            self._change(virtual_boxes.loaded(self._trucks(), size, truck, row, column, along))

    def unload(self, truck: int, row: int, column: int) -> None:
        """Takes the upper box of a truck's square back."""
        with self._lock:
            self._change(virtual_boxes.taken_back(self._trucks(), truck, row, column))

    def _trucks(self) -> VirtualTable:
        if self._table.mat != virtual_boxes.LOADS_MAT:
            raise BadInput(_("No trucks lie on the table: they come when players load."))
        return self._table

    # a card

    def lay_card(self, number: int | None) -> None:
        """Lays a card on the card spot in place of the one that lies there; None takes that away."""
        if number is not None and number not in OWN_DECK.cards:
            raise BadInput(_("The deck has no card {number}: choose 1 to {most}.", number=number, most=CARDS))
        with self._lock:
            if self._table.mat != CARDS_MAT:
                raise BadInput(_("No card spot lies on the table: it comes when a game wants a card."))
            self._change(replace(self._table, card=number))

    # stacks

    def stack(self, seat: int) -> TableStack:
        """The stack of a seat."""
        with self._lock:
            return self._stacks[checked_seat(seat)]

    def build(self, seat: int) -> None:
        """Puts the next block on a seat's stack."""
        with self._lock:
            self._set_stack(seat, virtual_stacks.with_next(self._standing(seat), self._design(seat)))

    def put_block(self, seat: int, way: str, x_mm: float) -> None:
        """Puts a block on a seat's stack as somebody likes, its middle so far right of the space's; it may fall."""
        if way not in tuple(Way):
            raise BadInput(_("A block cannot lie in this way: choose one of {names}.", names=", ".join(Way)))
        with self._lock:
            block = virtual_stacks.laid(Way(way), x_mm)
            self._set_stack(seat, virtual_stacks.let_down(self._standing(seat), block))

    def take_block_off(self, seat: int) -> None:
        """Takes the last block off a seat's stack."""
        with self._lock:
            self._set_stack(seat, virtual_stacks.without_last(self._standing(seat)))

    def finish(self, seat: int) -> None:
        """Builds the whole stack of a seat, as its card or the stack it copies shows it."""
        with self._lock:
            self._set_stack(seat, TableStack(self._design(checked_seat(seat))))

    def build_wrong(self, seat: int) -> None:
        """The last block of a seat's stack lies as nobody meant it."""
        with self._lock:
            self._set_stack(seat, virtual_stacks.with_one_wrong(self.stack(seat), self._random))

    def knock_over(self, seat: int) -> None:
        """A seat's stack falls."""
        with self._lock:
            self._set_stack(seat, virtual_stacks.fallen(self.stack(seat)))

    def take_apart(self, seat: int) -> None:
        """A seat's blocks lie loose again."""
        with self._lock:
            self._set_stack(checked_seat(seat), EMPTY)

    def _standing(self, seat: int) -> TableStack:
        stack = self.stack(seat)
        if not stack.standing:
            raise BadInput(_("The stack of seat {seat} has fallen: take it apart first.", seat=seat))
        return stack

    def _design(self, seat: int) -> tuple[virtual_stacks.TableBlock, ...]:
        return virtual_stacks.design(self._references.get(str(seat), {}), list(self._stacks.values()))

    def _set_stack(self, seat: int, stack: TableStack) -> None:
        self._stacks[seat] = stack
        seen = tuple(self._stacks[each] for each in range(1, SPACES + 1))
        if seen != self._table.stacks:
            self._change(replace(self._table, stacks=seen))
        else:
            self._publish()

    # the button box

    def press(self, name: str) -> None:
        """A finger pushes a button of the box down."""
        self._fingers().press(name)

    def release(self, name: str) -> None:
        """The finger lets it go."""
        self._fingers().release(name)

    def box_state(self) -> BoxState:
        """What can be seen and heard of the box."""
        return self._fingers().state()

    def _fingers(self) -> Panel:
        if self.panel is None:
            raise BadInput(_("This table has no simulated button box: press the real one."))
        return self.panel

    def _change(self, table: VirtualTable) -> None:
        self._table = table
        self.on_change(table)
        self._publish()

    def _publish(self) -> None:
        if self._live is not None:
            self._live.publish("table")


def white(count: int) -> tuple[TableDie, ...]:
    """So many dice that belong to nobody."""
    return tuple(TableDie(f"die-{number}", 1, 0.0, 0.0, 0.0) for number in range(1, count + 1))


def laid(table: VirtualTable) -> tuple[object, ...]:
    """What a game needs of a table before anybody plays."""
    return table.mat, table.board_n, table.trucks, table.colours, table.bought_deck


def has_room(die: TableDie, others: tuple[TableDie, ...]) -> bool:
    """No other die is where this one lies."""
    return all((die.x_mm - other.x_mm) ** 2 + (die.y_mm - other.y_mm) ** 2 >= APART_MM**2 for other in others)


def checked_seat(seat: int) -> int:
    """`seat`, when the table has it."""
    if seat not in SEATS:
        raise BadInput(
            _("The table has no seat {seat}: choose {seats} to {seats2}.", seat=seat, seats=SEATS[0], seats2=SEATS[-1])
        )
    return seat
