"""Boards of round pieces and the plays on them, judged on pictures drawn here with known truth."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.__main__ import cli
from companion.errors import BadInput
from companion.game.readings import BoardReading, Kind, Watching
from vision.board import tops as board
from vision.board.changes import BoardSince
from vision.board.play import read_play
from vision.board.reader import (
    Space,
    board_hint,
    cell_of,
    like_pieces,
    read_board,
    read_spaces,
    space_middles,
)
from vision.board.tops import empty_looks
from vision.colour.bodies import NOMINAL_RGB
from vision.colour.paints import name_paints
from vision.scene.file import scene_of
from vision.scene.scene import Piece, Scene
from vision.training.drawn.boards import render_board, render_play
from vision.virtual.camera import virtual_scene
from vision.virtual.solids import PAINT_RGB
from vision.watch.known_table import KnownTable
from vision.watch.lookout import hint_for

JUDGED_SEED, JUDGED = 23, 3  # neither the network's pictures (61 to 63) nor those its thresholds were set on
Picture = tuple[np.ndarray, dict[str, Any]]


@pytest.fixture(scope="module")
def boards() -> list[Picture]:
    cv2.setNumThreads(1)
    return [render_board(np.random.default_rng([JUDGED_SEED, index])) for index in range(JUDGED)]


@pytest.fixture(scope="module")
def readings(boards) -> list[BoardReading]:
    return [read_board(frame, scene_of(labels)) for frame, labels in boards]


def test_nearly_all_spaces_are_read_and_none_is_silently_wrong(boards, readings):
    pairs = [
        (cell, labels["top_colours"][row][column])
        for (_frame, labels), reading in zip(boards, readings, strict=True)
        for row, cells in enumerate(reading.cells)
        for column, cell in enumerate(cells)
    ]
    assert sum(cell.colour == colour for cell, colour in pairs) >= 0.98 * len(pairs)
    assert all(cell.colour == colour for cell, colour in pairs if cell.accepted)


def filled(labels: dict[str, Any]) -> Callable[[list[dict[str, Any]]], None]:
    """Puts a piece, each colour in turn, onto every empty space of a board that `render_board` draws again."""
    n, names = labels["board"]["n"], labels["colours"]
    corners = np.array(labels["board"]["grid_corners_mm_tl_tr_br_bl"])[:, :2]
    across, down = (corners[1] - corners[0]) / n, (corners[3] - corners[0]) / n

    def fill(piles: list[dict[str, Any]]) -> None:
        taken = {tuple(pile["cell"]) for pile in piles}
        for row, column in sorted(set(np.ndindex(n, n)) - taken):
            middle = corners[0] + (column + 0.5) * across + (row + 0.5) * down
            colour = names[(row + column) % len(names)]
            piles.append({"cell": [row, column], "colours": [colour], "spots": [middle]})

    return fill


def test_on_a_full_board_no_piece_is_silently_taken_for_an_empty_space(boards):
    for index, (_frame, labels) in enumerate(boards):
        full, truth = render_board(np.random.default_rng([JUDGED_SEED, index]), filled(labels))
        cells = list(chain.from_iterable(read_board(full, scene_of(labels)).cells))
        assert all(all(row) for row in truth["top_colours"])
        assert not any(cell.accepted and cell.colour is None for cell in cells)
        right = sum(cell.colour == top for cell, top in zip(cells, chain(*truth["top_colours"]), strict=True))
        assert right >= 0.9 * len(cells)


def test_one_empty_space_shows_what_one_looks_like_and_of_none_several_are_taken():
    crops = np.repeat(np.arange(16, dtype=np.uint8) * 10, 4).reshape(16, 2, 2, 1).repeat(3, axis=3)
    seeming = np.full(16, 0.1)
    seeming[0] = 0.9  # of the squares of its colour the only one
    usual = empty_looks(crops, seeming)
    assert (usual.looks[0] == crops[0]).all()
    assert usual.apart[0].max() == 0
    assert usual.apart[1].min() > 0  # three of the other colour, none of which seems empty: they are not alike


def test_only_what_is_unsure_is_seen_in_the_mirror(monkeypatch):
    seen = []

    def forward(shown: np.ndarray) -> np.ndarray:
        seen.append(len(shown))
        scores = np.zeros((len(shown), 9), np.float32)
        scores[:, 0] = np.where(shown[:, 3, 0, 0] > 0.5, 9, 0)  # leans stand for who is sure
        scores[:, 7] = 0.25
        return scores

    monkeypatch.setattr(board, "network_scores", forward)
    crops = np.full((4, board.TALL_PX, board.WIDE_PX, 3), 90, np.uint8)
    cuts = [(np.array([[1.0, 0, 0], [0, 1, 0]]), lean) for lean in (2.0, 0.0, 2.0, 2.0)]
    tops = board.find_tops(crops, cuts, Piece(10.0, 10 * board.LEAN_SHARE))
    assert seen == [4, 4, 1, 4, 4, 4]  # alone, beside an empty one, in the mirror; flat, thick, as the scene says
    moved = (tops.middles_px - board.FOOT_PX) / board.PIECE_PX
    assert moved[:, 0] == pytest.approx([0.25, 0.0, 0.25, 0.25])  # what both saw to their right is in the middle


def test_rows_begin_at_the_far_left_corner_of_the_scene(boards, readings):
    for (_frame, labels), reading in zip(boards, readings, strict=True):
        first = reading.cells[0][0]
        corner = scene_of(labels).pose(boards[0][0]).project(np.array(scene_of(labels).board.corners_mm[:1]))[0]
        last = reading.cells[-1][-1]
        here, there = (np.hypot(cell.cx - corner[0], cell.cy - corner[1]) for cell in (first, last))
        assert here < there


def test_a_smaller_picture_reads_alike(boards, readings):
    frame, labels = boards[0]
    small = cv2.resize(frame, (960, 720), interpolation=cv2.INTER_AREA)
    cells = [cell.colour for row in read_board(small, scene_of(labels)).cells for cell in row]
    assert sum(a == b.colour for a, b in zip(cells, sum(readings[0].cells, ()), strict=True)) >= len(cells) - 1


@pytest.mark.parametrize("lacks", ["board", "camera", "colour_rgb"])
def test_a_scene_that_lacks_something_is_told_which(boards, lacks):
    frame, labels = boards[0]
    scene = replace(scene_of(labels), **{lacks: {} if lacks == "colour_rgb" else None})
    with pytest.raises(BadInput, match=lacks):
        read_board(frame, scene)


@pytest.mark.parametrize("command", ["board", "play"])
def test_the_help_names_what_a_scene_must_say(command):
    words = CliRunner().invoke(cli, ["read", command, "--help"]).output.split("Options:")[0]
    assert {"camera", "board", "colour_rgb"} <= set(words.replace(",", " ").replace(";", " ").split())


def test_a_board_whose_pieces_nobody_measured_is_read_as_with_measured_ones(boards, readings):
    """As scenes were saved before the calibration page asked for them."""
    frame, labels = boards[0]
    read = read_board(frame, replace(scene_of(labels), piece=None))
    alike = [a.colour == b.colour for a, b in zip(sum(read.cells, ()), sum(readings[0].cells, ()), strict=True)]
    assert alike.count(False) <= 1


def test_a_piece_whose_paint_the_scene_lacks_is_asked_and_keeps_a_name_of_the_game(boards):
    for frame, labels in boards:
        scene = scene_of(labels)
        colours = list(chain(*labels["top_colours"]))
        for lacking in set(filter(None, colours)):
            known = {name: rgb for name, rgb in scene.colour_rgb.items() if name != lacking}
            poor = replace(scene, colour_rgb=known, colours=tuple(scene.colour_rgb))
            if lacking not in NOMINAL_RGB:
                with pytest.raises(BadInput, match=f"has no {lacking}"):
                    read_board(frame, poor)
                continue
            reading = read_board(frame, poor)
            pairs = zip(chain(*reading.cells), colours, strict=True)
            assert not [cell for cell, colour in pairs if cell.accepted and cell.colour != colour]


def test_a_play_is_asked_where_the_scene_lacks_a_colour_of_the_game(plays):
    known = [(before, after, scene_of(labels)) for before, after, labels, _move in plays]
    sure = [each for each in known if read_play(*each).accepted]
    assert sure
    for before, after, scene in sure:
        assert not read_play(before, after, replace(scene, colours=(*scene.colour_rgb, "pink"))).accepted


@pytest.mark.parametrize(
    ("known", "hint"),
    [
        (("white", "black", "pink"), ""),
        (("white", "black"), "has no pink, "),
        (("red",), "has no white, black and pink, "),
        ((), ""),  # nothing is read at all, which is told elsewhere
    ],
)
def test_the_paints_that_a_scene_lacks_are_named(known, hint):
    scene = Scene(colour_rgb={name: NOMINAL_RGB[name] for name in known}, colours=("white", "black", "pink"))
    assert hint in board_hint(scene)
    assert bool(board_hint(scene)) == bool(hint)


@pytest.mark.parametrize(("n", "hint"), [(6, ""), (5, "The mat's board has 6 × 6 squares")])
def test_a_mat_whose_board_is_none_of_the_games_is_said(n, hint):
    said = hint_for(KnownTable(virtual_scene("board", 6)), Watching(Kind.BOARD, {"board_n": n}))
    assert hint in said
    assert bool(said) == bool(hint)


def test_a_drawn_board_lacks_no_paint():
    assert board_hint(replace(scene_of(virtual_scene()), colours=tuple(sorted(PAINT_RGB)))) == ""


def test_on_a_picture_without_colours_every_piece_is_asked(boards, readings):
    for (frame, labels), seen in zip(boards, readings, strict=True):
        grey_bgr = cv2.cvtColor(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        cells = read_board(grey_bgr, scene_of(labels)).cells
        assert not any(cell.accepted for row in cells for cell in row if cell.colour is not None)
        assert any(cell.accepted for row in seen.cells for cell in row if cell.colour is not None)


def test_colours_of_other_things_are_no_pieces(boards):
    frame, labels = boards[0]
    dice = {"red": (185.0, 20.0, 34.0), "purple": (106.0, 50.0, 128.0)}
    reading = read_board(frame, replace(scene_of(labels), colour_rgb=dice, colours=("white", "black")))
    shown = [cell for cell in chain(*reading.cells) if cell.colour is not None]
    assert shown
    assert not [cell for cell in shown if cell.accepted or cell.colour not in ("white", "black")]


def test_a_photo_without_a_scene_says_what_is_needed(boards):
    with pytest.raises(BadInput, match="board"):
        read_board(boards[0][0], None)


@pytest.mark.parametrize("size", [(960, 1280), (3, 4), (60, 80)])
def test_a_black_picture_of_any_size_is_no_error(boards, size):
    reading = read_board(np.zeros((*size, 3), np.uint8), scene_of({**boards[0][1], "markers": []}))
    assert len(reading.cells) == boards[0][1]["board"]["n"]


def test_what_seems_empty_and_has_the_colour_of_a_piece_is_asked_sooner():
    bodies = np.array([[20.0, 24, 40], [22, 26, 41], [5, 40, 25]])
    like = like_pieces(bodies, bodies[:1])
    assert list(like) == [True, True, False]
    assert not like_pieces(bodies, bodies[:0]).any()  # no piece lies anywhere
    for alike, sure in ((True, False), (False, True)):
        heights = np.array([0.985, 0.015, 0, 0, 0, 0, 0])
        space = Space(heights, np.array([1.0]), np.zeros(2), like=alike, in_view=True, agreed=True)
        cell = cell_of(space, ["black"], paints_guessed=False)
        assert (cell.colour, cell.accepted) == (None, sure)


def test_what_seems_a_piece_and_has_the_look_of_a_shadow_is_asked_sooner():
    for alike, taken, sure in ((True, 0.999, False), (True, 0.9999, True), (False, 0.999, True)):
        heights = np.array([1 - taken, taken, 0, 0, 0, 0, 0])
        space = Space(heights, np.array([1.0]), np.zeros(2), like=alike, in_view=True, agreed=True)
        cell = cell_of(space, ["grey"], paints_guessed=False)
        assert (cell.colour, cell.accepted) == ("grey", sure)


def test_paints_are_named_under_a_lamp_that_tints_all_alike():
    paints = np.array([[186, 26, 43], [24, 125, 62], [36, 89, 177]], float)
    tint = np.array([1.0, 0.86, 0.7])  # a warm lamp
    chances = name_paints(paints * tint * 0.8, paints)
    assert chances.argmax(axis=1).tolist() == [0, 1, 2]
    assert chances.max(axis=1).min() > 0.9


def test_gloss_makes_a_red_piece_no_pink_one():
    paints = np.array([[186, 26, 43], [240, 90, 160], [24, 125, 62]], float)
    glossy = 255 * ((paints[0] / 255) ** 2.2 + 0.25) ** (1 / 2.2)  # white light on top of the red
    chances = name_paints(np.stack([glossy, paints[0], paints[2]]), paints)
    assert chances[0].argmax() == 0


@pytest.fixture(scope="module")
def plays() -> list[tuple[np.ndarray, np.ndarray, dict[str, Any], dict[str, Any]]]:
    return [render_play([51, index]) for index in (0, 1, 2)]


def test_plays_are_found_or_asked(plays):
    found = 0
    for before, after, labels, move in plays:
        reading = read_play(before, after, scene_of(labels))
        right = reading.play is not None and (reading.play.kind, list(reading.play.cell)) == (
            move["type"], list(move["cell"]),
        )  # fmt: skip
        assert right or not reading.accepted
        found += right
    assert found >= 2


def test_what_changed_is_marked_where_its_pile_stands(plays):
    before, after, labels, _move = plays[0]
    reading = read_play(before, after, scene_of(labels))
    marks = dict(zip(reading.changed, reading.changed_px, strict=True))
    piles = {tuple(pile["cell"]): pile["top_centre_px"] for pile in labels["piles"]}
    both = marks.keys() & piles.keys()
    assert len(both) >= 2
    for cell in both:
        assert np.hypot(*np.subtract(marks[cell], piles[cell])) < 40  # a space is over 100 px wide


def test_the_same_picture_twice_is_no_play(plays):
    before, _after, labels, _move = plays[0]
    reading = read_play(before, before, scene_of(labels))
    assert (reading.play, reading.accepted, reading.changed) == (None, False, ())
    assert "Nothing was played" in reading.differs


def test_a_picture_of_nothing_is_not_called_the_same_board(plays):
    _before, after, labels, _move = plays[0]
    black, grey = np.zeros_like(after), np.full_like(after, 90)
    for pair in ((black, black), (black, after), (grey, grey), (after, grey)):
        reading = read_play(*pair, scene_of(labels))
        assert (reading.play, reading.accepted) == (None, False)
        assert reading.differs == "One of the two pictures doesn't show the board. Take it again."


def turned_away(picture: np.ndarray, labels: dict[str, Any], down_px: int) -> tuple[np.ndarray, dict[str, Any]]:
    """As a camera that is tilted lower would see it, but for what it does not see any more: that is mirrored."""
    move = np.array([[1, 0, 0], [0, 1, -down_px]], np.float32)
    shown = cv2.warpAffine(picture, move, picture.shape[1::-1], borderMode=cv2.BORDER_REFLECT)
    return shown, {**labels, "camera": {**labels["camera"], "cy": labels["camera"]["cy"] - down_px}, "markers": []}


def test_what_lies_out_of_the_picture_is_never_accepted(plays):
    _before, after, labels, _move = plays[0]
    rows = space_middles(scene_of(labels).board).reshape(labels["board"]["n"], -1, 3)
    middle_px = scene_of(labels).pose(after).project(rows[1])[:, 1]
    shown, moved = turned_away(after, labels, int(middle_px.max()))  # the far row is out, the next one half
    reading = read_board(shown, scene_of(moved))
    assert not any(cell.accepted for row in reading.cells[:2] for cell in row)
    assert any(cell.accepted for row in reading.cells[2:] for cell in row)
    twice = read_play(shown, shown, scene_of(moved))
    assert (twice.play, twice.accepted) == (None, False)
    assert "row 1 column 1" in twice.differs


@pytest.mark.parametrize("down_px", [200, 400, 2000])
def test_a_row_below_the_picture_is_no_error(plays, down_px):
    before, after, labels, _move = plays[0]
    (first, moved), (second, _) = (turned_away(picture, labels, -down_px) for picture in (before, after))
    assert not read_play(second, second, scene_of(moved)).accepted
    assert read_play(first, second, scene_of(moved)).changed is not None


@pytest.mark.parametrize("smaller", ["before", "after"])
def test_two_pictures_of_one_camera_may_differ_in_size(plays, smaller):
    """The camera of the scene is that of its own width, whatever size a picture has."""
    for before, after, labels, _move in plays:
        half = cv2.resize(before if smaller == "before" else after, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        pair = (half, after) if smaller == "before" else (before, half)
        reading, whole = read_play(*pair, scene_of(labels)), read_play(before, after, scene_of(labels))
        assert reading.play is None or not whole.accepted or reading.play == whole.play
        assert len(reading.changed) <= len(whole.changed) + 2, "spaces that have nothing to do with the play"
        assert (reading.width, reading.height) == pair[1].shape[1::-1]
        if reading.play is not None and reading.play == whole.play:
            scale = pair[1].shape[1] / after.shape[1]
            assert reading.changed_px[0] == pytest.approx(scale * np.array(whole.changed_px[0]), abs=12)


def test_a_topple_whose_source_is_out_of_the_picture_is_no_sure_placement():
    before, after, labels, move = render_play([77, 7])
    assert (move["type"], move["cell"][0]) == ("topple", 0)
    rows = space_middles(scene_of(labels).board).reshape(labels["board"]["n"], -1, 3)
    down_px = int(scene_of(labels).pose(after).project(rows[0])[:, 1].max())
    (first, moved), (second, _) = (turned_away(picture, labels, down_px) for picture in (before, after))
    assert not read_play(first, second, scene_of(moved)).accepted


def test_two_other_boards_are_no_play(plays):
    reading = read_play(plays[0][0], plays[1][0], scene_of(plays[0][2]))
    assert not reading.accepted
    assert reading.differs


def test_the_commands_speak_json(plays, tmp_path: Path):
    before, after, labels, _move = plays[0]
    scene = tmp_path / "scene.json"
    scene.write_text(json.dumps(labels))
    for name, frame in (("before.png", before), ("after.png", after)):
        cv2.imwrite(str(tmp_path / name), frame)
    photos = [str(tmp_path / "before.png"), str(tmp_path / "after.png")]
    said = CliRunner().invoke(
        cli, ["read", "board", photos[0], "--scene", str(scene), "--json"], catch_exceptions=False
    )
    assert said.exit_code == 0
    (element,) = json.loads(said.stdout)
    assert {"colour", "height", "accepted"} <= element["cells"][0][0].keys()
    assert len(element["cells"]) == labels["board"]["n"]
    said = CliRunner().invoke(cli, ["read", "play", *photos, "--scene", str(scene), "--json"], catch_exceptions=False)
    assert said.exit_code == 0
    element = json.loads(said.stdout)
    assert element["accepted"] in (True, False)
    assert {"play", "alternatives", "changed_cells"} <= element.keys()


# boards one after the other


def test_a_piece_on_one_of_its_own_colour_changes_the_look_of_its_space_alone():
    """What is put there is told by `put` to the picture's maker; the reader sees both pictures."""
    for seed in range(4):
        picture, labels = render_board(np.random.default_rng([78, seed]))
        low = next(pile for pile in labels["piles"] if pile["height"] == 1)

        def put(piles, cell=low["cell"]):
            pile = next(entry for entry in piles if entry["cell"] == cell)
            pile["colours"].append(pile["colours"][-1])
            pile["spots"].append(pile["spots"][-1])

        scene = scene_of(labels)
        reader = BoardSince(lambda frame, scene=scene: (read_spaces(frame, scene), scene))
        assert reader(picture).changed == ()  # there was no rest before
        reader.remember()
        assert reader(picture).changed == ()
        higher = render_board(np.random.default_rng([78, seed]), put)[0]
        assert reader(higher).changed == (tuple(low["cell"]),)
        reader.remember()
        assert reader(higher).changed == ()


def test_what_changed_is_told_of_large_pictures_too(plays):
    before, after, labels, move = plays[0]
    scene = scene_of(labels)
    reader = BoardSince(lambda frame: (read_spaces(frame, scene), scene))
    large = [cv2.resize(picture, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC) for picture in (before, after)]
    reader(large[0])
    reader.remember()
    assert tuple(move["cell"]) in reader(large[1]).changed
