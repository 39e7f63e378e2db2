"""A camera in a hand: its motion is taken out, dice at rest are told with their values, and nothing is guessed."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.app.cli.watch import settled_lines
from companion.game.readings import DiceReading, DieReading, Kind, Watching
from tests.benches.thrown import painted_out
from vision.cameras.camera import Frame
from vision.training.drawn.rolls import Film
from vision.training.filmed.by_hand import GROUNDS, HandCamera, HandFilm
from vision.training.filmed.photographs import THROW_US, FollowingCamera, PhotoFilm, scene_of
from vision.watch.known_table import KnownTable
from vision.watch.lookout import reader_for
from vision.watch.registration import Reference, farthest_px, move_points, register
from vision.watch.settle import thumbnail
from vision.watch.unmoved import Unmoved
from vision.watch.watch import Watch

RECORDED = Path(__file__).parents[3] / "shared" / "data" / "dice"
SMALL, WIDE, FULL = (320, 576), (1280, 720), (1920, 1080)
FRAME_US = 33_333


def hand_film(ground="wood", size_px=SMALL, seed=1):
    return HandFilm(np.random.default_rng([35, seed]), size_px, GROUNDS[ground])


@pytest.fixture(scope="module")
def read():
    return reader_for(KnownTable.at(None), Watching(Kind.DICE))


def watched(watch, moments):
    """Each reading told, with the moment of its frame."""
    return [(moment, settled) for moment in moments if (settled := watch.feed(moment.frame)) is not None]


def grey(moment):
    return thumbnail(moment.frame.bgr).grey


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("size_px", [SMALL, WIDE])
def test_dice_are_found_where_the_hand_moved_them_in_the_picture(ground, size_px):
    filmed = hand_film(ground, size_px)
    *_, first = filmed.throw(4, 2)
    reference, fit = Reference(grey(first)), None
    for moment in filmed.rest(12):
        fit = register(reference, grey(moment), fit.motion if fit else np.eye(3))
        assert fit is not None
    scale = size_px[0] / reference.shape[1]
    before, after = (
        np.array([(die.x_px, die.y_px) for die in filmed.lying(each.frame.at_us)]) / scale for each in (first, moment)
    )
    assert np.abs(after - before).max() > 1
    assert np.abs(move_points(before, fit.motion) - after).max() < 0.5


def test_a_picture_without_a_trace_of_the_table_is_not_registered():
    rng = np.random.default_rng(1)
    one, other = (np.clip(rng.normal(128, 2, (180, 320)), 0, 255).astype(np.float32) for _which in range(2))
    assert register(Reference(one), other) is None


def test_one_die_that_slides_over_a_plain_table_is_no_motion_of_the_camera():
    """All that the picture shows moved alike, but in one place only."""

    def sliding(x_px):
        picture = np.full((180, 320), 120, np.float32)
        cv2.rectangle(picture, (x_px, 80), (x_px + 30, 110), 230, cv2.FILLED)
        cv2.circle(picture, (x_px + 15, 95), 4, 30, cv2.FILLED)
        return picture

    assert register(Reference(sliding(100)), sliding(104)) is None


@pytest.mark.parametrize("ground", GROUNDS)
def test_a_throw_before_a_hand_held_camera_is_told_once_with_its_values(ground, read):
    filmed = hand_film(ground)
    watch = Watch(read, live=True)
    assert watched(watch, filmed.rest(15)) == []
    ((moment, settled),) = watched(watch, filmed.throw(4))
    assert not moment.die_moves
    assert all(die.accepted for die in settled.reading.dice)
    lying = filmed.lying(moment.frame.at_us)
    assert sorted(die.value for die in settled.reading.dice) == sorted(die.value for die in lying)
    for die in settled.reading.dice:
        assert any(
            die.value == rolled.value and np.hypot(die.cx - rolled.x_px, die.cy - rolled.y_px) < die.w
            for rolled in lying
        )


@pytest.mark.parametrize("size_px", [WIDE, FULL])
def test_larger_pictures_are_read_alike(size_px, read):
    filmed = hand_film("cloth", size_px)
    watch = Watch(read, live=True)
    watched(watch, filmed.rest(12))
    ((_moment, settled),) = watched(watch, filmed.throw(3, 9))
    assert sorted(die.value for die in settled.reading.dice) == sorted(die.value for die in filmed.table.dice)


def spots(frame_bgr):
    """A reader that takes every bright square for a five."""
    _, _, boxes, centres = cv2.connectedComponentsWithStats(
        (cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY) > 225).astype("u1")
    )
    dice = tuple(
        DieReading(5, cx, cy, float(w), float(h), 0.0, None, 0.99, True, ((5, 0.99),))
        for (_, _, w, h, area), (cx, cy) in zip(boxes[1:], centres[1:], strict=True)
        if area > 300
    )
    return DiceReading(*frame_bgr.shape[1::-1], dice)


def table_with(*places):
    """A table (720, 960) of mixed patches, with bright squares on it."""
    rng = np.random.default_rng(3)
    table = cv2.resize(rng.uniform(60, 150, (36, 48, 3)).astype(np.float32), (960, 720), interpolation=cv2.INTER_CUBIC)
    for x, y in places:
        cv2.rectangle(table, (x - 20, y - 20), (x + 20, y + 20), (245, 245, 245), cv2.FILLED)
    return table


def by_hand(table, number, aside_px=0):
    """The middle of a table (480, 640) as a hand shows it in its frame of that number, so far from the middle."""
    x, y = 160 + aside_px + 9 * np.sin(number / 5), 120 + 7 * np.cos(number / 7)
    to_table = cv2.getRotationMatrix2D((480, 360), 0.8 * np.sin(number / 9), 1.0)
    to_table[:, 2] -= (x, y)
    bgr = cv2.warpAffine(table, to_table, (640, 480))
    noisy = bgr + np.random.default_rng(number).normal(0, 1.5, bgr.shape)
    return Frame(np.clip(noisy, 0, 255).astype(np.uint8), number * FRAME_US, number)


def told_by_hand(watch, tables, frames=25):
    """How many spots each reading tells, of tables shown one after the other by hand."""
    told = []
    for part, table in enumerate(tables):
        for number in range(part * frames, (part + 1) * frames):
            settled = watch.feed(by_hand(table, number))
            if settled is not None:
                told.append((part, len(settled.reading.dice), settled.reading.since_us))
    return told


def test_what_was_told_is_not_told_again_however_the_hand_moves_on():
    table = table_with((400, 300))
    assert [(part, dice) for part, dice, _since in told_by_hand(Watch(spots, live=False), [table, table, table])] == [
        (0, 1)
    ]


def test_what_lay_there_before_a_throw_by_hand_is_known_to_have_lain_there():
    watch = Watch(spots, live=False)
    told = told_by_hand(watch, [table_with((400, 300)), table_with((400, 300), (560, 380))])
    assert [(part, dice) for part, dice, _since in told] == [(0, 1), (1, 2)]
    (first,), since_us = told[0][2], told[1][2]
    assert min(since_us) == first
    assert max(since_us) >= 25 * FRAME_US


def test_what_was_pushed_before_a_hand_held_camera_is_new():
    told = told_by_hand(Watch(spots, live=False), [table_with((400, 300)), table_with((430, 300))])
    assert [(part, dice) for part, dice, _since in told] == [(0, 1), (1, 1)]
    assert told[1][2][0] >= 25 * FRAME_US


@pytest.mark.parametrize(("places", "told_again"), [([], []), ([(850, 300)], [4])])
def test_a_table_shown_again_from_aside_is_told_again_only_for_what_came_into_view(places, told_again):
    """Even if the reader takes something for a die now that it did not before: it lay there."""
    table = table_with((400, 300), (560, 380), *places)
    told, from_aside = [], False

    def unsure(frame_bgr):
        reading = spots(frame_bgr)
        others = [replace(die, cx=die.cx + 60) for die in reading.dice[:1] if from_aside]
        return replace(reading, dice=(*reading.dice, *others))

    watch = Watch(unsure, live=False)
    for number in range(60):
        from_aside = number >= 25
        settled = watch.feed(by_hand(table, number, 90 if from_aside else 0))
        if settled is not None:
            told.append((number, len(settled.reading.dice)))
    assert [dice for number, dice in told if number < 25] == [2]
    assert [dice for number, dice in told if number >= 25] == told_again


def test_a_camera_that_stands_is_never_taken_for_one_held_by_hand():
    filmed = Film(np.random.default_rng(7), (640, 480))
    watch = Watch(lambda frame_bgr: DiceReading(640, 480, ()), live=True)
    for act in (filmed.rest(), filmed.throw(5), filmed.hover(), filmed.nudge(), filmed.take(3)):
        for moment in act:
            watch.feed(moment.frame)
            assert not watch._steady.is_held(moment.frame.at_us)


def test_a_rest_is_carried_to_where_the_camera_is_now():
    table = table_with((400, 300))
    before, after = (by_hand(table, number).bgr for number in (0, 30))
    motion = register(Reference(thumbnail(before).grey), thumbnail(after).grey).motion
    assert farthest_px(motion, (240, 320)) > 2
    (there,), (here,) = (spots(bgr).dice for bgr in (before, after))
    unmoved, scale = Unmoved(), np.diag([2.0, 2.0, 1.0])
    unmoved.since(before, [there], 5)
    unmoved.carry(scale @ motion @ np.linalg.inv(scale))
    assert unmoved.since(after, [here], 9) == (5,)


def test_a_hand_over_a_carpet_is_known_before_anything_is_told():
    """A fine pattern that moves everywhere passes for noise, and a moving camera for one that stands."""
    rng = np.random.default_rng(2)
    carpet = cv2.GaussianBlur(rng.normal(170, 90, (720, 960, 3)).astype(np.float32), (0, 0), 0.8)
    cv2.rectangle(carpet, (380, 280), (420, 320), (245, 245, 245), cv2.FILLED)
    watch = Watch(spots, live=False)
    told = []
    for number in range(25):
        if watch.feed(by_hand(carpet, number)) is not None:
            told.append(watch._steady.is_held(number * FRAME_US))
    assert told == [True]


def square_photo():
    """A photograph (600, 800) of mixed patches with bright squares for dice, and its labels."""
    photo = table_with((300, 250), (480, 400))[:600, :800].astype(np.uint8)
    return photo, [
        {"value": 5, "cx": x, "cy": y, "w": 41.0, "h": 41.0, "size_px": 41.0} for x, y in ((300, 250), (480, 400))
    ]


@pytest.mark.parametrize("size_px", [(640, 480), (480, 640)])
@pytest.mark.parametrize("goes_along", [False, True])
def test_a_throw_made_of_a_photograph_rests_where_its_labels_say(size_px, goes_along):
    photo, labels = square_photo()
    scene = scene_of(photo, painted_out(photo, labels), labels, size_px)
    rng, whole_px = np.random.default_rng(4), scene.bare_bgr.shape[1::-1]
    follows = FollowingCamera(rng, size_px, whole_px, THROW_US, 2.0)
    film = PhotoFilm(rng, scene, follows if goes_along else HandCamera(rng, size_px, whole_px))
    first, *between, last = film.frames()
    assert any(moment.die_moves for moment in between)
    assert spots(first.frame.bgr).dice == ()
    seen = sorted((die.cx, die.cy) for die in spots(last.frame.bgr).dice)
    said = sorted((label["cx"], label["cy"]) for label in film.labels(last.frame.at_us))
    assert np.abs(np.array(seen) - said).max() < 1.5


@pytest.mark.skipif(not RECORDED.is_dir(), reason="The recorded throws (../shared/data/dice) are not here.")
def test_the_recorded_throws_made_hand_held_are_read_or_left_but_never_wrong(tmp_path, read):
    truth = json.loads((RECORDED / "videos.json").read_text())
    told = []
    for entry in truth:
        path = tmp_path / Path(entry["video"]).with_suffix(".avi").name
        shaken(RECORDED / entry["video"], path)
        values = sorted(die["value"] for die in entry["dice"])
        for line in settled_lines(str(path), read, print):
            assert sorted(die["value"] for die in line["dice"] if die["accepted"]) == values
            told.append(entry["video"])
    assert len(set(told)) == len(told) >= 1


def shaken(recording, path):
    """Writes the recording as a hand that sways and trembles would have filmed it, 720 pixels wide."""
    film, video, number = None, cv2.VideoCapture(str(recording)), 0
    while (taken := video.read())[0]:
        bgr = taken[1]
        height, width = bgr.shape[:2]
        size = (720, round(720 * height / width / 2) * 2)
        film = film or cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 30.0, size)
        turned = np.vstack([cv2.getRotationMatrix2D((width / 2, height / 2), np.sin(number / 23), 1.1), [0, 0, 1]])
        turned[0, 2] += 0.015 * width * np.sin(number / 17) + 1.2 * np.sin(number * 1.7)
        turned[1, 2] += 0.015 * width * np.cos(number / 21) + 1.2 * np.cos(number * 1.5)
        smaller = np.diag([size[0] / width, size[1] / height, 1])
        film.write(cv2.warpPerspective(bgr, smaller @ turned, size, flags=cv2.INTER_AREA))
        number += 1
    film.release()
