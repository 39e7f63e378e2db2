"""What lay there before a throw and has not moved is no part of it; what was nudged, turned or changed is."""

import cv2
import numpy as np
import pytest

from companion.game.readings import ALWAYS_US, Box, DiceReading, DieReading
from vision.cameras.camera import Frame
from vision.watch.unmoved import Unmoved
from vision.watch.watch import Watch

FRAME_US = 33_333
PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    6: [(x, y) for x in (-1, 1) for y in (-1, 0, 1)],
}
SIDE_PX = 24
TOKEN = Box(400.0, 120.0, 40.0, 40.0)


def table(*dice, token=True, light=1.0, noise=2.0, seed=0):
    """A picture of a table with dice (value, x, y, turned by degrees), and a round token in a corner of it."""
    frame_bgr = np.full((480, 640, 3), 120, np.float32)
    if token:
        cv2.circle(frame_bgr, (400, 120), 18, (60, 160, 90), cv2.FILLED)
        cv2.circle(frame_bgr, (400, 120), 4, (20, 20, 20), cv2.FILLED)
    for value, x, y, turn in dice:
        to_table = cv2.getRotationMatrix2D((0, 0), turn, 1.0)[:, :2]
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * SIDE_PX / 2 @ to_table.T + (x, y)
        cv2.fillConvexPoly(frame_bgr, np.rint(corners).astype(np.int32), (225, 230, 230))
        for pip in np.array(PIPS[value]).reshape(-1, 2) * SIDE_PX / 4 @ to_table.T + (x, y):
            cv2.circle(frame_bgr, tuple(np.rint(pip).astype(int).tolist()), 2, (30, 30, 30), cv2.FILLED)
    noisy = frame_bgr * light + np.random.default_rng(seed).normal(0, noise, frame_bgr.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


def place(_value, x, y, _turn):
    return Box(x, y, SIDE_PX, SIDE_PX)


DIE = (3, 200.0, 300.0, 20.0)
CHANGED = {
    "nudged by a tenth of its width": (3, 202.4, 300.0, 20.0),
    "turned by a tenth": (3, 200.0, 300.0, 30.0),
    "one pip less, in its place": (2, 200.0, 300.0, 20.0),
    "twice the pips, in its place": (6, 200.0, 300.0, 20.0),
}


@pytest.mark.parametrize("light", [1.0, 0.85, 1.1], ids=["as before", "dimmer", "brighter"])
def test_a_thing_that_lies_on_keeps_the_time_of_its_first_rest(light):
    unmoved = Unmoved()
    assert unmoved.since(table(), [TOKEN], 10) == (10,)
    assert unmoved.since(table(DIE, light=light, seed=1), [place(*DIE), TOKEN], 20) == (20, 10)
    assert unmoved.since(table(DIE, light=light, seed=2), [place(*DIE), TOKEN], 30) == (20, 10)


@pytest.mark.parametrize("after", CHANGED.values(), ids=CHANGED)
def test_a_die_that_was_nudged_turned_or_shows_another_value_has_changed(after):
    unmoved = Unmoved()
    unmoved.since(table(DIE), [place(*DIE), TOKEN], 10)
    assert unmoved.since(table(after, seed=1), [place(*after), TOKEN], 20) == (20, 10)


def test_what_no_reader_noticed_before_lay_there_at_that_rest_if_it_looks_the_same():
    unmoved = Unmoved()
    unmoved.since(table(), [], 10)
    assert unmoved.since(table(DIE, seed=1), [place(*DIE), TOKEN], 20) == (20, 10)


def test_a_thing_that_was_away_is_new_when_it_comes_back():
    unmoved = Unmoved()
    unmoved.since(table(), [TOKEN], 10)
    unmoved.since(table(token=False, seed=1), [], 20)
    assert unmoved.since(table(seed=2), [TOKEN], 30) == (30,)


def test_another_table_or_a_picture_of_another_size_begins_anew():
    unmoved = Unmoved()
    unmoved.since(table(), [TOKEN], 10)
    assert unmoved.since(table()[:400], [TOKEN], 20) == (20,)
    unmoved.forget()
    assert unmoved.since(table()[:400], [TOKEN], 30) == (30,)


def test_a_large_picture_is_compared_as_a_small_one():
    """Of 12 megapixels, as the Raspberry Pi's camera takes them."""
    unmoved = Unmoved()
    large = [cv2.resize(picture, None, fx=6, fy=6) for picture in (table(), table(DIE, seed=1))]
    places = [Box(6 * box.cx, 6 * box.cy, 6 * box.w, 6 * box.h) for box in (place(*DIE), TOKEN)]
    unmoved.since(large[0], places[1:], 10)
    assert unmoved.since(large[1], places, 20) == (20, 10)


# in the watch


def die_at(value, x, y, _turn):
    return DieReading(value, x, y, SIDE_PX, SIDE_PX, 0.0, None, 0.99, True, ((value, 0.99),))


class Film:
    """A table that a watch looks at, and a reader that knows what lies there."""

    def __init__(self, *, live):
        self.watch = Watch(lambda _frame_bgr: self.reading, live=live)
        self.reading = DiceReading(640, 480, ())
        self._at_us = FRAME_US

    def rest(self, *dice):
        """Shows a rest with these dice and the token, which cannot be read; gives what was told."""
        self.reading = DiceReading(640, 480, tuple(die_at(*die) for die in dice), (TOKEN,))
        told = []
        for number in range(12):
            settled = self.watch.feed(Frame(table(*dice, seed=number), self._at_us, 0))
            told += [settled] if settled is not None else []
            self._at_us += FRAME_US
        return told


def test_what_lies_there_when_a_camera_begins_to_look_always_did():
    film = Film(live=True)
    film.watch.offset_us = 1_000_000
    assert film.rest() == []
    (settled,) = film.rest(DIE)
    assert settled.reading.since_us == (settled.rested_us, ALWAYS_US)


def test_a_recording_has_times_of_its_own():
    film = Film(live=False)
    (first,) = film.rest()
    (second,) = film.rest(DIE)
    assert first.reading.since_us == (first.rested_us,)
    assert second.reading.since_us == (second.rested_us, first.rested_us)


# what it means for a reading


def test_what_lay_there_before_is_neither_counted_nor_asked_about():
    old, new = die_at(*DIE), die_at(2, 500.0, 300.0, 0.0)
    whole = DiceReading(640, 480, (old, new), (TOKEN, Box(50.0, 50.0, 20.0, 20.0)), (10, 30, ALWAYS_US, 30))
    thrown = whole.new_since(20)
    assert (thrown.dice, thrown.old) == ((new,), (old,))
    assert thrown.unread == (Box(50.0, 50.0, 20.0, 20.0),)
    assert not thrown.accepted
    assert whole.new_since(ALWAYS_US).unread == thrown.unread
    assert DiceReading(640, 480, (new,), (TOKEN,), (30, 10)).new_since(20).accepted


def test_a_photo_knows_no_earlier_picture():
    photo = DiceReading(640, 480, (die_at(*DIE),), (TOKEN,))
    assert photo.new_since(10**15) == photo
