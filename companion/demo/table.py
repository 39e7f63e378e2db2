"""The demo's physical table, moved by the page `/table`: dice to roll and stack, blocks, and the button box's panel.

It stands for wood, plastic and fingers. The game learns of it only through the virtual camera's pictures and the
box's pins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random, SystemRandom
from typing import Any

from companion.changes import Live
from companion.clock import Clock
from companion.demo import boxes as virtual_boxes
from companion.demo.blocks import Blocks
from companion.demo.button_box import Buttons, Panel
from companion.demo.hands import Dice
from companion.demo.loading import Boxes
from companion.demo.pieces import Pieces
from companion.demo.tabletop import Tabletop
from companion.demo.things import BOARD_N, VirtualTable
from companion.equipment.deck import CARDS, OWN_DECK, Deck
from companion.errors import BadInput
from companion.game.readings import Kind as ReadingKind
from companion.game.seeing import Eyes
from companion.words import _

CARDS_MAT = "towers"  # This mat has a card spot.


class DemoTable:
    """The table of `--demo`, with an object for each kind of thing on it. Thread-safe."""

    def __init__(
        self, clock: Clock, live: Live | None = None, panel: Panel | None = None, random: Random | None = None
    ) -> None:
        self.top = top = Tabletop(clock, live, random or SystemRandom())
        self.dice = Dice(top)
        self.pieces = Pieces(top)
        self.boxes = Boxes(top)
        self.blocks = Blocks(top)
        self.buttons = Buttons(panel)
        self._truck_cards: Sequence[Mapping[str, Any]] = ()
        self._begins = False  # A game has become active, and nothing was laid for it yet.

    def snapshot(self) -> VirtualTable:
        """The table as it is now."""
        with self.top.lock:
            return self.top.table

    def lay_card(self, number: int | None) -> None:
        """Lays a card on the card spot in place of the one there; None only takes that away. Raises BadInput."""
        if number is not None and number not in OWN_DECK.cards:
            raise BadInput(_("The deck has no card {number}. Choose 1 to {most}.", number=number, most=CARDS))
        with self.top.lock:
            if self.top.table.mat != CARDS_MAT:
                raise BadInput(_("There's no spot for a card on the table. It appears when a game needs a card."))
            self.top.change(replace(self.top.table, card=number))

    def put_away(self) -> None:
        """Puts the things of the last game away; mat, board and truck cards stay until others are laid."""
        with self.top.lock:
            self.blocks.put_away()
            self._begins = True
            self.top.change(replace(self.top.table, dice=(), throw=None, pieces=(), boxes=(), stacks=(), card=None))

    def prepare(self, eyes: Eyes) -> None:
        """Lays the mat, the board or the truck cards that the cameras look for, and puts other things away.

        The references that stacks are compared with also say what the demo builds.
        """
        with self.top.lock:
            begins, self._begins = self._begins, False
            self.blocks.references = eyes.knows.get("references", {})
            match eyes.above:
                case None if begins:
                    self._lay(VirtualTable())
                case ReadingKind.BOARD:
                    self._lay(replace(VirtualTable(), mat="board", board_n=int(eyes.knows.get("board_n", BOARD_N))))
                case ReadingKind.CARD:
                    self._lay(replace(VirtualTable(), mat=CARDS_MAT, bought_deck=eyes.knows.get("deck") == Deck.BOUGHT))
                case ReadingKind.LOAD:
                    cards, self._truck_cards = self._truck_cards, eyes.knows.get("truck_cards", ())
                    before = VirtualTable()
                    if virtual_boxes.is_same_round(cards, self._truck_cards):
                        before = replace(before, trucks=self.top.table.trucks, boxes=self.top.table.boxes)
                    self._lay(virtual_boxes.with_cards(before, self._truck_cards))
                case ReadingKind.DICE | ReadingKind.STACKS:
                    self._lay(replace(VirtualTable(), colours=tuple(eyes.knows.get("players_colours", ()))))

    def _lay(self, bare: VirtualTable) -> None:
        now = self.top.table
        if laid(now) != laid(bare):
            self.top.change(replace(bare, stacks=now.stacks))


def laid(table: VirtualTable) -> tuple[object, ...]:
    """The parts of a table that are laid for a game before anybody plays."""
    return table.mat, table.board_n, table.trucks, table.colours, table.bought_deck
