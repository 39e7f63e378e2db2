"""Left-over boxes and loaded trucks, judged on pictures drawn here with known truth."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.__main__ import cli
from companion.errors import BadInput
from vision.load import reader as load
from vision.load.colours import SIZES, settle_sizes
from vision.load.reader import read_load
from vision.scene.file import scene_of
from vision.training.drawn.loads import render_load

JUDGED_SEED, JUDGED = 43, 6  # neither the networks' pictures nor those that thresholds were set on
USUAL = {1: "white", 2: "grey", 3: "brown", 4: "turquoise", 5: "purple"}


@pytest.fixture(scope="module")
def loads() -> list[tuple[np.ndarray, dict[str, Any]]]:
    cv2.setNumThreads(1)
    return [render_load(np.random.default_rng([JUDGED_SEED, index])) for index in range(JUDGED)]


def left_over(labels: dict[str, Any]) -> dict[int, int]:
    counts = labels["beside_counts_length_colour"].items()
    return {int(key.split(":")[0]): count for key, count in sorted(counts)}


def test_what_is_sure_is_right(loads):
    for frame, labels in loads:
        reading = read_load(frame, scene_of(labels))
        assert not reading.outside_accepted or reading.outside == left_over(labels)
        assert sum(reading.outside.values()) == len(reading.boxes)


def test_most_boxes_are_found_with_their_length_and_as_they_stand(loads):
    right = total = read = 0
    for frame, labels in loads:
        scene = scene_of(labels)
        pose, unit = scene.pose(frame), labels["unit_mm"]
        boxes = list(read_load(frame, scene).boxes)
        read += len(boxes)
        for box in (box for box in labels["boxes"] if box["where"] == "beside"):
            high = unit * (box["length"] if box["standing"] else 1)
            middle = np.array([*box["position_mm"][:2], high])
            top, aside = pose.project(np.array([middle, middle + np.array([unit, 0, 0])]))
            near = [seen for seen in boxes if np.hypot(*(top - [seen.cx, seen.cy])) < 0.5 * np.hypot(*(aside - top))]
            right += any((seen.size, seen.standing) == (box["length"], box["standing"]) for seen in near)
            total += 1
    assert total >= 30
    assert right >= 0.9 * total
    assert abs(read - total) <= 0.1 * total


def test_squares_have_the_trucks_shape_and_mostly_the_right_filling(loads):
    right = total = 0
    for frame, labels in loads:
        reading = read_load(frame, scene_of(labels))
        for truck, known in zip(reading.trucks, labels["trucks"], strict=True):
            assert [len(row) for row in truck.cells] == [known["columns"]] * known["rows"]
            for row, column in np.ndindex(known["rows"], known["columns"]):
                if known["loading_area_row_col"][row][column]:
                    right += truck.cells[row][column].filled == bool(known["height_map_row_col"][row][column])
                    total += 1
    assert right >= 0.85 * total


@pytest.mark.parametrize("lacks", ["unit_mm", "camera"])
def test_a_scene_that_lacks_something_is_told_which(loads, lacks):
    frame, labels = loads[0]
    with pytest.raises(BadInput, match=lacks):
        read_load(frame, replace(scene_of(labels), **{lacks: None}))


@pytest.mark.parametrize("times", [0.25, 0.5, 0.7, 1.5, 2, 4])
def test_a_unit_that_contradicts_the_trucks_is_refused(loads, times):
    frame, labels = next((frame, labels) for frame, labels in loads if labels["trucks"])
    with pytest.raises(BadInput, match=f"{labels['unit_mm'] * times:.1f} mm wide"):
        read_load(frame, scene_of({**labels, "unit_mm": labels["unit_mm"] * times}))


@pytest.mark.parametrize("size", [(960, 1280), (3, 4), (60, 80)])
def test_a_picture_that_shows_nothing_is_asked_about(loads, size):
    frame = np.zeros((*size, 3), np.uint8)
    assert not read_load(frame, scene_of({**loads[0][1], "markers": []})).outside_accepted


def test_a_picture_far_out_of_focus_is_asked_about(loads):
    for frame, labels in loads:
        blurred = cv2.GaussianBlur(frame, (0, 0), 30)
        assert not read_load(blurred, scene_of({**labels, "markers": []})).outside_accepted


@pytest.mark.parametrize("level", [0, 80])
def test_a_table_on_which_no_box_is_seen_anywhere_is_asked_about(loads, level):
    speckles = np.random.default_rng(5).integers(level, 256, (960, 1280, 3), np.uint8)
    reading = read_load(speckles, scene_of({**loads[0][1], "markers": [], "trucks": []}))
    assert reading.outside == {}
    assert not reading.outside_accepted


def test_squares_out_of_the_picture_are_asked_about(loads):
    frame, labels = next((frame, labels) for frame, labels in loads if labels["trucks"])
    truck = labels["trucks"][0]
    away = [[x + 5000, y, z] for x, y, z in truck["area_corners_mm_tl_tr_br_bl"]]
    open_ = [[1] * truck["columns"]] * truck["rows"]
    aside = {**truck, "area_corners_mm_tl_tr_br_bl": away, "loading_area_row_col": open_}
    (read,) = read_load(frame, scene_of({**labels, "trucks": [aside]})).trucks
    assert not any(square.accepted for row in read.cells for square in row)


def test_a_size_and_how_it_stands_belong_together(loads):
    kinds = {kind for frame, labels in loads for kind in kinds_read(frame, labels)}
    assert kinds <= set(load.KINDS)
    box = load.BoxLook(1.0, np.array([0.1, 0, 0, 0, 0, 0, 0.9, 0, 0]), np.zeros(2))  # looks like a three on its end
    assert load.KINDS[load.kind_of(box, 1)] == (1, False)
    assert load.KINDS[load.kind_of(box, 3)] == (3, True)


def kinds_read(frame: np.ndarray, labels: dict[str, Any]) -> list[tuple[int, bool]]:
    return [(box.size, box.standing) for box in read_load(frame, scene_of(labels)).boxes]


def test_a_chequered_cloth_takes_no_more_time_than_a_full_table_and_is_asked_about(loads, monkeypatch):
    chequers = (np.indices((32, 43)).sum(axis=0) % 2 * 255).astype(np.uint8)
    cloth = cv2.cvtColor(np.kron(chequers, np.ones((30, 30), np.uint8))[:960, :1280], cv2.COLOR_GRAY2BGR)
    shown = []
    network = load.load_reader()

    def run(cuts: np.ndarray) -> list[np.ndarray]:
        shown.append(len(cuts))
        return network.run(cuts)

    monkeypatch.setattr(load, "load_reader", lambda: SimpleNamespace(run=run))
    reading = read_load(cloth, scene_of({**loads[0][1], "markers": [], "trucks": []}))
    assert not reading.outside_accepted
    assert max(shown) <= load.BATCH
    assert sum(shown) <= 2 * load.MOST_TOPS


def test_a_colour_settles_what_a_shape_leaves_open():
    shapes = np.full((3, 9), 0.01)
    shapes[0, 0] = shapes[1, 1] = 1  # surely a one, surely a two
    shapes[2, 0] = shapes[2, 5] = 0.5  # a one, or a two on its end
    white, grey = [222.0, 218.0, 208.0], [105.0, 108.0, 115.0]
    settled = settle_sizes(np.array([white, grey, grey]), shapes, np.ones(3, bool), np.zeros((0, 3)), USUAL)
    assert SIZES[settled.chances.argmax(axis=1)].tolist() == [1, 2, 2]


def test_what_is_surely_no_box_teaches_no_colour():
    shapes = np.full((3, 9), 0.01)
    shapes[0, 0] = shapes[1, 1] = 1
    shapes[2, 0] = shapes[2, 5] = 0.5
    green, red = [45.0, 120.0, 60.0], [170.0, 35.0, 40.0]
    seen = np.array([green, red, red])
    taught = settle_sizes(seen, shapes, np.array([True, True, True]), np.zeros((0, 3)), {})
    untaught = settle_sizes(seen, shapes, np.array([True, False, True]), np.zeros((0, 3)), {})
    assert taught.chances[2, 1] > untaught.chances[2, 1] + 0.1


def test_a_shape_against_its_colour_is_doubted():
    shapes = np.full((3, 9), 0.01)
    shapes[0, 0] = shapes[1, 0] = shapes[2, 1] = 1
    white, grey = [222.0, 218.0, 208.0], [105.0, 108.0, 115.0]
    boxes = np.ones(3, bool)
    agree = settle_sizes(np.array([white, white, grey]), shapes, boxes, np.zeros((0, 3)), USUAL)
    against = settle_sizes(np.array([white, grey, grey]), shapes, boxes, np.zeros((0, 3)), USUAL)
    assert against.chances[1, 0] < agree.chances[1, 0]


def test_what_has_the_paint_of_another_box_is_likelier_a_box():
    white, grey, wood = [222.0, 218.0, 208.0], [105.0, 108.0, 115.0], [205.0, 170.0, 125.0]
    sure, doubted, in_a_truck = (load.BoxLook(likely, np.full(9, 1 / 9), np.zeros(2)) for likely in (0.99, 0.5, 0.0))

    def likely(paint: list[float], loaded: list[list[float]]) -> float:
        boxes = [sure, doubted, in_a_truck]
        weighed = load.weigh_by_colour(boxes, np.array([white, paint, white]), np.array(loaded).reshape(-1, 3))
        assert weighed[2].likely == 0
        return weighed[1].likely

    assert likely(white, []) > 0.7  # the paint of the one that is sure
    assert likely(grey, [grey]) > 0.7  # of a loaded one
    assert likely(wood, [grey]) < 0.3  # of the table


def test_a_game_that_knows_the_roll_is_answered_within_it(loads):
    right = alone = 0
    for frame, labels in loads:
        rolled: dict[str, int] = {}
        for box in labels["boxes"]:
            rolled[str(box["length"])] = rolled.get(str(box["length"]), 0) + 1
        told = read_load(frame, scene_of({**labels, "rolls": [rolled]} if len(labels["trucks"]) == 1 else labels))
        assert all(count <= rolled[str(size)] for size, count in told.outside.items()) or not told.outside_accepted
        assert not told.outside_accepted or told.outside == left_over(labels)
        right += told.outside == left_over(labels)
        alone += read_load(frame, scene_of(labels)).outside == left_over(labels)
    assert right >= alone


@pytest.mark.parametrize(
    "rolls", [[{"1": 2}, 3], [{"6": 1}], [{"1": -1}], [{"1": 16}], [{"1": True}], [{"1": 1.5}], {"1": 2}]
)
def test_a_roll_that_none_can_be_is_refused(rolls):
    with pytest.raises(BadInput, match="rolls"):
        scene_of({"rolls": rolls})


def test_the_command_speaks_json(loads, tmp_path: Path):
    frame, labels = loads[0]
    (tmp_path / "scene.json").write_text(json.dumps(labels))
    cv2.imwrite(str(tmp_path / "load.png"), frame)
    said = CliRunner().invoke(
        cli,
        ["read", "load", str(tmp_path / "load.png"), "--scene", str(tmp_path / "scene.json"), "--json"],
        catch_exceptions=False,
    )
    assert said.exit_code == 0
    (element,) = json.loads(said.stdout)
    assert {"outside", "accepted", "trucks"} <= element.keys()
    assert all(size in "12345" for size in element["outside"])
    assert {"filled", "colour", "accepted"} <= element["trucks"][0]["cells"][0][0].keys()
