"""The path-traced pictures: their solids are closed, face outwards and lie where the camera says they lie."""

import importlib.util
import os
from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.scene.pose import Pose
from vision.training.drawn.render import Material, face_values
from vision.training.drawn.scenes import random_material
from vision.training.traced.dice import traced_label
from vision.training.traced.rays import (
    MARGIN_PX,
    Lighting,
    Mesh,
    Solid,
    lens_map,
    prism,
    rounded_box,
    sheet,
    surface_of_revolution,
    through_camera,
    trace,
)
from vision.training.traced.scenes import FlatCanvas, plain_of
from vision.training.traced.things import (
    THINGS,
    as_atlas,
    bowl,
    die_of,
    die_picture,
    face_points,
    pip_relief,
    tray,
)

SIZE_PX = (320, 240)


def overhead(tilt_deg: float = 20.0, bend: float = -0.2) -> Pose:
    tilt = np.radians(tilt_deg)
    down, right = np.array([0, np.sin(tilt), -np.cos(tilt)]), np.array([1.0, 0, 0])
    rotation = np.stack([right, np.cross(down, right), down])
    intrinsics = np.array([[500.0, 0, 159.5], [0, 500.0, 119.5], [0, 0, 1]])
    return Pose(intrinsics, np.array([bend, 0, 0, 0, 0]), rotation, -rotation @ (-down * 400.0))


