"""The demo's stacks of blocks: built as a card shows them, with one block wrong, or fallen. Plain values only.

The spaces stand side by side as the camera at table height sees them, space 1 on the left; seat 1 builds there. x runs
right, y away from that camera, both from the middle of the stack's own space.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from random import Random

from companion.errors import BadInput
from companion.games.maxstax.deck import EDGES, OWN_DECK, Card
from companion.words import _

BLOCK_MM = OWN_DECK.block_mm
SPACES = 4  # before the camera; who sits further round the table builds out of its sight
SPACE_MM = 145.0  # from one space to the next: the widest card has room
BESIDE_MM = 10.0  # of a block that was put down wrong
FREE_CARD = 12  # what is built where no card says what: a stack of middling difficulty
# where the blocks of a heap lie, one layer like the other: x, y and turn
HEAP = ((-46.0, -24.0, 20.0), (2.0, -32.0, 74.0), (47.0, -20.0, -31.0), (-24.0, 24.0, -58.0), (30.0, 26.0, 8.0))
HEAP_TAPERS = 0.55  # each layer lies closer to the middle


@dataclass(frozen=True)
class TableBlock:
    """A block of wood: its size as it lies, its middle, how high its foot is, its turn about the upright."""

    across_mm: float
    away_mm: float
    upright_mm: float
    x_mm: float
    y_mm: float = 0.0
    foot_mm: float = 0.0
    turn_deg: float = 0.0


@dataclass(frozen=True)
class TableStack:
    """The blocks of a space in the order in which they were put down, and whether they stand or have fallen."""

    blocks: tuple[TableBlock, ...] = ()
    standing: bool = True


EMPTY = TableStack()


def design(reference: Mapping[str, int], stacks: Sequence[TableStack]) -> tuple[TableBlock, ...]:
    """The whole stack that is to be built: {"card": number}, {"space": whose stack}, or nothing of either."""
    if "space" in reference:
        model = stacks[reference["space"] - 1]
        if not model.blocks or not model.standing:
            raise BadInput(
                _("No stack stands in space {space} to be copied: build it first.", space=reference["space"])
            )
        return model.blocks
    return as_shown(OWN_DECK.cards[reference.get("card", FREE_CARD)])


def as_shown(card: Card) -> tuple[TableBlock, ...]:
    """The blocks of a card, its middle in the middle of the space."""
    middle_mm = card.left_mm + card.width_mm / 2
    return tuple(
        TableBlock(
            across_mm=block.width_mm,
            away_mm=BLOCK_MM[EDGES[block.way][2]],
            upright_mm=block.height_mm,
            x_mm=block.left_mm + block.width_mm / 2 - middle_mm,
            foot_mm=block.bottom_mm,
        )
        for block in card.blocks
    )


def with_one_wrong(stack: TableStack, random: Random) -> TableStack:
    """The last block is turned by a quarter, or lies beside its place."""
    if not stack.blocks or not stack.standing:
        raise BadInput(_("No stack stands there: build one first."))
    *below, last = stack.blocks
    turned = replace(last, across_mm=last.away_mm, away_mm=last.across_mm)
    beside = replace(last, x_mm=last.x_mm + random.choice((-BESIDE_MM, BESIDE_MM)))
    return replace(stack, blocks=(*below, random.choice((turned, beside))))


def fallen(stack: TableStack) -> TableStack:
    """The same blocks in a heap."""
    flat = (BLOCK_MM[0], BLOCK_MM[1], BLOCK_MM[2])
    heap = []
    for number, (x_mm, y_mm, turn_deg) in enumerate(islice(cycle(HEAP), len(stack.blocks))):
        layer = number // len(HEAP)
        closer = HEAP_TAPERS**layer
        heap.append(TableBlock(*flat, x_mm * closer, y_mm * closer, layer * BLOCK_MM[2], turn_deg + 40.0 * layer))
    return TableStack(tuple(heap), standing=False)
