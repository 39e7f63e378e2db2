"""One drawn picture for every kind of reading, beside the photographs of dice, for `companion read` on both processors.

They are drawn once and kept as files: another OpenCV may draw another picture.
"""

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np

from companion.clock import Clock
from companion.demo import board as virtual_board
from companion.demo import boxes as virtual_boxes
from companion.demo.stacks import TableStack, as_shown, fallen
from companion.demo.table import DemoTable
from companion.demo.things import VirtualTable
from companion.equipment.deck import OWN_DECK
from companion.game.readings import Kind
from companion.game.seeing import Eyes
from vision.virtual.camera import virtual_scene
from vision.virtual.front import FrontPainter, front_scene
from vision.virtual.painter import Painter

PHOTOGRAPHS = Path(__file__).parents[1] / "vision" / "fixtures" / "dice"
EVERY_THIRD = slice(0, None, 3)  # of 24 photographs: one takes most of a minute there
COLOURS = ("red", "blue", "green", "purple")
CARD = {"columns": 3, "rows": 2, "levels": 3, "loading_area_row_col": [[1, 1, 1], [1, 1, 0]]}
"""A truck's card: 3 by 2 squares, 3 high."""
REFERENCES = {"1": {"card": 12}, "2": {"card": 12}}


def draw(folder: Path) -> dict[str, list[str]]:
    """Draws into a folder; the words of `companion read` for each kind, with file names relative to it."""
    folder.mkdir(parents=True)
    photographs = sorted(PHOTOGRAPHS.glob("*.jpg"))[EVERY_THIRD]
    for photograph in photographs:
        shutil.copy(photograph, folder)
    save(folder, "board", Painter().picture(board(), 0), virtual_scene("board", 6))
    save(folder, "card", Painter().picture(card(), 0), virtual_scene(card().mat))
    table = stacks()
    rests_us = table.throw.rests_us if table.throw else 0
    save(folder, "stacks", Painter().picture(table, rests_us), virtual_scene() | {"players_colours": COLOURS})
    save(folder, "load", Painter().picture(load(), 0), virtual_scene("loads") | {"truck_cards": [CARD, CARD]})
    save(
        folder,
        "tower",
        FrontPainter().picture(tower(), 0),
        front_scene() | {"references": REFERENCES},
    )
    drawn = ("board", "card", "stacks", "load", "tower")
    return {"dice": [photograph.name for photograph in photographs]} | {
        kind: ["--scene", f"{kind}.json", f"{kind}.png"] for kind in drawn
    }


def save(folder: Path, kind: str, picture: np.ndarray, scene: dict[str, Any]) -> None:
    """The picture (height × width × 3, BGR) and its scene, as files that `companion read` takes."""
    cv2.imwrite(str(folder / f"{kind}.png"), picture)
    (folder / f"{kind}.json").write_text(json.dumps(scene))


def board() -> VirtualTable:
    """Thirty pieces of two colours, some on others."""
    random = np.random.default_rng(3)
    table = VirtualTable(mat="board", board_n=6)
    for row, column, colour in zip(random.integers(0, 6, 30), random.integers(0, 6, 30), "wb" * 15, strict=True):
        table = virtual_board.put(table, int(row), int(column), {"w": "white", "b": "black"}[colour])
    return table


def card() -> VirtualTable:
    """A card of our own deck."""
    demo = DemoTable(Clock(0), random=Random(0))
    demo.prepare(Eyes(above=Kind.CARD))
    demo.lay_card(17)
    return demo.snapshot()


def stacks() -> VirtualTable:
    """56 dice, nine of them in three stacks."""
    demo = DemoTable(Clock(0), random=Random(0))
    demo.prepare(Eyes(above=Kind.STACKS, knows={"players_colours": list(COLOURS)}))
    demo.dice.roll(each=14)
    for foot, *upper in (("red-1", "blue-1"), ("green-1", "purple-1", "red-2"), ("blue-2", "red-3", "blue-3", "red-4")):
        for key in upper:
            demo.dice.put_onto(key, foot)
    return demo.snapshot()


def load() -> VirtualTable:
    """Boxes beside two trucks, two loaded."""
    table = virtual_boxes.dealt(virtual_boxes.with_cards(VirtualTable(), [CARD, CARD]), (3, 2, 2, 1, 2))
    table = virtual_boxes.loaded(table, 3, 0, 0, 0, "x")
    return virtual_boxes.loaded(table, 2, 0, 0, 0, "z")


def tower() -> VirtualTable:
    """Two stacks as their cards show them, the second fallen."""
    right = TableStack(as_shown(OWN_DECK.cards[12]))
    return VirtualTable(stacks=(right, fallen(right)))