def volume(mesh: Mesh) -> float:
    """By the divergence theorem: right only if every face looks outwards and no face is missing."""
    a, b, c = (mesh.corners[mesh.faces[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def test_solids_are_closed_and_face_outwards():
    box = rounded_box(np.array([20.0, 10.0, 5.0]), 0.01)
    assert volume(box) == pytest.approx(40 * 20 * 10, rel=1e-3)
    assert volume(prism(10.0, 0.0, 30.0, 0.01, around=200)) == pytest.approx(np.pi * 100 * 30, rel=1e-3)
    # a cube whose edges are as round as can be is a ball; so is one that a ball cuts
    assert volume(rounded_box(np.full(3, 10.0), 9.999, steps=30)) == pytest.approx(4 / 3 * np.pi * 1000, rel=0.01)
    cut = rounded_box(np.full(3, 10.0), 1.0, 8, ball_mm=14.0)
    assert np.linalg.norm(cut.corners, axis=1).max() == pytest.approx(14.0)
    for mesh in (box, cut, prism(10.0, 0.0, 30.0)):
        across = np.cross(*(mesh.corners[mesh.faces[:, i]] - mesh.corners[mesh.faces[:, 0]] for i in (1, 2)))
        large = np.linalg.norm(across, axis=1) > 1e-6
        assert (np.einsum("ij,ij->i", across, mesh.normals[mesh.faces[:, 0]])[large] >= 0).all()
        assert np.linalg.norm(mesh.normals, axis=1) == pytest.approx(1)


def test_a_sheet_on_the_table_faces_up():
    flat = sheet(np.array([[-1.0, 1, 0], [1, 1, 0], [1, -1, 0], [-1, -1, 0]]))
    assert flat.normals == pytest.approx(np.tile([0, 0, 1.0], (4, 1)))
    a, b, c = flat.corners[flat.faces[0]]
    assert np.cross(b - a, c - a)[2] > 0


def test_a_turned_solid_keeps_its_size_and_lies_where_it_was_put():
    turn = cv2.Rodrigues(np.array([0.3, -0.5, 0.2]))[0]
    moved = rounded_box(np.array([20.0, 10.0, 5.0]), 0.5).at(np.array([100.0, -50, 7]), turn)
    assert moved.corners.mean(axis=0) == pytest.approx([100, -50, 7], abs=1e-6)
    assert volume(moved) == pytest.approx(volume(rounded_box(np.array([20.0, 10.0, 5.0]), 0.5)))


def test_the_lens_bends_a_traced_picture_as_the_camera_of_the_labels_does():
    pose = overhead()
    straight = Pose(pose.intrinsics, np.zeros(5), pose.rotation, pose.shift_mm)
    xs, ys = lens_map(pose, SIZE_PX)
    places = np.array([[-80.0, 50, 0], [70, -60, 0], [0, 0, 30]])
    for bent, traced in zip(np.round(pose.project(places)).astype(int), straight.project(places), strict=True):
        assert [xs[bent[1], bent[0]], ys[bent[1], bent[0]]] == pytest.approx(traced + MARGIN_PX, abs=1.0)


def test_the_camera_gives_a_picture_of_the_asked_size():
    light = np.random.default_rng(1).uniform(0, 1, (SIZE_PX[1] + 2 * MARGIN_PX, SIZE_PX[0] + 2 * MARGIN_PX, 3))
    picture = through_camera(np.random.default_rng(2), light.astype(np.float32), overhead(), SIZE_PX)
    assert picture.shape == (240, 320, 3)
    assert picture.dtype == np.uint8


def test_what_is_drawn_flat_is_printed_where_it_lies():
    canvas = FlatCanvas(np.random.default_rng(3), 100.0, 16.0)
    canvas.picture[:] = 0
    square = np.array([[20.0, 60, 0], [40, 60, 0], [40, 40, 0], [20, 40, 0]])
    canvas.shape(square, np.ones(3, np.float32))
    rows, columns = np.nonzero(canvas.printed[:, :, 0] > 128)
    u, v = canvas.uv(square).T
    tall, wide = canvas.printed.shape[:2]
    assert [columns.min(), columns.max()] == pytest.approx([u.min() * wide, u.max() * wide], abs=1.5)
    assert [rows.min(), rows.max()] == pytest.approx([(1 - v.max()) * tall, (1 - v.min()) * tall], abs=1.5)


def plain_die(rng: np.random.Generator) -> Material:
    return plain_of(random_material(rng)[0], np.ones(3, np.float32))


def spots_of(face: np.ndarray) -> int:
    """How many separate spots differ from the corner of a face (h, w, 3)."""
    off = np.abs(face.astype(int) - face[2, 2]).max(axis=2) > 60
    return cv2.connectedComponents(off.astype(np.uint8))[0] - 1


def test_the_faces_of_a_die_show_its_values():
    rng = np.random.default_rng(4)
    picture, pips = die_picture(rng, plain_die(rng), face_values(5, rng))
    cell = picture.shape[0] // 2
    counts = {
        (axis, row): spots_of(picture[row * cell : (row + 1) * cell, axis * cell : (axis + 1) * cell])
        for row in range(2)
        for axis in range(3)
    }
    assert counts[2, 0] == 5
    assert all(counts[axis, 0] + counts[axis, 1] == 7 for axis in range(3))
    assert sorted(counts.values()) == [1, 2, 3, 4, 5, 6]
    deep = pip_relief(pips, 0.5, 16.0)
    assert deep[pips < 0.01].max() <= 0.0
    assert deep.min() == pytest.approx(-0.5, abs=0.05)
    assert np.abs(deep[cv2.dilate(pips, np.ones((9, 9))) < 0.01]).max() == pytest.approx(0.0, abs=1e-6)


def test_a_dies_picture_lies_on_its_faces_as_it_was_painted():
    where = as_atlas(face_points())  # each pixel shows its own place on the die
    box = rounded_box(np.ones(3), 1e-3, 4)
    tall, wide = where.shape[:2]
    for corner, (u, v) in zip(box.corners, box.uv, strict=True):
        if np.sort(np.abs(corner))[1] < 0.97:  # not at an edge, where one pixel is another face
            shown = where[min(tall - 1, int((1 - v) * tall)), min(wide - 1, int(u * wide))]
            assert shown == pytest.approx(corner, abs=0.06)


def test_what_is_turned_is_closed_and_faces_outwards():
    cone = surface_of_revolution(np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 30.0]]), around=200)
    assert volume(cone) == pytest.approx(np.pi * 100 * 30 / 3, rel=1e-3)
    ring = surface_of_revolution(np.array([[8.0, 0.0], [10.0, 0.0], [10.0, 5.0], [8.0, 5.0], [8.0, 0.0]]), around=200)
    assert volume(ring) == pytest.approx(np.pi * (100 - 64) * 5, rel=1e-3)


@pytest.mark.parametrize("make", dict.fromkeys(THINGS))
def test_things_stand_on_the_table_within_their_reach(make):
    for seed in range(8):
        solids, reach = make(np.random.default_rng(seed), 16.0)
        corners = np.vstack([solid.mesh.corners for solid in solids])
        assert corners[:, 2].min() >= -0.01
        if reach:
            assert np.linalg.norm(corners[:, :2], axis=1).max() <= reach * 1.001
        else:
            assert corners[:, 2].max() < 3


