"""Judges the readers of boards, plays, loads, cards and stacks against labels; misses are saved as pictures."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.app.bench.figures import Figure
from companion.app.bench.misses import save_miss
from companion.game.readings import BoardReading, LoadReading, PlayReading, StackReading, StacksReading
from tests.benches.go_photos import flat_scene, labelled_colours, read_photograph, rectified
from tests.benches.labels import label_of
from tests.benches.tally import Tally
from vision.board.play import read_play
from vision.board.reader import read_board
from vision.cameras.photos import load_photo
from vision.card.reader import learn_card, read_card
from vision.load.reader import read_load
from vision.readers.annotate import draw_board, draw_card, draw_load, draw_play, draw_stacks, mark_missed
from vision.scene.file import load_scene, scene_of
from vision.scene.scene import Scene
from vision.stacks.reader import read_stacks

IN_VIEW = 0.9  # share of a top face that must be seen to ask for it

Labels = dict[str, Any]
Shown = tuple[str, np.ndarray, Labels]


def shown(folder: Path, images: list[Labels]) -> Iterator[Shown]:
    """Name, frame and labels of each picture of a folder."""
    for entry in images:
        yield entry["file"], load_photo(folder / entry["file"]), entry


# boards and plays


def board_figures(folder: Path, images: list[Labels], moves: list[Labels], out: Path) -> list[Figure]:
    """Boards of a folder, and its moves."""
    figures = judge_boards(shown(folder, images), out).figures(folder.name)
    by_file = {entry["file"]: entry for entry in images}
    pairs = (
        (load_photo(folder / move["before"]), load_photo(folder / move["after"]), by_file[move["after"]], move["move"])
        for move in moves
    )
    return figures + judge_plays(pairs, out).figures(f"{folder.name}: plays")


def drawn_boards(seed: int, count: int, out: Path) -> list[Figure]:
    """Boards and plays drawn on the spot."""
    from vision.training.drawn.boards import render_board, render_play

    boards = ((f"board-{seed}-{index}", *render_board(np.random.default_rng([seed, index]))) for index in range(count))
    plays = (render_play([seed + 1, index]) for index in range(count // 3))
    return [
        *judge_boards(boards, out).figures("drawn here"),
        *judge_plays(plays, out).figures("drawn here: plays"),
    ]


def judge_boards(pictures: Iterable[Shown], out: Path) -> Tally:
    """Cells and whole boards against `top_colours` and `heights`."""
    tally = Tally()
    for name, frame, labels in pictures:
        with label_of(name):
            scene = scene_of(labels)
            reading: BoardReading = tally.timed(read_board, frame, scene)
        wrong = count_cells(tally, reading, labels["top_colours"])
        for row, column in np.ndindex(len(reading.cells), len(reading.cells)):
            cell = reading.cells[row][column]
            if cell.colour is not None and cell.height is not None:
                tally.count("heights right, of those told", cell.height == labels["heights"][row][column])
        if wrong:
            save_miss(out, name, draw_board(frame, reading))
    return tally


def photograph_figures(folder: Path, images: list[Labels], out: Path) -> list[Figure]:
    """Photographs of Go boards, of which the labels name the outermost crossings and what lies on each."""
    tally = Tally()
    for name, frame, labels in shown(folder, images):
        with label_of(name):
            corners_px, right = np.array(labels["grid_corners_px_tl_tr_br_bl"]), labelled_colours(labels["rows"])
            flat, reading = read_photograph(frame, corners_px, labels["n"])
        if count_cells(tally, reading, right):
            save_miss(out, name, draw_board(flat, reading))
    return tally.figures(f"{folder.name}: photographs")


def strange_figures(folder: Path, images: list[Labels], out: Path) -> list[Figure]:
    """Photographs of strangers' boards: as told, with scenes that say too little or something wrong, and under lamps.

    A board of cells has its scene in `scenes`; one of crossings is laid flat by its labelled corners.
    """
    figures = []
    for grid, changes in (("cells", {**SCENES_CHANGED, **LAMPS}), ("crossings", LAMPS)):
        boards = [(name, *strange_board(folder, frame, labels)) for name, frame, labels in shown(folder, images)
                  if labels["grid"] == grid]  # fmt: skip
        for words, change in {"as told": lambda frame, scene: (frame, scene), **changes}.items():
            tally = Tally()
            for name, frame, scene, labels in boards:
                changed_bgr, changed = change(frame, scene)
                reading: BoardReading = tally.timed(read_board, changed_bgr, changed)
                unsure = {(row, column) for row, column in labels.get("unsure_cells_row_col", ())}
                if count_cells(tally, reading, labels["cells"], unsure):
                    save_miss(out, f"{words}/{name}", draw_board(changed_bgr, reading))
            figures += tally.figures(f"{folder.name}: {grid}, {words}")
    return figures


def strange_board(folder: Path, frame_bgr: np.ndarray, labels: Labels) -> tuple[np.ndarray, Scene, Labels]:
    """The frame to be read, its scene, and the labels."""
    if labels["grid"] == "cells":
        return frame_bgr, load_scene(folder / "scenes" / Path(labels["file"]).with_suffix(".json").name), labels
    flat_bgr = rectified(frame_bgr, np.array(labels["corners_px_tl_tr_br_bl"], np.float32), labels["n"])
    return flat_bgr, flat_scene(labels["n"], labels["colours"]), labels


def thicker(frame_bgr: np.ndarray, scene: Scene, factor: float) -> tuple[np.ndarray, Scene]:
    """The same with another thickness in the scene."""
    assert scene.piece is not None
    return frame_bgr, replace(scene, piece=replace(scene.piece, thickness_mm=factor * scene.piece.thickness_mm))


def under_lamp(frame_bgr: np.ndarray, scene: Scene, lamp_rgb: tuple[float, ...]) -> tuple[np.ndarray, Scene]:
    """The same table under a lamp of that colour: light is multiplied, not levels."""
    light = (frame_bgr / 255) ** 2.2 * lamp_rgb[::-1]
    return np.asarray((255 * light ** (1 / 2.2)).round(), np.uint8), scene


Change = Callable[[np.ndarray, Scene], tuple[np.ndarray, Scene]]
SCENES_CHANGED: dict[str, Change] = {
    "size not told": lambda frame, scene: (frame, replace(scene, piece=None)),
    "a third of the thickness": partial(thicker, factor=1 / 3),
    "three times the thickness": partial(thicker, factor=3.0),
}
LAMPS: dict[str, Change] = {
    "cyan lamp": partial(under_lamp, lamp_rgb=(0.25, 1.0, 1.0)),
    "pink lamp": partial(under_lamp, lamp_rgb=(1.0, 0.35, 0.8)),
    "yellow lamp": partial(under_lamp, lamp_rgb=(1.0, 0.85, 0.2)),
}


def count_cells(
    tally: Tally, reading: BoardReading, right_tops: list[list[str | None]], unsure: Set[tuple[int, int]] = frozenset()
) -> int:
    """Counts the spaces whose top was read right, without the unsure ones; returns how many are wrong."""
    wrong = 0
    for row, column in np.ndindex(len(reading.cells), len(reading.cells)):
        if (row, column) in unsure:
            continue
        cell = reading.cells[row][column]
        right = cell.colour == right_tops[row][column]
        wrong += not right
        tally.count("cells right", right)
        tally.count("silent errors, of cells", cell.accepted and not right)
        tally.count("asked, of cells", not cell.accepted)
    tally.count("boards right", not wrong)
    tally.count("boards accepted", reading.accepted)
    return wrong


def judge_plays(pairs: Iterable[tuple[np.ndarray, np.ndarray, Labels, Labels]], out: Path) -> Tally:
    """Plays against the labelled moves."""
    tally = Tally()
    for index, (before, after, labels, move) in enumerate(pairs):
        with label_of(labels.get("file", "a drawn play")):
            scene = scene_of(labels)
            reading: PlayReading = tally.timed(read_play, before, after, scene)
        right = reading.play is not None and as_move(reading) == {**move, "cell": list(move["cell"])}
        tally.count("plays right", right)
        tally.count("plays accepted", reading.accepted)
        tally.count("silent errors, of plays", reading.accepted and not right)
        if not right:
            save_miss(out, f"play-{index}", draw_play(after, reading))
    return tally


def as_move(reading: PlayReading) -> Labels:
    """The play with the fields of a labelled move."""
    assert reading.play is not None
    fields = dict(reading.play.fields())
    return {"type": fields.pop("kind"), **fields}


# loads


def load_figures(folder: Path, images: list[Labels], out: Path) -> list[Figure]:
    """Loads of a folder."""
    return judge_loads(shown(folder, images), out).figures(folder.name)


def drawn_loads(seed: int, count: int, out: Path) -> list[Figure]:
    """Loads drawn on the spot."""
    from vision.training.drawn.loads import render_load

    pictures = ((f"load-{seed}-{index}", *render_load(np.random.default_rng([seed, index]))) for index in range(count))
    return judge_loads(pictures, out).figures("drawn here")


def judge_loads(pictures: Iterable[Shown], out: Path) -> Tally:
    """Left-overs, without and with the roll, and covered squares."""
    tally = Tally()
    for name, frame, labels in pictures:
        with label_of(name):
            scene = scene_of(labels)
            reading: LoadReading = tally.timed(read_load, frame, scene)
        outside: dict[int, int] = {}
        for key, number in labels["beside_counts_length_colour"].items():
            outside[int(key.split(":")[0])] = number
        right = dict(reading.outside) == outside
        tally.count("left-overs exactly right", right)
        tally.count("silent errors, of pictures", reading.outside_accepted and not right)
        tally.count("left-overs asked", not reading.outside_accepted)
        if len(scene.trucks) == 1:  # with more, the labels do not say whose boxes lie in which truck
            with_roll = read_load(frame, replace(scene, rolls=(rolled_in(labels),)))
            same = dict(with_roll.outside) == outside
            tally.count("told the roll: left-overs exactly right", same)
            tally.count("told the roll: silent errors, of pictures", with_roll.outside_accepted and not same)
            tally.count("told the roll: left-overs asked", not with_roll.outside_accepted)
        for truck, known in zip(reading.trucks, labels["trucks"], strict=True):
            for row, column in np.ndindex(known["rows"], known["columns"]):
                if not known["loading_area_row_col"][row][column]:
                    continue
                square = truck.cells[row][column]
                same = square.filled == bool(known["height_map_row_col"][row][column])
                tally.count("squares right", same)
                tally.count("silent errors, of squares", square.accepted and not same)
                tally.count("asked, of squares", not square.accepted)
        if not right:
            save_miss(out, name, draw_load(frame, reading))
    return tally


def rolled_in(labels: Labels) -> dict[int, int]:
    """Size → number of boxes, on the truck and beside it, as a game knows it from the dice."""
    return dict(Counter(box["length"] for box in labels["boxes"]))


# cards


def card_figures(seed: int, count: int, out: Path) -> list[Figure]:
    """Cards drawn on the spot: by marker, by picture, and cards that are none of the deck."""
    from vision.card.picture import card_picture
    from vision.training.drawn.cards import MANY, lay_card

    deck = tuple(learn_card(number, str(number), card_picture(number, marker=False)) for number in range(1, MANY + 1))
    own, bought, strange = Tally(), Tally(), Tally()
    for index in range(count):
        number = 1 + index % MANY
        rng = np.random.default_rng([seed, index])
        for tally, marker, cards, foreign in (
            (own, True, (), False),
            (bought, False, deck, False),
            (strange, False, deck, True),
        ):
            frame = lay_card(rng, card_picture(number, marker, foreign))
            reading = tally.timed(read_card, frame, None, cards)
            right = (reading.card is None or not reading.accepted) if foreign else reading.card == number
            tally.count("unknown cards not taken for known" if foreign else "cards right", right)
            tally.count("silent errors, of cards", reading.accepted and (reading.card != number or foreign) and not (foreign and reading.card is None))  # fmt: skip  # noqa: E501
            tally.count("asked, of cards", not reading.accepted)
            if not right:
                save_miss(out, f"card-{index}-{marker}-{foreign}", draw_card(frame, reading))
    return [
        *own.figures("our deck, by marker"),
        *bought.figures("a deck by picture"),
        *strange.figures("cards of no deck"),
    ]


# stacks of dice


def stack_figures(folder: Path, images: list[Labels], out: Path) -> list[Figure]:
    """Stacks of a folder."""
    return judge_stacks(shown(folder, images), out, folder.name)


def drawn_stacks(seed: int, count: int, out: Path) -> list[Figure]:
    """Stacks drawn on the spot."""
    from vision.training.drawn.stacks import render_stacks

    pictures = (
        (f"stacks-{seed}-{index}", *render_stacks(np.random.default_rng([seed, index]))) for index in range(count)
    )
    return judge_stacks(pictures, out, "drawn here")


def judge_stacks(pictures: Iterable[Shown], out: Path, group: str) -> list[Figure]:
    """Stacks whose top is in view; stacks read where none is labelled are counted apart, for they have no total."""
    tally, none_there = Tally(), 0
    for name, frame, labels in pictures:
        with label_of(name):
            scene = scene_of(labels)
            reading: StacksReading = tally.timed(read_stacks, frame, scene)
        free, missed = list(reading.stacks), []
        for label in labels["stacks"]:
            stack = stack_at(label, free)
            if stack is not None:
                free.remove(stack)
            if in_view(label) and not count_stack(tally, stack, label):
                missed.append(label)
        none_there += len(free)
        if missed or free:
            picture = draw_stacks(frame, reading)
            for label in missed:
                words = f"{label['top_value']} x{label['height']}"
                mark_missed(picture, label["top_centre_px"], top_size_px(label), words)
            save_miss(out, name, picture)
    return [*tally.figures(group), Figure("stacks read where none is", group, value=none_there, unit="stacks")]


def count_stack(tally: Tally, stack: StackReading | None, label: Labels) -> bool:
    """Counts one stack in view; True when it was found, with its value and its height."""
    tally.count("found, of tops in view", stack is not None)
    if stack is None:
        return False
    value: bool = stack.top.value == label["top_value"]
    height: bool = stack.height == label["height"]
    tally.count("top value right, of found", value)
    tally.count("top colour right, of found", stack.top.colour == label["top_colour"])
    tally.count("height right, of found", height)
    tally.count("height asked, of found", not stack.height_accepted)
    tally.count("silent height errors, of found", not height and stack.height_accepted)
    tally.count("silent value errors, of found", not value and stack.top.accepted)
    return value and height


def stack_at(label: Labels, stacks: list[StackReading]) -> StackReading | None:
    """The stack whose top is within half a side of the labelled one, or None."""
    x, y = label["top_centre_px"]
    reach_px = top_size_px(label) / 2
    return next((stack for stack in stacks if np.hypot(stack.top.cx - x, stack.top.cy - y) < reach_px), None)


def in_view(label: Labels) -> bool:
    """Whether enough of the top face is in view for it to count."""
    return bool(label["top_visible"] >= IN_VIEW and label.get("in_frame", True))


def top_size_px(label: Labels) -> float:
    """Side of a square as large as the top face."""
    return float(np.sqrt(cv2.contourArea(np.array(label["top_face_px"], np.float32))))
