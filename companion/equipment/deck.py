"""The printed deck: the picture of each card, its stars and its marker (MX-03, MX-07), read from `deck.toml`.

A design is a list of blocks in the order in which they are put down: how each lies, and how far its middle is left or
right of the stack's middle. Each rests on the blocks below it, so none can float or overlap.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib import resources
from types import MappingProxyType
from typing import Any

from companion.errors import IllegalEvent
from companion.game.options import OptionChoice
from companion.game.readings import Kind
from companion.game.seeing import Eyes
from companion.words import N_, _

CARDS = 45  # MX-03
BLOCKS_EACH = 12  # MX-02
MOST_STARS = 5  # SWAPSTAX takes other ratings, too.
STARS = (0, 100)  # A card of any deck has so many (MX-07).


class Deck(StrEnum):
    """The deck on the table (MX-07)."""

    OWN = "own"
    BOUGHT = "bought"


DECK_CHOICES = (
    OptionChoice(Deck.OWN, N_("Our printed cards")),
    OptionChoice(Deck.BOUGHT, N_("The cards from the shop")),
)


class Way(StrEnum):
    """The orientation of a block: its upright edge, and whether its longer level edge runs across (x) or away (y)."""

    FLAT_X = "flat_x"
    FLAT_Y = "flat_y"
    EDGE_X = "edge_x"
    EDGE_Y = "edge_y"
    UP_X = "up_x"
    UP_Y = "up_y"


# (across, upright, away) are places in (long, middle, short).
EDGES: Mapping[Way, tuple[int, int, int]] = {
    Way.FLAT_X: (0, 2, 1),
    Way.FLAT_Y: (1, 2, 0),
    Way.EDGE_X: (0, 1, 2),
    Way.EDGE_Y: (2, 1, 0),
    Way.UP_X: (1, 0, 2),
    Way.UP_Y: (2, 0, 1),
}


TONES: Mapping[Way, int] = {Way.FLAT_X: 1, Way.FLAT_Y: 2, Way.EDGE_X: 2, Way.EDGE_Y: 3, Way.UP_X: 3, Way.UP_Y: 1}


@dataclass(frozen=True)
class Block:
    """One block seen from the front: `bottom_mm` from the table, `left_mm` from the stack's middle."""

    way: Way
    left_mm: float
    bottom_mm: float
    width_mm: float
    height_mm: float

    @property
    def right_mm(self) -> float:
        return self.left_mm + self.width_mm

    @property
    def top_mm(self) -> float:
        return self.bottom_mm + self.height_mm

    @property
    def tone(self) -> int:
        """1, 2 or 3: pictures draw blocks in different orientations differently."""
        return TONES[self.way]

    def covers(self, other: "Block") -> bool:
        return self.left_mm < other.right_mm and other.left_mm < self.right_mm


@dataclass(frozen=True)
class Card:
    """One Stacker card: its picture is `blocks`, in the order in which they can be built."""

    number: int
    name: str
    stars: int
    marker: int
    blocks: tuple[Block, ...]

    @property
    def width_mm(self) -> float:
        return max(block.right_mm for block in self.blocks) - self.left_mm

    @property
    def height_mm(self) -> float:
        return max(block.top_mm for block in self.blocks)

    @property
    def left_mm(self) -> float:
        """The leftmost side, from the stack's middle."""
        return min(block.left_mm for block in self.blocks)


@dataclass(frozen=True)
class Cards:
    """A whole deck: the size of its blocks, the dictionary of its markers, its cards by number."""

    block_mm: tuple[float, float, float]
    marker_dictionary: str
    cards: Mapping[int, Card]


def blocks_of(design: str, block_mm: tuple[float, float, float]) -> tuple[Block, ...]:
    """The blocks of a design such as "up_y -15, up_y 15, flat_x 0"; raises ValueError if it has another form."""
    blocks: list[Block] = []
    for part in design.split(","):
        way, middle = part.split()
        across, upright, _ = EDGES[Way(way)]
        width, height = block_mm[across], block_mm[upright]
        blocks.append(put_down(Block(Way(way), float(middle) - width / 2, 0.0, width, height), blocks))
    return tuple(blocks)


def put_down(block: Block, below: Iterable[Block]) -> Block:
    """The block on top of the highest block below it, or on the table."""
    return replace(block, bottom_mm=max((other.top_mm for other in below if other.covers(block)), default=0.0))


def parse_deck(text: str) -> Cards:
    """The deck described by the text of a TOML file; raises ValueError that names the wrong card."""
    data = tomllib.loads(text)
    long, middle, short = data["block_mm"]
    if not long > middle > short > 0:
        raise ValueError("block_mm gives the long, the middle and the short edge")
    cards = {entry["number"]: _card(entry, (long, middle, short)) for entry in data["cards"]}
    if sorted(cards) != list(range(1, CARDS + 1)) or len(data["cards"]) != CARDS:
        raise ValueError(f"the cards are numbered 1 to {CARDS}, each once")
    if len({card.marker for card in cards.values()}) != CARDS:
        raise ValueError("two cards have the same marker")
    return Cards((long, middle, short), data["marker_dictionary"], MappingProxyType(cards))


def _card(entry: Mapping[str, Any], block_mm: tuple[float, float, float]) -> Card:
    blocks = blocks_of(entry["stack"], block_mm)
    if not 1 <= len(blocks) <= BLOCKS_EACH:
        raise ValueError(f"card {entry['number']} needs 1 to {BLOCKS_EACH} blocks")
    if not 1 <= entry["stars"] <= MOST_STARS:
        raise ValueError(f"card {entry['number']} has 1 to {MOST_STARS} stars")
    return Card(entry["number"], entry["name"], entry["stars"], entry["marker"], blocks)


OWN_DECK = parse_deck(resources.files(__package__).joinpath("deck.toml").read_text(encoding="utf-8"))


def in_play(subset: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers of the cards in play (MX-06)."""
    return subset or tuple(range(1, CARDS + 1))


def check_subset(subset: tuple[int, ...], least: int, title: str) -> None:
    """Raises IllegalEvent if the table may not play with this part of the deck (MX-06)."""
    if len(set(subset)) != len(subset) or not all(1 <= card <= CARDS for card in subset):
        raise IllegalEvent(_("Cards are numbered 1 to {cards}. List each card in play once.", cards=CARDS))
    if subset and len(subset) < least:
        raise IllegalEvent(_("{title} needs at least {least} cards. Choose more.", title=title, least=least))


def cards_with_stars(stars: Iterable[int]) -> tuple[int, ...]:
    """The numbers of our own cards that have one of these numbers of stars."""
    wanted = frozenset(stars)
    return tuple(number for number, card in OWN_DECK.cards.items() if card.stars in wanted)


def card_eyes(deck: Deck, subset: tuple[int, ...] = ()) -> Eyes:
    """The request to read the card on the card spot, of our own deck or of the bought one shown to the camera."""
    if deck is Deck.OWN:
        return Eyes(above=Kind.CARD)
    return Eyes(above=Kind.CARD, knows={"deck": str(deck), "cards_in_play": list(in_play(subset))})