@pytest.mark.parametrize("make", [bowl, tray])
def test_the_distance_from_a_wall_is_that_from_its_nearest_corner(make):
    middle = np.array([30.0, -20.0])
    solids, apart = make(np.random.default_rng(3), 16.0, middle)
    of_wall = np.vstack([solid.mesh.corners for solid in solids if solid.mesh.corners[:, 2].max() > 2])
    assert apart(of_wall[:, :2]).max() < 0.1
    assert apart(middle) > 30
    assert apart(middle + np.array([300.0, 0])) > 100


def test_the_label_of_a_die_is_where_the_camera_sees_it():
    pose = replace(overhead(tilt_deg=0.0, bend=0.0), intrinsics=np.array([[500.0, 0, 400], [0, 500, 304], [0, 0, 1]]))
    mesh = rounded_box(np.full(3, 8.0), 0.1).at(np.array([0, 0, 8.0]))
    face = np.array([[-8.0, -8, 16], [8, -8, 16], [8, 8, 16], [-8, 8, 16]])
    seen = np.ones((608, 800), bool)
    side = 16 * 500 / (400 - 16)
    label = traced_label(pose, 4, "red", face, mesh, seen)
    assert (label["cx"], label["cy"], label["value"]) == (pytest.approx(400, abs=1), pytest.approx(304, abs=1), 4)
    assert (label["w"], label["h"]) == pytest.approx((side, side), rel=0.02)
    assert label["visible"] == 1
    seen[:, 400:] = False
    assert traced_label(pose, 4, "red", face, mesh, seen)["visible"] == pytest.approx(0.5, abs=0.05)
    assert traced_label(pose, 4, "red", face, mesh, np.zeros_like(seen)) is None


@pytest.mark.skipif(
    importlib.util.find_spec("mitsuba") is None or not os.environ.get("DRJIT_LIBLLVM_PATH"),
    reason="the extra 'trace' or DRJIT_LIBLLVM_PATH is missing: that the tracer's camera agrees with ours is not shown",
)
def test_the_tracer_sees_a_solid_where_the_camera_says():
    pose = overhead(bend=0.0)
    table = sheet(np.array([[-900.0, 900, 0], [900, 900, 0], [900, -900, 0], [-900, -900, 0]]))
    box = rounded_box(np.array([20.0, 8, 8]), 0.2).at(np.array([30.0, 10, 8]))
    solids = [Solid(table, np.full(3, 0.5)), Solid(box, np.array([0.6, 0.1, 0.1]))]
    light, owner = trace(solids, Lighting(np.ones(3), ()), pose, SIZE_PX, seed=1)
    seen = np.zeros(owner.shape, np.uint8)
    outline = cv2.convexHull((pose.project(box.corners) + MARGIN_PX).astype(np.float32))
    cv2.fillConvexPoly(seen, np.round(outline).astype(np.int32), 1)
    both, either = ((owner == 1) & (seen > 0)).sum(), ((owner == 1) | (seen > 0)).sum()
    assert both / either > 0.93
    red = light[owner == 1].mean(axis=0)
    assert red[0] > 2 * red[1]


@pytest.mark.skipif(
    importlib.util.find_spec("mitsuba") is None or not os.environ.get("DRJIT_LIBLLVM_PATH"),
    reason="the extra 'trace' or DRJIT_LIBLLVM_PATH is missing: that a traced die shows its value on top is not shown",
)
@pytest.mark.parametrize("value", [2, 5, 6])
def test_a_traced_die_shows_its_value_on_top(value):
    rng = np.random.default_rng(value)
    pose = overhead(tilt_deg=0.0, bend=0.0)
    table = sheet(np.array([[-900.0, 900, 0], [900, 900, 0], [900, -900, 0], [-900, -900, 0]]))
    solids = [Solid(table, np.full(3, 0.5)), die_of(rng, plain_die(rng), value, 60.0).at(np.array([0, 0, 30.0]))]
    light, owner = trace(solids, Lighting(np.ones(3), ()), pose, SIZE_PX, seed=1)
    rows, columns = np.nonzero(owner == 1)
    face = light[rows.min() + 6 : rows.max() - 5, columns.min() + 6 : columns.max() - 5]
    assert spots_of((np.clip(face, 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)) == value
