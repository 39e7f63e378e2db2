"""The camera at table height set up on its mat: found again where it was drawn from, and judged before it is used."""

import json

import cv2
import numpy as np
import pytest

from companion.demo.stacks import TableStack, as_shown
from companion.demo.things import VirtualTable
from companion.equipment.deck import OWN_DECK
from companion.equipment.mat import Kind, mat
from companion.game.readings import Status
from companion.game.readings.mat import LookAtMat, Verdict
from vision.calibration.front_checks import TALLEST_MM
from vision.calibration.look_at_mat import Calibration, look_at
from vision.scene.pose import Pose
from vision.scene.scene import SceneCamera
from vision.tower.reader import read_tower
from vision.training.drawn.mats import HEIGHT_PX, WIDTH_PX, at_picture_size, draw, table_with_mat
from vision.virtual.front import FrontPainter, VirtualFront, front_scene
from vision.watch.known_table import OUTSIDE_BGR, KnownTable

BLOCK_MM = (45.0, 30.0, 15.0)
WISH = LookAtMat(0, block_mm=BLOCK_MM)
CARD = 12


def before(
    printed, aside_deg=0.0, high_deg=13.0, far_mm=930.0, focal_px=1600.0, aim_mm=(0.0, 52.0, 110.0), roll_deg=0.0
):
    """A camera at table height, far_mm from the middle of the spaces."""
    aside, high, roll = np.radians((aside_deg, high_deg, roll_deg))
    aim = np.array(aim_mm)
    away = np.array([np.sin(aside) * np.cos(high), -np.cos(aside) * np.cos(high), np.sin(high)])
    eye = aim * (1, 1, 0) + away * far_mm
    ahead = (aim - eye) / np.linalg.norm(aim - eye)
    right = np.cross(ahead, [np.sin(roll), 0.0, np.cos(roll)])
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(ahead, right), ahead])
    matrix = np.array([[focal_px, 0, (WIDTH_PX - 1) / 2], [0, focal_px, (HEIGHT_PX - 1) / 2], [0, 0, 1.0]])
    return Pose(matrix, np.zeros(5), rotation, -rotation @ eye)


def anywhere(rng, printed):
    """A camera that has the whole mat in view, within what docs/vision/mat.md asks for."""
    focal_px = WIDTH_PX * rng.uniform(0.75, 1.35)
    least_mm = (printed.width_mm + 90) * focal_px / WIDTH_PX * 1.03
    aim_mm = (rng.normal(0, 10), rng.normal(50, 10), rng.uniform(60, 130))
    far_mm = max(rng.uniform(500, 950), least_mm)
    return before(
        printed, rng.uniform(-20, 20), rng.uniform(6, 28), far_mm, focal_px, aim_mm, roll_deg=rng.normal(0, 2)
    )


def lens_of(pose):
    focal = float(pose.intrinsics[0, 0])
    return SceneCamera(WIDTH_PX, HEIGHT_PX, (focal, focal), ((WIDTH_PX - 1) / 2, (HEIGHT_PX - 1) / 2))


def look(frame_bgr, pose):
    return look_at(frame_bgr, lens_of(pose), 16.0, None, BLOCK_MM)


def in_good_light(printed, pose):
    return (at_picture_size(table_with_mat(np.random.default_rng(4), printed, pose)[0]) * 255).astype(np.uint8)


def off_mm(view, pose, printed):
    """How far the reader would look beside stacks as tall as our deck's, at most."""
    feet = [space.middle_mm for space in printed.zones_of(Kind.SPACE)]
    points = np.array([(x + side, y, z) for x, y in feet for side in (-20, 20) for z in (0, 100, 200, 270)], float)
    off_px = np.linalg.norm(view.pose.project(points) - pose.project(points), axis=1).max()
    return off_px * BLOCK_MM[1] / view.figures["block_px"]


def verdicts(view):
    return {check.name: check.verdict for check in view.checks}


@pytest.fixture(scope="module")
def demo():
    """The demo's front camera, with a stack in the second space."""
    stack = TableStack(as_shown(OWN_DECK.cards[CARD]))
    frame_bgr = FrontPainter().picture(VirtualTable(stacks=(TableStack(), stack)), 0)
    return frame_bgr, Calibration("webcam", VirtualFront.lens).look(frame_bgr, WISH)


@pytest.mark.parametrize("name", ["front", "front-2"])
@pytest.mark.parametrize(("aside_deg", "high_deg"), [(0, 7), (-19, 13), (15, 26)])
def test_the_camera_is_found_to_what_a_stack_may_be_off(name, aside_deg, high_deg):
    printed = mat(name)
    pose = before(printed, aside_deg, high_deg, focal_px=1500.0)
    view = look(in_good_light(printed, pose), pose)
    assert view.mat.name == name
    assert view.is_good
    assert off_mm(view, pose, printed) < 2.0
    assert view.figures["aside_deg"] == pytest.approx(abs(aside_deg), abs=1)
    assert view.figures["high_deg"] == pytest.approx(high_deg, abs=1)


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_in_bad_light_with_things_on_its_markers_it_is_found_or_said(number):
    rng, printed = np.random.default_rng([3, number]), mat("front")
    pose = anywhere(rng, printed)
    frame_bgr, _hidden, _blur_px = draw(rng, printed, pose)
    view = look(frame_bgr, pose)
    assert view.pose is None or off_mm(view, pose, printed) < 3.0 or set(verdicts(view).values()) != {Verdict.OK}


