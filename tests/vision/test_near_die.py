"""A die that fills the picture is read, and a look from afar takes nothing away from what the other looks found."""

import json
from math import hypot

import cv2
import numpy as np
import pytest

from tests.conftest import PHOTOS
from vision.cameras.photos import load_photo
from vision.dice.finder import Candidate
from vision.dice.reader import read_dice
from vision.dice.sights import Sight, with_far
from vision.virtual.dice import PIPS

SIDE_PX = 720
MISLABELLED = "images/tray_n3_PXL_20240219_192240931.jpg"  # its largest die is labelled 3, and shows four pips


def near_die(
    value: int, share: float, body: tuple[int, int, int], pip: tuple[int, int, int], turn_deg: float
) -> np.ndarray:
    """A drawn die, seen from above, that fills this share of the side of a picture (720, 720, 3)."""
    side = round(SIDE_PX * share)
    edge = round(side / 12)
    cloth = np.random.default_rng(value).normal(95, 6, (SIDE_PX, SIDE_PX, 1)) + np.array([10, 0, -25])
    die = np.zeros((side, side), np.uint8)
    cv2.rectangle(die, (edge, edge), (side - edge, side - edge), 255, -1)
    die = cv2.dilate(die, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * edge - 1, 2 * edge - 1)))
    face = np.full((side, side, 3), body, np.uint8)
    for x, y in PIPS[value]:
        place = (round(side * (0.5 + 0.26 * x)), round(side * (0.5 + 0.26 * y)))
        cv2.circle(face, place, round(0.085 * side), pip, -1, cv2.LINE_AA)
    matrix = cv2.getRotationMatrix2D((side / 2, side / 2), turn_deg, 1.0)
    matrix[:, 2] += (SIDE_PX - side) / 2
    covers = cv2.warpAffine(die, matrix, (SIDE_PX, SIDE_PX))[..., None] / 255
    picture = covers * cv2.warpAffine(face, matrix, (SIDE_PX, SIDE_PX)) + (1 - covers) * cloth
    return cv2.GaussianBlur(np.clip(picture, 0, 255).astype(np.uint8), (0, 0), 1.5)


@pytest.mark.parametrize("share", [0.5, 0.65, 0.8])
@pytest.mark.parametrize(("body", "pip"), [((235, 238, 240), (20, 20, 20)), ((60, 40, 190), (240, 240, 240))])
def test_one_die_that_fills_the_picture_is_read(share, body, pip):
    read = {value: read_dice(near_die(value, share, body, pip, 7.0 * value)) for value in range(1, 7)}
    assert {value: [die.value for die in reading.dice] for value, reading in read.items()} == {
        value: [value] for value in range(1, 7)
    }


def sight(cx: float, cy: float, side: float, chances: list[float]) -> Sight:
    return Sight(Candidate(cx, cy, side, side, 0.9), (cx, cy, side, 0.0), np.array(chances), True, None)


A_FOUR = [0.01, 0.0, 0.0, 0.0, 0.99, 0.0, 0.0, 0.0]
HARDLY_A_ONE = [0.6, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
NOTHING = [0.99, 0.01, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_a_tray_of_dice_is_no_die_from_afar():
    dice = [sight(300, 300, 60, A_FOUR), sight(450, 350, 60, A_FOUR)]
    assert with_far(dice, [sight(400, 400, 600, A_FOUR)]) == dice


def test_pips_of_a_near_die_do_not_hide_it():
    pips = [sight(x, y, 80, HARDLY_A_ONE) for x in (300, 500) for y in (300, 500)]
    near = sight(400, 400, 600, A_FOUR)
    assert with_far(pips, [near]) == [*pips, near]


def test_a_die_beside_a_near_one_stays_beside_it():
    small, near = sight(60, 60, 60, A_FOUR), sight(400, 400, 500, A_FOUR)
    assert with_far([small], [near]) == [small, near]


def test_what_is_no_die_from_afar_is_none():
    assert with_far([], [sight(400, 400, 600, NOTHING)]) == []


@pytest.mark.skipif(
    not (PHOTOS / "dice").is_dir(),
    reason="../shared/data/dice is absent: nothing shows that a photographed die that fills the picture is read",
)
@pytest.mark.parametrize("share", [0.5, 0.8])
def test_a_photographed_die_that_fills_the_picture_is_read(share):
    """One die of each photograph with large ones, cut out so near that it fills this share of the picture's side."""
    seen, right, wrong, count = 0, 0, [], 0
    for entry in json.loads((PHOTOS / "dice" / "labels.json").read_text(encoding="utf-8")):
        large = [die for die in entry["dice"] if die["value"] and (die["size_px"] or 0) >= 70]
        if not large or entry["image"] == MISLABELLED:
            continue
        count += 1
        die = max(large, key=lambda label: label["size_px"])
        zoom = 800 * share / die["size_px"]
        matrix = np.array([[zoom, 0, 400 - zoom * die["cx"]], [0, zoom, 400 - zoom * die["cy"]]])
        photo = load_photo(PHOTOS / "dice" / entry["image"])
        near = cv2.warpAffine(photo, matrix, (800, 800), borderMode=cv2.BORDER_REFLECT)
        middle = [
            die_read
            for die_read in read_dice(near).dice
            if hypot(die_read.cx - 400, die_read.cy - 400) < 0.3 * share * 800
        ]
        largest = max(middle, key=lambda die_read: die_read.w, default=None)
        if largest and largest.w > 0.25 * share * 800:
            seen += 1
            right += largest.accepted and largest.value == die["value"]
            wrong += [entry["image"]] if largest.accepted and largest.value != die["value"] else []
    assert wrong == []
    assert seen >= 0.95 * count
    assert right >= 0.85 * count
