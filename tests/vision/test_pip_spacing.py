"""How far pips lie apart, measured on faces drawn here with pips exactly where the test puts them."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.game.readings import DieReading
from vision.scene.scene import Pose
from vision.stacks.pip_spacing import spacing_of
from vision.stacks.reader import with_spacings

SIDE_MM, EYE_MM, FOCAL_PX = 16.0, 700.0, 1600.0
FINER = 8  # circles are drawn so much larger and made smaller again: their middles lie to a hundredth of a pixel
PLACES = {
    2: [(-1, -1), (1, 1)], 3: [(-1, 1), (0, 0), (1, -1)], 4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    5: [(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)], 6: [(-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)],
}  # fmt: skip


def camera(tilt_deg: float = 0.0) -> Pose:
    tilt = np.radians(180 + tilt_deg)
    rotation = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    intrinsics = np.array([[FOCAL_PX, 0, 80.0], [0, FOCAL_PX, 80.0], [0, 0, 1]])
    eye_mm = rotation.T @ np.array([0, 0, -EYE_MM])
    return Pose(intrinsics, np.zeros(5), rotation, -rotation @ eye_mm)


def face(
    value: int,
    *,
    levels: int = 2,
    spread: float = 0.52,
    turn_deg: float = 0.0,
    pose: Pose | None = None,
    body: int = 220,
    pip: int = 30,
    places: list[tuple[float, float]] | None = None,
) -> tuple[np.ndarray, DieReading]:
    """A picture of one top face so many levels up, and how the reader would give it."""
    pose = pose or camera()
    turn = np.radians(turn_deg)
    axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    picture = np.full((160 * FINER, 160 * FINER, 3), 120, np.uint8)

    def outline(points: np.ndarray) -> np.ndarray:
        world = np.hstack([points @ axes * SIDE_MM / 2, np.full((len(points), 1), levels * SIDE_MM)])
        return np.round((pose.project(world) + 0.5) * FINER - 0.5).astype(np.int32)

    cv2.fillConvexPoly(picture, outline(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])), (body, body, body))
    circle = np.array([[np.cos(a), np.sin(a)] for a in np.linspace(0, 2 * np.pi, 40)]) * 0.17
    for middle in places or PLACES.get(value, [(0, 0)]):
        cv2.fillConvexPoly(picture, outline(np.array(middle) * spread + circle), (pip, pip, pip))
    picture = cv2.GaussianBlur(cv2.resize(picture, (160, 160), interpolation=cv2.INTER_AREA), (0, 0), 0.8)
    (middle,), (right,) = (
        pose.project(np.array([[0, 0, levels * SIDE_MM]])),
        pose.project(np.array([[*(np.array([1.0, 0.0]) @ axes), levels * SIDE_MM]])),
    )
    angle = float(np.degrees(np.arctan2(*(right - middle)[::-1])))
    side = FOCAL_PX * SIDE_MM / (EYE_MM - levels * SIDE_MM)
    return picture, DieReading(value, *middle.tolist(), side, side, angle, "white", 0.99, True, ((value, 0.99),))


@pytest.mark.parametrize("value", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("turn_deg", [0.0, 17.0, 45.0])
@pytest.mark.parametrize(("body", "pip"), [(220, 30), (40, 230)])
def test_pips_are_measured_to_half_a_percent(value, turn_deg, body, pip):
    picture, die = face(value, turn_deg=turn_deg, body=body, pip=pip)
    spacing = spacing_of(picture, camera(), SIDE_MM, die)
    assert spacing is not None
    assert spacing.spread == pytest.approx(0.52, rel=0.005)
    assert spacing.doubt < 0.01


@pytest.mark.parametrize("value", [2, 4, 6])
@pytest.mark.parametrize("tilt_deg", [0.0, 12.0, 24.0])
def test_each_level_brings_them_apart_by_its_share(value, tilt_deg):
    pose = camera(tilt_deg)
    spreads = []
    for levels in (1, 2, 3, 4):
        picture, die = face(value, levels=levels, pose=pose)
        spacing = spacing_of(picture, pose, SIDE_MM, die)
        assert spacing is not None
        spreads.append(spacing.spread)
    far = pose.eye_mm[2] - np.array([1, 2, 3, 4]) * SIDE_MM
    assert np.log(np.array(spreads) / spreads[1]) == pytest.approx(np.log(far[1] / far), abs=0.006)


def test_a_one_has_nothing_to_measure():
    picture, die = face(1)
    assert spacing_of(picture, camera(), SIDE_MM, die) is None


def test_a_blank_face_is_not_measured():
    picture, die = face(4, pip=220)
    assert spacing_of(picture, camera(), SIDE_MM, die) is None


def test_a_two_along_an_edge_is_not_measured_as_one_along_a_diagonal():
    picture, die = face(2, places=[(-0.6, 0), (0.6, 0)])
    assert spacing_of(picture, camera(), SIDE_MM, die) is None


def test_pips_that_differ_from_each_other_are_not_believed():
    picture, die = face(4)
    glare = picture.copy()
    cv2.circle(glare, (round(die.cx) + 9, round(die.cy) + 9), 6, (250, 250, 250), cv2.FILLED)  # a lamp in one pip
    assert spacing_of(picture, camera(), SIDE_MM, die) is not None
    assert spacing_of(glare, camera(), SIDE_MM, die) is None


def test_a_camera_that_sees_the_faces_from_the_side_measures_nothing():
    picture, die = face(4)
    assert spacing_of(picture, camera(90.0), SIDE_MM, die) is None


def seen_from_above(heights: list[int]) -> tuple[np.ndarray, Pose, tuple[DieReading, ...]]:
    """A row of stacks below a camera that looks straight down: of each no more than the top face is seen.

    All of a level look the same from there, wherever they stand.
    """
    pictures, dice = [], []
    for number, levels in enumerate(heights):
        picture, die = face(2 + number % 5, levels=levels, turn_deg=17.0 * number % 90)
        pictures.append(picture)
        dice.append(replace(die, cx=die.cx + 160 * number))
    intrinsics = camera().intrinsics + np.array([[0, 0, 80.0 * len(heights) - 80], [0, 0, 0], [0, 0, 0]])
    return np.hstack(pictures), replace(camera(), intrinsics=intrinsics), tuple(dice)


HEIGHTS_SEEN = [1, 2, 3, 4, 1, 2, 3, 4, 2, 1, 4, 3]
KNOWN = 5  # of which another cue is sure


def chances_of(heights: list[int]) -> np.ndarray:
    sure = np.where(np.arange(1, 5) == np.array(heights)[:, None], 0.97, 0.01)
    return np.where(np.arange(len(heights))[:, None] < KNOWN, sure, 0.25)


def test_from_straight_above_the_pips_tell_heights_that_nothing_else_does():
    picture, pose, dice = seen_from_above(HEIGHTS_SEEN)
    weighed = with_spacings(chances_of(HEIGHTS_SEEN), picture, pose, SIDE_MM, dice)
    assert (weighed.argmax(axis=1) + 1).tolist() == HEIGHTS_SEEN
    assert weighed.max(axis=1).min() > 0.9


def test_a_camera_so_near_that_a_level_is_no_small_step_goes_without_them():
    picture, pose, dice = seen_from_above(HEIGHTS_SEEN)
    chances = chances_of(HEIGHTS_SEEN)
    assert with_spacings(chances, picture, pose, EYE_MM / 7, dice) is chances
