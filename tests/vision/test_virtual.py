"""The virtual camera: what it draws is what lies there, and only pixels leave it."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.demo.things import TableDie, VirtualTable, thrown
from vision.virtual.camera import VirtualCamera, is_moving
from vision.virtual.dice import BODY_BGR, FACE_AXES, NORMALS, face_up, resting_pose
from vision.virtual.painter import Painter
from vision.virtual.view import HEIGHT_PX, WIDTH_PX, project

DIE = TableDie("die-1", 5, 200.0, 150.0, 20.0)


@pytest.fixture(scope="module")
def painter():
    return Painter()


class Pacer:
    """A clock that moves only when the camera waits."""

    def __init__(self) -> None:
        self.us = 0
        self.waits: list[float] = []

    def now_us(self) -> int:
        return self.us

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.us += round(seconds * 1_000_000)


def top_face(frame_bgr, die, side_px=90):
    """The top face of a die, cut out and turned upright."""
    height_mm = 16.0
    corners = [(-8, -8), (8, -8), (8, 8), (-8, 8)]
    turn = np.radians(die.angle_deg)
    points = [
        (
            die.x_mm + x * np.cos(turn) - y * np.sin(turn),
            -(die.y_mm + x * np.sin(turn) + y * np.cos(turn)),
            height_mm,
        )
        for x, y in corners
    ]
    square = np.float32([[0, 0], [side_px, 0], [side_px, side_px], [0, side_px]])
    return cv2.warpPerspective(
        frame_bgr, cv2.getPerspectiveTransform(np.float32(project(np.array(points))), square), (side_px, side_px)
    )


def pips(face_bgr, dark):
    grey = cv2.cvtColor(face_bgr, cv2.COLOR_BGR2GRAY)[12:-12, 12:-12]
    mask = (grey < 100 if dark else grey > 150).astype(np.uint8)
    _, _, boxes, _ = cv2.connectedComponentsWithStats(mask)
    return sum(40 < area < 600 for *_, area in boxes[1:])


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize(("colour", "dark"), [("white", True), ("red", False), ("yellow", True), ("black", False)])
def test_the_value_lies_on_top(painter, value, colour, dark):
    die = replace(DIE, value=value, colour=colour)
    frame_bgr = painter.picture(VirtualTable((die,)), 0)
    assert pips(top_face(frame_bgr, die), dark) == value


def test_opposite_faces_add_to_seven():
    assert all(np.allclose(np.add(NORMALS[value], NORMALS[7 - value]), 0) for value in NORMALS)


def test_one_two_three_run_counter_clockwise():
    one, two, three = (FACE_AXES[value][0] for value in (1, 2, 3))
    assert np.dot(one, np.cross(two, three)) == 1


@pytest.mark.parametrize("value", range(1, 7))
def test_turning_a_face_up_is_a_rotation(value):
    rotation = face_up(value)
    assert np.allclose(rotation @ rotation.T, np.eye(3))
    assert np.isclose(np.linalg.det(rotation), 1)
    assert np.allclose(rotation @ FACE_AXES[value][0], (0, 0, 1))


def test_a_picture_shows_noise_and_a_still_table(painter):
    table = VirtualTable((DIE,))
    first, second = painter.picture(table, 0), painter.picture(table, 0)
    assert first.shape == (HEIGHT_PX, WIDTH_PX, 3)
    difference = first.astype(int) - second.astype(int)
    assert 1.0 < difference.std() < 6.0
    assert abs(difference.mean()) < 0.1


def test_the_far_edge_is_the_upper_one_and_y_runs_towards_the_viewer():
    far, near = project(np.array([[200.0, 0.0, 0.0], [200.0, -300.0, 0.0]]))
    assert 0 < far[1] < near[1] < HEIGHT_PX


def test_dice_in_the_corners_are_in_the_picture():
    corners = [(10, 10), (390, 10), (390, 290), (10, 290)]
    points = project(np.array([resting_pose(replace(DIE, x_mm=x, y_mm=y)).centre_mm for x, y in corners]))
    assert (points > 20).all()
    assert (points < (WIDTH_PX - 20, HEIGHT_PX - 20)).all()


def test_a_throw_moves_until_it_rests(painter):
    table = thrown(VirtualTable(), (DIE,), 1_000_000)
    early = painter.picture(table, 1_100_000)
    late = painter.picture(table, 1_200_000)
    rested = painter.picture(table, table.throw.rests_us)
    still = painter.picture(VirtualTable((DIE,)), 0)
    assert np.abs(early.astype(int) - late).max() > 60
    assert np.abs(late.astype(int) - rested).max() > 60
    assert np.abs(rested.astype(int) - still).max() < 40  # noise


def test_dice_that_were_not_picked_up_lie_still_during_a_throw(painter):
    resting = replace(DIE, key="die-2", x_mm=60.0, y_mm=60.0)
    before = VirtualTable((DIE, resting))
    table = thrown(before, (replace(DIE, value=2, x_mm=300.0), resting), 0)
    place = project(np.array([resting_pose(resting).centre_mm]))[0].astype(int)
    part = np.s_[place[1] - 30 : place[1] + 30, place[0] - 30 : place[0] + 30]
    assert np.abs(painter.picture(table, 200_000)[part].astype(int) - painter.picture(before, 0)[part]).max() < 40


def test_frames_come_thirty_a_second_in_a_throw_and_fifteen_else():
    pacer = Pacer()
    with VirtualCamera(wait=pacer.wait, now_us=pacer.now_us) as camera:
        frames = camera.frames()
        stamps = [next(frames).at_us for _ in range(4)]
        assert np.diff(stamps).tolist() == [66_666, 66_666, 66_666]
        camera.table = thrown(VirtualTable(), (DIE,), pacer.us)
        next(frames)  # asked for before the throw
        stamps = [next(frames).at_us for _ in range(4)]
        assert np.diff(stamps).tolist() == [33_333, 33_333, 33_333]


def test_few_frames_come_of_a_table_that_nobody_asks_about():
    pacer = Pacer()
    with VirtualCamera(wait=pacer.wait, now_us=pacer.now_us) as camera:
        frames = camera.frames()
        while next(frames).at_us < 6_000_000:
            pass
        stamps = [next(frames).at_us for _ in range(3)]
        assert np.diff(stamps).tolist() == [250_000, 250_000]
        camera.asked_us = pacer.us
        stamps = [next(frames).at_us for _ in range(3)]
        assert np.diff(stamps).tolist() == [66_666, 66_666]


def test_throws_are_told_in_table_time():
    pacer = Pacer()
    table = thrown(VirtualTable(), (DIE,), 5_000_000)
    with VirtualCamera(table, wait=pacer.wait, now_us=pacer.now_us) as camera:
        camera.offset_us = 5_000_000
        frame = next(camera.frames())
        assert frame.at_us == 0
        assert np.abs(frame.bgr.astype(int) - Painter().picture(VirtualTable((DIE,)), 0)).max() > 60
        assert camera.full(frame) is frame


def test_a_throw_is_over_a_moment_after_it_rests():
    table = thrown(VirtualTable(), (DIE,), 0)
    assert is_moving(table, 0)
    assert not is_moving(table, 10_000_000)
    assert not is_moving(VirtualTable(), 0)


def test_a_colour_nobody_knows_is_drawn_white(painter):
    strange = painter.picture(VirtualTable((replace(DIE, colour="plaid"),)), 0)
    white = painter.picture(VirtualTable((DIE,)), 0)
    assert np.abs(strange.astype(int) - white).max() < 40
    assert "white" in BODY_BGR