def test_the_demos_mat_is_good_and_its_stacks_are_where_the_scene_says(demo):
    frame_bgr, seen = demo
    assert {check.verdict for check in seen.checks} == {Verdict.OK}
    assert seen.scene["block_mm_long_mid_short"] == list(BLOCK_MM)
    assert [marker["id"] for marker in seen.scene["markers"]] == [19, 20, 21, 22, 23, 24]
    table = KnownTable(json.loads(json.dumps(seen.scene)))
    table.find(frame_bgr)
    spaces = read_tower(frame_bgr, table.scene({"references": {"2": {"card": CARD}}})).spaces
    assert [space.status for space in spaces] == [Status.EMPTY, Status.STANDING, Status.EMPTY, Status.EMPTY]
    assert spaces[1].match.same
    assert np.allclose(
        np.diff(seen.scene["space_centres_mm"], axis=0), np.diff(front_scene()["space_centres_mm"], axis=0)
    )


def test_a_bumped_camera_finds_its_place_again(demo):
    frame_bgr, seen = demo
    table = KnownTable(seen.scene)
    turned = cv2.warpAffine(frame_bgr, np.array([[1.0, 0.0, 14.0], [0.0, 1.0, -9.0]]), frame_bgr.shape[1::-1])
    table.find(turned)
    assert table.trouble == ""
    before_px, after_px = (
        KnownTable(fields).scene({}).pose(frame_bgr).project(np.array([[72.5, 52.0, 100.0]]))[0]
        for fields in (seen.scene, table._fields)
    )
    assert after_px - before_px == pytest.approx([14.0, -9.0], abs=1.0)


def test_a_mat_that_is_gone_is_said(demo):
    frame_bgr, seen = demo
    table = KnownTable(seen.scene)
    table.find(np.full_like(frame_bgr, 90))
    assert "I can't see the whole mat" in table.trouble


def test_only_what_stands_on_the_mat_leaves_the_process():
    printed = mat("front")
    pose = before(printed, focal_px=700.0)
    frame_bgr = in_good_light(printed, pose)
    table = KnownTable(Calibration("webcam", lens_of(pose)).look(frame_bgr, WISH).scene)
    shown = table.only_mat(frame_bgr)
    x, y = pose.project(np.array([[-72.5, 52.0, TALLEST_MM]]))[0].astype(int)
    assert (shown[y, x - 5 : x + 5] == frame_bgr[y, x - 5 : x + 5]).all()
    assert (shown[0] == OUTSIDE_BGR).all()
    assert (shown[-1] == OUTSIDE_BGR).all()
    assert (shown[:, 0] == OUTSIDE_BGR).all()
    assert (shown[:, -1] == OUTSIDE_BGR).all()


def test_each_thing_that_may_be_wrong_is_told_apart():
    printed = mat("front")

    def judged(frame=lambda frame_bgr: frame_bgr, **place):
        pose = before(printed, **place)
        return verdicts(look(frame(in_good_light(printed, pose)), pose))

    good = judged()
    assert set(good.values()) == {Verdict.OK}
    assert judged(aside_deg=27.0)["tilt"] is Verdict.WARN
    assert judged(aside_deg=40.0)["tilt"] is Verdict.BAD
    assert judged(high_deg=33.0)["height"] is Verdict.WARN
    assert judged(far_mm=2200.0)["size"] is not Verdict.OK
    assert judged(aim_mm=(0.0, 52.0, -60.0), focal_px=1600.0)["room"] is Verdict.WARN
    assert judged(lambda frame: cv2.GaussianBlur(frame, (0, 0), 3.0)).get("focus", Verdict.BAD) is not Verdict.OK
    assert judged(lambda frame: (frame * 0.25).astype(np.uint8)).get("light", Verdict.BAD) is Verdict.BAD


def test_a_mat_of_the_other_camera_is_refused_and_named():
    printed = mat("front")
    pose = before(printed)
    frame_bgr = in_good_light(printed, pose)
    from_above = look_at(frame_bgr, lens_of(pose), 16.0)
    assert not from_above.is_good
    assert "at table height" in from_above.checks[0].text
    nothing = look(np.full((480, 640, 3), 90, np.uint8), pose)
    assert "--layout front" in nothing.checks[0].text


def test_room_is_wanted_for_the_tallest_stack_of_the_deck():
    tallest = max(block.bottom_mm + block.height_mm for card in OWN_DECK.cards.values() for block in card.blocks)
    assert tallest == TALLEST_MM
