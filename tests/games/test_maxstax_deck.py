"""The deck of our own design: every card can be built with one player's blocks, and no two look alike."""

import re
from collections import Counter

import cv2
import numpy as np
import pytest

from companion.equipment import deck, statics
from companion.equipment.deck import BLOCKS_EACH, OWN_DECK, Block, Way, blocks_of
from companion.errors import IllegalEvent
from companion.printing import stacker_cards
from companion.printing.sheets import pages

CARDS = OWN_DECK.cards.values()
EVERY_CARD = pytest.mark.parametrize("card", CARDS, ids=[f"{card.number}-{card.name}" for card in CARDS])
SIZE = OWN_DECK.block_mm
PX_PER_MM = 10


def outline(blocks, mirrored=False):
    """Where the blocks are, wherever the stack stands."""
    left = min(-block.right_mm if mirrored else block.left_mm for block in blocks)
    return frozenset(
        ((-block.right_mm if mirrored else block.left_mm) - left, block.bottom_mm, block.width_mm, block.height_mm)
        for block in blocks
    )


def test_there_are_forty_five_cards_nine_for_each_number_of_stars():  # MX-03, MX-07
    assert sorted(OWN_DECK.cards) == list(range(1, 46))
    assert Counter(card.stars for card in CARDS) == {1: 9, 2: 9, 3: 9, 4: 9, 5: 9}


@EVERY_CARD
def test_a_card_needs_no_more_blocks_than_a_player_has(card):  # MX-02
    assert 1 <= len(card.blocks) <= BLOCKS_EACH
    assert all(sorted((block.width_mm, block.height_mm)) in ([15, 30], [15, 45], [30, 45]) for block in card.blocks)


@EVERY_CARD
def test_a_card_stands_at_every_step_of_building_it(card):  # MX-20
    assert statics.stands_while_built(card.blocks)


@EVERY_CARD
def test_blocks_neither_overlap_nor_float(card):
    for number, block in enumerate(card.blocks):
        others = [other for other in card.blocks if other is not block and other.covers(block)]
        assert not any(other.bottom_mm < block.top_mm and block.bottom_mm < other.top_mm for other in others), (
            f"block {number} overlaps"
        )
        assert block.bottom_mm == 0 or any(other.top_mm == block.bottom_mm for other in others)


def test_no_two_cards_look_alike_also_in_a_mirror():
    seen = {}
    for card in CARDS:
        for look in {outline(card.blocks), outline(card.blocks, mirrored=True)}:
            assert seen.setdefault(look, card.number) == card.number


def test_more_stars_more_blocks():
    most = [max(len(card.blocks) for card in CARDS if card.stars == stars) for stars in range(1, 6)]
    least = [min(len(card.blocks) for card in CARDS if card.stars == stars) for stars in range(1, 6)]
    assert most == sorted(most)
    assert least == sorted(least)
    assert len(set(least)) == len(least)


# the laws of the lever


@pytest.mark.parametrize(
    ("design", "stands"),
    [
        ("up_y 0, flat_x 0", True),
        ("up_y 0, flat_x 3", True),
        ("up_y 0, flat_x 8", False),  # the middle of the beam lies beside the pillar
        ("up_y -15, up_y 15, flat_x 0", True),
        ("up_y -26, up_y 26, flat_x 0", False),  # 4 mm on each pillar are less than the margins
        ("flat_x 0, flat_x 8, flat_x 16", True),
        ("flat_x 0, flat_x 13, flat_x 26", False),  # Both together hang over the lowest.
        ("up_x 0, flat_x 8, edge_y -8, flat_y 22", True),  # the block on the left holds the arm
    ],
)
def test_whether_a_stack_stands(design, stands):
    assert statics.stands(blocks_of(design, SIZE)) is stands


def test_a_stack_may_stand_and_yet_not_be_built_in_this_order():
    arm_first = blocks_of("up_x 0, flat_x 8, flat_y 22, edge_y -8", SIZE)
    assert statics.stands(arm_first)
    assert not statics.stands_while_built(arm_first)


def test_the_margin_decides_how_exact_a_hand_must_be():
    beam = blocks_of("up_y 0, flat_x 5", SIZE)
    assert statics.stands(beam, margin_mm=0)
    assert not statics.stands(beam)


def test_a_block_comes_to_rest_on_what_is_below_it():
    assert blocks_of("up_y -15, flat_x 15, edge_y -15", SIZE) == (
        Block(Way.UP_Y, -22.5, 0, 15, 45),
        Block(Way.FLAT_X, -7.5, 0, 45, 15),
        Block(Way.EDGE_Y, -22.5, 45, 15, 30),
    )


# the file


def a_deck(**changes):
    """The text of a whole deck of one-block cards, the first of them changed."""
    cards = [
        {"number": number, "name": "One", "stars": 1, "marker": 49 + number, "stack": "flat_x 0"}
        for number in range(1, 46)
    ]
    cards[0] |= changes
    lines = ["block_mm = [45, 30, 15]", 'marker_dictionary = "DICT_4X4_100"']
    for card in cards:
        lines += ["[[cards]]", *(f"{key} = {value!r}" for key, value in card.items())]
    return "\n".join(lines)


def test_a_whole_deck_is_loaded():
    assert deck.parse_deck(a_deck()).cards[1].name == "One"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"number": 2}, "numbered 1 to 45"),
        ({"stars": 6}, "stars"),
        ({"marker": 51}, "same marker"),
        ({"stack": ", ".join(["flat_x 0"] * 13)}, "blocks"),
        ({"stack": "lying 0"}, "lying"),
    ],
)
def test_a_wrong_deck_is_refused(changes, why):
    with pytest.raises(ValueError, match=why):
        deck.parse_deck(a_deck(**changes))


@pytest.mark.parametrize("subset", [(1, 1, 2, 3, 4), (0, 1, 2, 3, 4), (1, 2, 3, 4, 46), (1, 2, 3, 4)])
def test_a_part_of_the_deck_names_enough_cards_each_once(subset):  # MX-06
    with pytest.raises(IllegalEvent):
        deck.check_subset(subset, 5, "SPEEDSTAX")


# on paper


def painted(svg):
    """The rectangles of a card's drawing and the marker's path as pixels, in the order in which they are drawn."""
    size = (round(stacker_cards.HEIGHT_MM * PX_PER_MM), round(stacker_cards.WIDTH_MM * PX_PER_MM))
    grey = np.full(size, 255, np.uint8)

    def fill(x, y, width, height, value):
        left, top, right, bottom = (round(PX_PER_MM * each) for each in (x, y, x + width, y + height))
        grey[top:bottom, left:right] = value

    rectangles = r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="#(\w{6})"'
    for *place, colour in re.findall(rectangles, svg):
        fill(*map(float, place), int(colour[:2], 16))
    (path,) = re.findall(r'<path d="([^"]+)"', svg)
    for x, y, side in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v", path):
        fill(float(x), float(y), float(side), float(side), 255)
    return grey


@EVERY_CARD
def test_a_camera_knows_the_printed_card(card):  # MX-07
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, OWN_DECK.marker_dictionary))
    drawing = stacker_cards.drawn(card)
    _, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(painted(drawing.svg))
    assert ids is not None
    assert ids.ravel().tolist() == [card.marker] == [49 + card.number]


def test_the_deck_fits_on_five_pages_nine_cards_each():
    printed = pages(stacker_cards.deck(12.0))
    assert len(printed) == 5
    assert all(page.count("<path") == 9 for page in printed)
