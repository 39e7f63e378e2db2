"""Left-over boxes and loaded trucks, judged on pictures drawn here with known truth."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.__main__ import cli
from companion.errors import BadInput
from vision.box_colours import settle_sizes
from vision.load import read_load
from vision.scene_file import scene_of
from vision.training.loads import render_load

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


@pytest.mark.parametrize("size", [(960, 1280), (3, 4), (60, 80)])
def test_a_black_picture_of_any_size_has_no_sure_boxes(loads, size):
    reading = read_load(np.zeros((*size, 3), np.uint8), scene_of({**loads[0][1], "markers": []}))
    assert not reading.outside or not reading.outside_accepted


def test_a_colour_settles_what_a_shape_leaves_open():
    shapes = np.full((3, 9), 0.01)
    shapes[0, 0] = shapes[1, 1] = 1  # surely a one, surely a two
    shapes[2, 0] = shapes[2, 5] = 0.5  # a one, or a two on its end
    white, grey = [222.0, 218.0, 208.0], [105.0, 108.0, 115.0]
    settled = settle_sizes(np.array([white, grey, grey]), shapes, np.zeros((0, 3)), USUAL)
    assert settled.sizes.tolist() == [1, 2, 2]


def test_a_shape_against_its_colour_is_doubted():
    shapes = np.full((3, 9), 0.01)
    shapes[0, 0] = shapes[1, 0] = shapes[2, 1] = 1
    white, grey = [222.0, 218.0, 208.0], [105.0, 108.0, 115.0]
    agree = settle_sizes(np.array([white, white, grey]), shapes, np.zeros((0, 3)), USUAL)
    against = settle_sizes(np.array([white, grey, grey]), shapes, np.zeros((0, 3)), USUAL)
    assert against.confidence < agree.confidence


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
