"""The demo's front camera: what it draws is what the tower reader reads, each space beside what its game names."""

from random import Random

import cv2
import numpy as np
import pytest

from companion.demo.stacks import EMPTY, TableStack, as_shown, fallen, laid, let_down, with_one_wrong
from companion.demo.things import TableDie, VirtualTable
from companion.equipment.deck import OWN_DECK, Way
from companion.errors import BadInput
from companion.game.readings import Status
from vision.scene.file import scene_of
from vision.tower.reader import read_tower
from vision.virtual.front import FrontPainter, centres_mm, front_pose, front_scene, solid_of

CARD, OTHER_CARD = 12, 16  # five blocks each, on the same levels none


def stack_of(card):
    return TableStack(as_shown(OWN_DECK.cards[card]))


def seen(stacks, references):
    cv2.setNumThreads(1)
    frame = FrontPainter().picture(VirtualTable(stacks=stacks), 0)
    return read_tower(frame, scene_of({**front_scene(), "references": references})).spaces


@pytest.fixture(scope="module")
def four():
    right = stack_of(CARD)
    stacks = (right, with_one_wrong(right, Random(2)), fallen(right), stack_of(OTHER_CARD))
    return seen(stacks, {"1": {"card": CARD}, "2": {"space": 1}, "3": {"card": CARD}, "4": {"card": CARD}})


def test_every_space_holds_what_was_put_there(four):
    assert [space.status for space in four] == [
        Status.STANDING,
        Status.STANDING,
        Status.COLLAPSED,
        Status.STANDING,
    ]


def test_a_stack_is_compared_with_its_card(four):
    assert four[0].match is not None
    assert four[0].match.same
    assert four[3].match is not None
    assert not four[3].match.same


def test_a_stack_is_compared_with_that_of_another_space(four):
    assert four[1].match is not None
    assert not four[1].match.same
    assert four[1].match.differences


def test_a_heap_is_compared_with_nothing(four):
    assert four[2].match is None


def test_a_copy_is_the_same_and_nothing_is_like_an_empty_space():
    right = stack_of(CARD)
    first, copy, other, nobody = seen(
        (right, right, right, EMPTY), {"2": {"space": 1}, "3": {"space": 4}, "4": {"space": 9}}
    )
    assert first.match is None  # whose stack nobody asked about
    assert copy.match is not None
    assert copy.match.same
    assert other.match is None
    assert nobody.status is Status.EMPTY


def freely(*design):
    stack = EMPTY
    for way, middle_mm in design:
        stack = let_down(stack, laid(Way(way), middle_mm))
    return stack


def outlines_px(stack, centre_mm):
    """(left, top, right, bottom) of each block in the picture."""
    corners_px = [front_pose().project(solid_of(block, centre_mm, 0).corners_mm()) for block in stack.blocks]
    return [(*corners.min(axis=0), *corners.max(axis=0)) for corners in corners_px]


def test_stacks_that_were_built_freely_are_read_with_their_blocks():
    table = freely(("up_y", -15), ("up_y", 15), ("flat_x", 0), ("edge_y", -10))
    crane = freely(("flat_x", 20), ("up_x", 15), ("edge_x", 22.5), ("flat_y", 20))
    too_far_out = freely(("up_y", -15), ("up_y", 15), ("flat_x", 0), ("flat_x", 30))
    spaces = seen((table, table, crane, too_far_out), {"2": {"space": 1}, "3": {"space": 1}})
    assert [space.status for space in spaces] == [*[Status.STANDING] * 3, Status.COLLAPSED]
    for space, stack, centre_mm in zip(spaces, (table, table, crane), centres_mm(), strict=False):
        read = [(b.cx - b.w / 2, b.cy - b.h / 2, b.cx + b.w / 2, b.cy + b.h / 2) for b in space.blocks]
        assert np.allclose(read, outlines_px(stack, centre_mm), atol=8)  # a quarter of the shortest edge
    assert [space.match is not None and space.match.same for space in spaces] == [False, True, False, False]


@pytest.mark.parametrize(
    "references", [{"1": {}}, {"1": {"card": 7, "space": 2}}, {"x": {"card": 7}}, {"1": {"card": -1}}, [1]]
)
def test_what_says_no_reference_is_refused(references):
    with pytest.raises(BadInput, match="references"):
        scene_of({"references": references})


def test_the_picture_shows_every_space_and_nothing_of_the_table_from_above():
    middles = front_pose().project(np.array([[x, y, 60.0] for x, y in centres_mm()]))
    assert ((middles > 80) & (middles < (1200, 880))).all()
    painter, other = FrontPainter(), FrontPainter()
    die = TableDie("die-1", 3, 200.0, 150.0, 0.0)
    assert (painter.picture(VirtualTable(), 0) == other.picture(VirtualTable(dice=(die,)), 0)).all()
