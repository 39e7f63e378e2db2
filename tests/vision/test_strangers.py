"""Pictures of things that are no dice, for teaching: what they show is labelled, and no die is among it."""

import json

import cv2
import numpy as np
import pytest

from vision.training.drawn import strangers
from vision.training.drawn.cloths import CLOTHS
from vision.training.drawn.render import Lamp, draw_solid
from vision.training.drawn.solids import SIDES, depth_of, face_normals, lying_on
from vision.training.drawn.strange import render_strange, write_strange
from vision.training.nets import samples
from vision.training.nets.renumbered import renumbered

FACES_OF_PLATONIC = {4: 1 / 3, 6: 1 / 3**0.5, 8: 1 / 3**0.5, 12: 0.7947, 20: 0.7947}  # inner over outer radius


@pytest.mark.parametrize("sides", SIDES)
def test_a_solid_has_as_many_faces_as_its_name_says(sides):
    normals = face_normals(sides)
    assert normals.shape == (sides, 3)
    assert np.allclose(np.linalg.norm(normals, axis=1), 1)
    assert np.allclose(normals.sum(axis=0), 0, atol=1e-5)
    turned = normals @ normals.T - 2 * np.eye(sides)
    assert turned.max() < 0.95  # no face twice


@pytest.mark.parametrize("sides", [4, 6, 8, 12, 20])
def test_regular_solids_are_as_deep_as_euclid_says(sides):
    assert depth_of(sides) == pytest.approx(FACES_OF_PLATONIC[sides], abs=0.002)


@pytest.mark.parametrize("sides", SIDES)
def test_a_die_lies_on_the_face_it_is_laid_on(sides):
    for face in face_normals(sides):
        turn = lying_on(face, 0.7)
        assert np.allclose(turn @ turn.T, np.eye(3), atol=1e-6)
        assert np.linalg.det(turn) == pytest.approx(1)
        assert (turn @ face)[2] == pytest.approx(-1, abs=1e-5)


@pytest.mark.parametrize("make", [make for make, _ in strangers.STRANGERS])
def test_each_thing_can_be_seen_and_lies_on_the_table(make):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        thing = make(rng)
        canvas = np.full((200, 200, 3), 0.5, np.float32)
        above = np.array([[50.0, 0, 0], [0, -50, 0]])
        lamp = Lamp(np.array([0, 0, 1.0]), 0.5, 0.5, 0.05)
        drawn = draw_solid(canvas, np.array([100.0, 100]), above * thing.unit, thing.turn, thing.solid, lamp, rng)
        assert drawn is not None
        assert (drawn[2] > 0.5).sum() > 150
        assert 0 < thing.height <= 1.2
        assert 0.2 < thing.reach < 3.5


@pytest.mark.parametrize("lay", CLOTHS)
def test_each_cloth_is_a_picture_that_is_not_plain(lay):
    top = lay(np.random.default_rng(5), 300, 30.0)
    assert top.shape == (300, 300, 3)
    assert top.dtype == np.uint8
    assert top.std() > 3


def test_a_picture_of_a_seed_is_always_the_same():
    one, other = (render_strange(np.random.default_rng([3, 1]), 320, 256) for _ in range(2))
    assert np.array_equal(one[0], other[0])
    assert one[1:] == other[1:]


def test_things_lie_beside_the_dice_not_on_them():
    met = 0
    for seed in range(12):
        _, dice, others = render_strange(np.random.default_rng([9, seed]), 320, 256)
        for die in dice:
            for x, y, side in others:
                met += 1
                assert np.hypot(die["cx"] - x, die["cy"] - y) > 0.25 * min(side, max(die["w"], die["h"]))
    assert met > 10


def test_what_is_written_is_loaded_as_no_dice(tmp_path):
    write_strange(tmp_path, 3, 4)
    entries = json.loads((tmp_path / "labels-4.json").read_text())
    pictures = samples.load_own(tmp_path)
    assert [len(picture.dice) for picture in pictures] == [len(entry["dice"]) for entry in entries]
    assert sum(len(entry["others"]) for entry in entries) > 5
    for picture, entry in zip(pictures, entries, strict=True):
        assert (0 if picture.found is None else len(picture.found)) == 5 * len(entry["others"])


def test_a_crop_of_a_thing_is_a_sample_without_a_die():
    picture = samples.Picture(
        np.zeros(0, np.uint8),
        "strange",
        np.zeros((0, 6), np.float32),
        np.zeros((0, 4, 2), np.float32),
        samples.parts_of([[60.0, 50.0, 40.0]]),
    )
    pixels = np.random.default_rng(1).integers(0, 255, (100, 120, 3)).astype(np.uint8)
    drawn = [samples.face_sample(np.random.default_rng(i), picture, pixels, 64, 2.0, 0.0) for i in range(20)]
    assert {sample[1] for sample in drawn if sample} == {0}


def test_a_die_gets_a_numeral_in_place_of_its_pips():
    crop = np.full((64, 64, 3), 90, np.uint8)
    cv2.rectangle(crop, (16, 16), (48, 48), (235, 235, 235), -1)
    for x, y in ((24, 24), (40, 40), (24, 40), (40, 24)):
        cv2.circle(crop, (x, y), 3, (15, 15, 15), -1)
    shown = renumbered(np.random.default_rng(2), crop)
    assert shown is not None
    assert np.array_equal(shown[:12], crop[:12])
    assert min(int(shown[y, x].min()) for x, y in ((24, 24), (40, 40), (24, 40), (40, 24))) > 15
    assert (shown[18:46, 18:46] < 120).any()


def test_a_die_without_pips_gets_no_numeral():
    assert renumbered(np.random.default_rng(2), np.full((64, 64, 3), 90, np.uint8)) is None
