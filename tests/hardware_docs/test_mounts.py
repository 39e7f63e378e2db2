"""The printable parts: closed bodies, no larger than a usual printer's bed, and made from the sources beside them."""

import json
import math

import pytest

from hardware.tools.mounts import DIGESTS, HARDWARE, STL, digest, open_edges, parts, size_mm, triangles, volume_mm3

PARTS = list(parts())
BED_MM = 220
CUBE = [
    ((0, 0, 0), (0, 1, 0), (1, 1, 0)),
    ((0, 0, 0), (1, 1, 0), (1, 0, 0)),
    ((0, 0, 1), (1, 0, 1), (1, 1, 1)),
    ((0, 0, 1), (1, 1, 1), (0, 1, 1)),
    ((0, 0, 0), (1, 0, 0), (1, 0, 1)),
    ((0, 0, 0), (1, 0, 1), (0, 0, 1)),
    ((0, 1, 0), (0, 1, 1), (1, 1, 1)),
    ((0, 1, 0), (1, 1, 1), (1, 1, 0)),
    ((0, 0, 0), (0, 0, 1), (0, 1, 1)),
    ((0, 0, 0), (0, 1, 1), (0, 1, 0)),
    ((1, 0, 0), (1, 1, 0), (1, 1, 1)),
    ((1, 0, 0), (1, 1, 1), (1, 0, 1)),
]


def test_the_judge_knows_a_closed_body_from_an_open_one():
    assert (open_edges(CUBE), volume_mm3(CUBE)) == (0, 1)
    assert open_edges(CUBE[1:]) == 3
    turned = (CUBE[0][0], CUBE[0][2], CUBE[0][1])
    assert open_edges([turned, *CUBE[1:]]) > 0


def test_every_source_has_its_parts():
    assert {part.stem for part in PARTS} == {stl.stem for stl in STL.glob("*.stl")}
    assert len(PARTS) >= 7


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.stem)
def test_a_part_can_be_printed(part):
    mesh = triangles(part.stl.read_bytes())
    assert open_edges(mesh) == 0
    assert volume_mm3(mesh) > 1000
    width, depth, height = size_mm(mesh)
    assert max(width, depth) <= BED_MM
    assert height <= BED_MM
    assert min(z for triangle in mesh for _, _, z in triangle) == pytest.approx(0, abs=0.01)  # it lies on the bed


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.stem)
def test_a_part_is_that_of_its_source(part):
    made = json.loads(DIGESTS.read_text())
    assert made[part.stem] == digest(part), "run make stl"


@pytest.mark.parametrize(("part", "button_mm", "deep_mm"), [("box", 34, 34), ("big_box", 60, 60)])
def test_a_seats_led_stays_clear_of_its_button_and_the_button_has_room(part, button_mm, deep_mm):
    # a button of 30 mm has a rim of 34; dome buttons of 60 mm with a lamp are 60 mm deep
    (box,) = [each for each in PARTS if each.stem == f"seat-box-{part}"]
    mesh = triangles(box.stl.read_bytes())
    on_top = {(x, y) for triangle in mesh for x, y, z in triangle if abs(z) < 0.01}
    inner = min(math.hypot(x, y) for x, y in on_top)  # the rim of the button's hole
    led = [(x, y) for x, y in on_top if abs(x) < 3 and inner + 1 < math.hypot(x, y) and y > -size_mm(mesh)[1] / 2 + 3]
    led = [(x, y) for x, y in led if y < 0]
    assert min(math.hypot(x, y) for x, y in led) > button_mm / 2
    assert size_mm(mesh)[2] - 3 >= deep_mm  # the top is 3 mm thick


def test_models_and_pictures_stay_small():
    assert sum(stl.stat().st_size for stl in STL.glob("*.stl")) < 1_000_000
    assert all(picture.stat().st_size < 100_000 for picture in (HARDWARE / "pictures").iterdir())
