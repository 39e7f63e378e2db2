"""`make bench NAME=tower` counts what the games would say of a picture."""

from pathlib import Path

import cv2

from companion.demo.stacks import EMPTY, TableStack, as_shown
from companion.demo.things import VirtualTable
from companion.equipment.deck import OWN_DECK
from tests.benches.tower import tower_figures
from vision.virtual.front import FrontPainter, front_scene


def test_a_stack_is_never_compared_with_itself(tmp_path: Path):
    """Space 1, which the label calls standing, is not seen: a game compares nothing then, so a person is asked."""
    cv2.setNumThreads(1)
    stack = TableStack(as_shown(OWN_DECK.cards[12]))
    frame = FrontPainter().picture(VirtualTable(stacks=(EMPTY, stack, stack, EMPTY)), 0)
    cv2.imwrite(str(tmp_path / "four.png"), frame)
    standing = {"status": "standing", "blocks_count": len(stack.blocks), "same_as_space_1": False, "blocks": []}
    spaces = [standing, standing, standing, {"status": "empty", "same_as_space_1": False}]
    stacks = [{"space": at, **space} for at, space in enumerate(spaces, 1)]
    known = {"images": [{"file": "four.png", "stacks": stacks, **front_scene()}]}
    figures = {figure.name: (figure.count, figure.total) for figure in tower_figures(tmp_path, known, tmp_path)}
    assert figures["verdict wrong and not asked"] == (0, 2)
    assert figures["verdict asked"] == (2, 2)
