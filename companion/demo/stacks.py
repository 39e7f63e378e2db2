"""The demo's stacks of blocks: as a card shows them, built freely, with one block wrong, or fallen. Plain values only.

The spaces are side by side as the camera at table height sees them, space 1, of seat 1, on the left. x runs right, y
away from that camera, both from the middle of the stack's own space.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from random import Random

from companion.equipment.deck import BLOCKS_EACH, EDGES, OWN_DECK, Block, Card, Way, put_down
from companion.equipment.statics import stands
from companion.errors import BadInput
from companion.words import N_, _, number

BLOCK_MM = OWN_DECK.block_mm
SPACES = 4  # The camera shows so many; seats further round the table build out of its sight.
SPACE_MM = 145.0  # The widest card has room in a space.
HIGHEST_MM = 270.0  # The highest card has six blocks upright.
BESIDE_MM = 10.0  # A block that was put down wrongly is so far off.
FREE_CARD = 12  # This stack of medium difficulty is built when no card is given.
# Each layer of a heap has blocks with these x, y and turn, and is closer to the middle by a factor.
HEAP = ((-46.0, -24.0, 20.0), (2.0, -32.0, 74.0), (47.0, -20.0, -31.0), (-24.0, 24.0, -58.0), (30.0, 26.0, 8.0))
HEAP_TAPERS = 0.55
WAY_OF_SIDES = {tuple(BLOCK_MM[edge] for edge in edges): way for way, edges in EDGES.items()}
WAY_NAMES: Mapping[Way, str] = {
    Way.FLAT_X: N_("flat, long side in front"),
    Way.FLAT_Y: N_("flat, short side in front"),
    Way.EDGE_X: N_("on edge, long side in front"),
    Way.EDGE_Y: N_("on edge, short side in front"),
    Way.UP_X: N_("upright, wide side in front"),
    Way.UP_Y: N_("upright, narrow side in front"),
}


@dataclass(frozen=True)
class TableBlock:
    """A block of wood: its size as it lies, its middle, the height of its foot, its turn about the vertical."""

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
    """The whole stack to build.

    reference   {"card": number}, or {"space": the space whose stack is copied}, or empty

    Raises BadInput if there is no stack to copy.
    """
    if "space" in reference:
        model = stacks[reference["space"] - 1]
        if not model.blocks or not model.standing:
            raise BadInput(_("There's no stack in space {space} to copy. Build it first.", space=reference["space"]))
        return model.blocks
    return as_shown(OWN_DECK.cards[reference.get("card", FREE_CARD)])


def as_shown(card: Card) -> tuple[TableBlock, ...]:
    """The blocks of a card, centred in the space."""
    middle_mm = card.left_mm + card.width_mm / 2
    return tuple(
        replace(laid(block.way, block.left_mm + block.width_mm / 2 - middle_mm), foot_mm=block.bottom_mm)
        for block in card.blocks
    )


def laid(way: Way, x_mm: float) -> TableBlock:
    """A block that lies on the table in this way, its middle at `x_mm`."""
    across, upright, away = EDGES[way]
    return TableBlock(BLOCK_MM[across], BLOCK_MM[away], BLOCK_MM[upright], x_mm)


def from_front(block: TableBlock) -> Block:
    """A block of a standing stack, as the camera at table height sees it."""
    way = WAY_OF_SIDES[block.across_mm, block.upright_mm, block.away_mm]
    return Block(way, block.x_mm - block.across_mm / 2, block.foot_mm, block.across_mm, block.upright_mm)


def with_next(stack: TableStack, whole: tuple[TableBlock, ...]) -> TableStack:
    """The stack with the next block of a design. If the stack differs from the design, the block comes to rest as it
    can.
    """
    count = len(stack.blocks)
    if stack.blocks == whole[:count]:
        return TableStack(whole[: count + 1])
    return let_down(stack, whole[count]) if count < len(whole) else stack


def let_down(stack: TableStack, block: TableBlock) -> TableStack:
    """The stack with one more block, at rest on the highest block below it; a stack that cannot bear it falls.

    Raises BadInput if all blocks are used, and if the block would leave its space or be too high.
    """
    if len(stack.blocks) == BLOCKS_EACH:
        raise BadInput(_("All {n} blocks are in this stack. Take one off first.", n=BLOCKS_EACH))
    most_mm = (SPACE_MM - block.across_mm) / 2
    if not -most_mm <= block.x_mm <= most_mm:
        most = number(most_mm, 1)
        raise BadInput(_("The block would leave its space. Put it at most {most} mm from the middle.", most=most))
    standing = [from_front(lower) for lower in stack.blocks]
    resting = put_down(from_front(block), standing)
    if resting.top_mm > HIGHEST_MM:
        raise BadInput(
            _("A stack here can be {most} mm high at most. Put the block somewhere lower.", most=number(HIGHEST_MM))
        )
    higher = TableStack((*stack.blocks, replace(block, foot_mm=resting.bottom_mm)))
    return higher if stands([*standing, resting], margin_mm=0) else fallen(higher)


def without_last(stack: TableStack) -> TableStack:
    """The stack without its last block; raises BadInput if there is none."""
    if not stack.blocks:
        raise BadInput(_("There's no stack there. Build one first."))
    return replace(stack, blocks=stack.blocks[:-1])


def with_one_wrong(stack: TableStack, random: Random) -> TableStack:
    """The stack with its last block turned by a quarter or moved sideways; raises BadInput if no stack stands."""
    if not stack.blocks or not stack.standing:
        raise BadInput(_("There's no stack there. Build one first."))
    *below, last = stack.blocks
    turned = replace(last, across_mm=last.away_mm, away_mm=last.across_mm)
    beside = replace(last, x_mm=last.x_mm + random.choice((-BESIDE_MM, BESIDE_MM)))
    return replace(stack, blocks=(*below, random.choice((turned, beside))))


def fallen(stack: TableStack) -> TableStack:
    """The same blocks as a heap."""
    flat = (BLOCK_MM[0], BLOCK_MM[1], BLOCK_MM[2])
    heap = []
    for index, (x_mm, y_mm, turn_deg) in enumerate(islice(cycle(HEAP), len(stack.blocks))):
        layer = index // len(HEAP)
        closer = HEAP_TAPERS**layer
        heap.append(TableBlock(*flat, x_mm * closer, y_mm * closer, layer * BLOCK_MM[2], turn_deg + 40.0 * layer))
    return TableStack(tuple(heap), standing=False)
