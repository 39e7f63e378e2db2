"""From frames to readings: once per rest, in time, and never surer than two looks allow."""

import json
import weakref
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.game.readings import Box, DiceReading, DieReading
from vision.cameras.camera import Frame
from vision.cameras.pictures import FRAME_WIDTH_PX, reduced
from vision.cameras.recording import Video
from vision.readers.agreement import agree_on_dice, no_new_dice
from vision.watch.watch import CROP_PX, Watch, crop

CLIPS = Path(__file__).parents[3] / "shared" / "data" / "dice"
FRAME_US = 33_333
PIPS = {1: [(0, 0)], 2: [(-1, -1), (1, 1)], 3: [(-1, -1), (0, 0), (1, 1)]}


def die(value=5, cx=100.0, cy=100.0, confidence=0.99, accepted=True, alternatives=None):
    alternatives = alternatives or ((value, confidence),)
    return DieReading(value, cx, cy, 40.0, 40.0, 0.0, "white", confidence, accepted, alternatives)


def reading(*dice, unread=()):
    return DiceReading(640, 480, dice, unread)


class Stage:
    """A table whose flat white dice a reader of ten lines can read."""

    def __init__(self, *, live=False, read_us=0, take=0, again=None) -> None:
        self.at_us = 0
        self.now_us = 0
        self.take = take
        self.reads = 0
        self.misread = False
        self._read_us = read_us
        self._random = np.random.default_rng(1)
        self.watch = Watch(self.read, live=live, stopwatch_us=lambda: self.now_us, again=again)

    def read(self, frame_bgr):
        self.reads += 1
        self.now_us += self._read_us
        grey = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
        _, _, boxes, centres = cv2.connectedComponentsWithStats((grey > 180).astype(np.uint8))
        found = []
        for (left, top, width, height, _), (cx, cy) in zip(boxes[1:], centres[1:], strict=True):
            face = (grey[top : top + height, left : left + width] < 100).astype(np.uint8)
            pips = cv2.connectedComponents(face)[0] - 1
            found.append(die(pips + (self.misread and self.reads % 2), cx, cy))
        return DiceReading(640, 480, tuple(found))

    def see(self, *dice, hand=None, side=40):
        frame_bgr = np.full((480, 640, 3), 120, np.uint8)
        half = side // 2
        for value, x, y in dice:
            cv2.rectangle(frame_bgr, (x - half, y - half), (x + half, y + half), (230, 230, 230), cv2.FILLED)
            for across, down in PIPS[value]:
                cv2.circle(frame_bgr, (x + 10 * across, y + 10 * down), 4, (20, 20, 20), cv2.FILLED)
        if hand is not None:
            frame_bgr[:hand, 200:330] = (110, 150, 205)
        frame_bgr = cv2.add(frame_bgr, self._random.integers(0, 6, frame_bgr.shape).astype(np.uint8))
        settled = self.watch.feed(Frame(frame_bgr, self.at_us, 0, self.take))
        self.at_us += FRAME_US
        return settled

    def show(self, *dice, frames=12, **view):
        """Shows the same for a while; gives everything that was told."""
        return [settled for _ in range(frames) if (settled := self.see(*dice, **view)) is not None]

    def roll(self, *dice):
        """Dice come rolling in from the left and rest."""
        for step in range(6, 0, -1):
            assert self.see(*((value, x - 14 * step, y) for value, x, y in dice)) is None
        return self.show(*dice)


@pytest.fixture
def stage():
    """An empty table, watched for a moment."""
    stage = Stage(live=True)
    assert stage.show() == []
    return stage


def values(settled):
    return sorted(die.value for die in settled.reading.dice)


def test_a_roll_is_told_once(stage):
    (settled,) = stage.roll((1, 200, 200), (3, 400, 300))
    assert values(settled) == [1, 3]
    assert stage.show((1, 200, 200), (3, 400, 300), frames=60) == []


def test_how_large_dice_are_in_one_film_says_nothing_of_the_next():
    """A die seen close, that the picture's edge cuts, is no hand there."""
    stage = Stage()
    assert len(stage.show((1, 200, 200))) == 1
    stage.take = 1
    stage.show()
    assert [values(settled) for settled in stage.show((1, 590, 200), side=110)] == [[1]]


def test_at_rest_no_picture_is_kept():
    watch = Watch(lambda _frame_bgr: reading(die()), live=False)
    pictures = []
    for number in range(12):
        frame_bgr = np.full((480, 640, 3), 120, np.uint8)
        pictures.append(weakref.ref(frame_bgr))
        watch.feed(Frame(frame_bgr, number * FRAME_US, number))
    assert watch.is_at_rest
    del frame_bgr
    assert all(picture() is None for picture in pictures)


def test_the_reading_says_when_the_last_die_came_to_rest(stage):
    for step in range(3):
        stage.see((2, 100 + 30 * step, 100))
    rested_us = stage.at_us
    (settled,) = stage.show((2, 200, 100))
    assert settled.rested_us == rested_us


def test_a_reading_is_ready_a_quarter_of_a_second_after_the_rest():
    stage = Stage(read_us=60_000)  # as the dice reader takes on a laptop
    stage.show()
    (settled,) = stage.roll((1, 200, 200))
    assert settled.read_us - settled.rested_us <= 250_000


def test_table_time_is_the_frames_time_and_the_offset(stage):
    stage.watch.offset_us = 5_000_000
    (settled,) = stage.roll((1, 200, 200))
    assert settled.rested_us > 5_000_000


def test_a_nudged_die_is_told_again(stage):
    stage.roll((1, 200, 200), (3, 400, 300))
    stage.see((1, 207, 200), (3, 400, 300))
    (settled,) = stage.show((1, 214, 200), (3, 400, 300))
    assert values(settled) == [1, 3]


def test_dice_that_a_bump_moved_all_alike_are_no_roll(stage):
    stage.roll((3, 300, 200), (2, 420, 240))
    assert stage.show((3, 325, 188), (2, 445, 228)) == []
    assert stage.show((3, 325, 188)) == []  # and one is taken away from where they lie now
    assert stage.show((3, 325, 188), (2, 445, 228)) == []
    assert len(stage.show((3, 325, 188), (2, 500, 228))) == 1  # one of them was nudged
    assert len(stage.show((2, 340, 188), (3, 515, 228))) == 1  # as far from each other, the other way round


def test_a_die_turned_over_in_its_place_is_told_again(stage):
    stage.roll((1, 200, 200))
    (settled,) = stage.show((3, 200, 200))
    assert values(settled) == [3]


def test_a_hand_that_comes_and_goes_changes_nothing(stage):
    stage.roll((1, 100, 200), (3, 400, 300))
    assert [stage.see((1, 100, 200), (3, 400, 300), hand=height) for height in range(0, 240, 20)] == [None] * 12
    assert stage.show((1, 100, 200), (3, 400, 300), hand=240) == []
    assert stage.show((1, 100, 200), (3, 400, 300)) == []


def test_dice_that_are_taken_away_are_no_roll_and_the_next_roll_is_one(stage):
    stage.roll((1, 200, 200))
    assert stage.show(hand=200, frames=4) == []
    assert stage.show() == []
    (settled,) = stage.roll((1, 200, 200))  # the same value in the same place, yet thrown anew
    assert (values(settled), settled.surely_new) == ([1], False)
    assert stage.show() == []
    (settled,) = stage.roll((1, 300, 240))
    assert (values(settled), settled.surely_new) == ([1], True)


@pytest.mark.parametrize(
    "covers",
    [
        [()],
        [((2, 430, 120),)],
        [((2, 430, 120),), ((2, 300, 400),)],
        [((2, 430, 120),), ()],
        [((2, 430, 120),), ((1, 200, 200),)],
    ],
    ids=["a sheet", "a printed die", "that is pushed", "and turned over", "and leaves in steps"],
)
def test_dice_that_something_covered_for_a_while_may_be_no_new_roll(stage, covers):
    (rolled,) = stage.roll((1, 200, 200), (3, 400, 300))
    assert rolled.surely_new
    for cover in covers:
        stage.show(*cover)
    (again,) = stage.show((1, 200, 200), (3, 400, 300))
    assert (values(again), again.surely_new) == ([1, 3], False)
    (anew,) = stage.show((1, 200, 200), (3, 330, 340))
    assert anew.surely_new


def test_a_watch_that_forgets_knows_of_nothing_that_was_covered(stage):
    stage.roll((1, 200, 200), (3, 400, 300))
    assert stage.show() == []
    stage.watch.forget()
    (settled,) = stage.roll((1, 200, 200), (3, 400, 300))
    assert settled.surely_new


def test_a_die_taken_from_many_is_no_roll(stage):
    stage.roll((1, 100, 200), (3, 400, 300))
    assert [stage.see((1, 100, 200), hand=height) for height in (250, 200, 150, 50)] == [None] * 4
    assert stage.show((1, 100, 200)) == []
    (settled,) = stage.show((1, 100, 200), (2, 500, 100))
    assert values(settled) == [1, 2]


def test_the_same_table_is_not_even_read_again(stage):
    stage.roll((1, 100, 200))
    reads = stage.reads
    for height in (120, 220, 180, 90):
        stage.see((1, 100, 200), hand=height)
    stage.show((1, 100, 200))
    assert stage.reads == reads


def test_the_second_picture_of_a_rest_is_read_with_the_first_reading_at_hand():
    firsts = []

    def again(_frame_bgr, first):
        firsts.append(first)
        return reading(*(replace(die, value=3) for die in first.dice))

    stage = Stage(again=again)
    (settled,) = stage.roll((1, 200, 200))
    (first,) = firsts
    assert [die.value for die in first.dice] == [1]
    assert {value for value, _ in settled.reading.dice[0].alternatives} == {1, 3}
    assert not settled.reading.dice[0].accepted


def test_two_looks_that_differ_are_asked(stage):
    stage.misread = True
    (settled,) = stage.roll((1, 200, 200))
    (doubted,) = settled.reading.dice
    assert not doubted.accepted
    assert {value for value, _ in doubted.alternatives} == {1, 2}


def test_dice_that_lay_there_when_a_live_camera_opened_are_no_roll():
    stage = Stage(live=True)
    assert stage.show((1, 200, 200)) == []
    (settled,) = stage.show((1, 200, 200), (2, 400, 100))
    assert values(settled) == [1, 2]


def test_a_recording_tells_them():
    (settled,) = Stage().show((1, 200, 200))
    assert values(settled) == [1]


def test_each_photo_is_a_table_of_its_own():
    stage = Stage()
    assert [values(settled) for settled in stage.show((1, 200, 200), frames=8)] == [[1]]
    stage.take = 1
    assert [values(settled) for settled in stage.show((2, 300, 300), frames=8)] == [[2]]
    stage.take = 2
    assert [values(settled) for settled in stage.show((2, 300, 300), frames=8)] == [[2]]


def test_a_picture_that_is_not_moving_at_all_is_read_once():
    stage = Stage()
    frame_bgr = np.full((480, 640, 3), 120, np.uint8)
    cv2.rectangle(frame_bgr, (100, 100), (140, 140), (230, 230, 230), cv2.FILLED)
    for number in range(10):
        stage.watch.feed(Frame(frame_bgr, number * 100_000, number))
    assert stage.reads == 1 + 1  # and the very first frame, to warm up


def test_a_camera_with_a_large_stream_is_read_from_it(stage):
    large = np.zeros((960, 1280, 3), np.uint8)
    cv2.rectangle(large, (300, 300), (360, 360), (230, 230, 230), cv2.FILLED)
    asked = []

    def full(frame):
        asked.append(frame.at_us)
        return replace(frame, bgr=large.copy())

    told = []
    for number in range(20):
        small = np.full((480, 640, 3), 120, np.uint8)
        if number > 10:
            small[150:180, 150:180] = 230
        told.append(stage.watch.feed(Frame(small, stage.at_us, number), full))
        stage.at_us += FRAME_US
    (settled,) = [settled_once for settled_once in told if settled_once is not None]
    assert settled.reading.dice[0].cx == pytest.approx(330)
    assert len(asked) == 2


def test_the_pictures_to_ask_with_come_along(stage):
    (settled,) = stage.roll((1, 200, 200), (3, 400, 300))
    crops = [cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) for data in settled.crops_jpeg]
    assert [min(picture.shape[:2]) >= CROP_PX - 2 for picture in crops] == [True, True]
    frame = cv2.imdecode(np.frombuffer(settled.frame_jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert frame.shape == (480, 640, 3)


# the parts


def test_two_readings_that_agree_are_as_sure_as_the_less_sure():
    both = agree_on_dice(reading(die(confidence=0.99)), reading(die(confidence=0.97)))
    assert (both.dice[0].confidence, both.accepted) == (0.97, True)


def test_a_die_seen_once_is_asked():
    both = agree_on_dice(reading(die(), die(2, cx=300.0)), reading(die()))
    assert [die.accepted for die in both.dice] == [True, False]


def test_a_die_seen_only_by_the_other_look_is_unread():
    both = agree_on_dice(reading(die()), reading(die(), die(2, cx=300.0)))
    assert both.unread == (Box(300.0, 100.0, 40.0, 40.0),)
    assert not both.accepted


def test_a_die_the_other_look_could_read_is_not_unread_twice():
    box = Box(300.0, 100.0, 40.0, 40.0)
    assert agree_on_dice(reading(die(), unread=(box,)), reading(die(), die(2, cx=300.0))).unread == (box,)


def test_looks_that_differ_offer_both_values_likeliest_first():
    one = die(5, confidence=0.7, alternatives=((5, 0.7), (6, 0.3)))
    other = die(6, confidence=0.9, alternatives=((6, 0.9), (5, 0.1)))
    (doubted,) = agree_on_dice(reading(one), reading(other)).dice
    assert doubted.value == 6
    assert doubted.alternatives == ((6, pytest.approx(0.6)), (5, pytest.approx(0.4)))
    assert (doubted.confidence, doubted.accepted) == (pytest.approx(0.6), False)


@pytest.mark.parametrize(
    ("after", "nothing"),
    [
        (reading(die()), True),
        (reading(die(cx=108.0)), True),  # the reader's own unrest
        (reading(die(cx=112.0)), False),
        (reading(die(4)), False),
        (reading(die(), die(cx=300.0)), False),
        (reading(die(4, accepted=False)), True),  # the reader wavers
        (reading(unread=(Box(100, 100, 40, 40),)), True),
        (reading(die(), unread=(Box(300, 100, 40, 40),)), False),
    ],
)
def test_new_is_another_value_or_another_place(after, nothing):
    assert no_new_dice(reading(die()), after) is nothing


def test_a_die_that_could_not_be_read_at_first_is_not_new():
    assert no_new_dice(reading(unread=(Box(100, 100, 40, 40),)), reading(die()))


def test_a_crop_at_the_edge_stays_in_the_picture():
    picture = crop(np.zeros((100, 100, 3), np.uint8), Box(2, 98, 30, 30))
    assert max(picture.shape) >= CROP_PX


def test_a_crop_outside_the_picture_is_still_a_picture():
    assert crop(np.zeros((100, 100, 3), np.uint8), Box(500, 500, 30, 30)).size > 0


def test_a_large_frame_is_reduced_and_a_small_one_is_not():
    assert reduced(np.zeros((1920, 2560, 3), np.uint8)).shape[:2] == (720, FRAME_WIDTH_PX)
    assert reduced(np.zeros((480, 640, 3), np.uint8)).shape[:2] == (480, 640)


# real throws


def clips():
    labels = CLIPS / "videos.json"
    return json.loads(labels.read_text()) if labels.is_file() else []


@pytest.mark.skipif(not clips(), reason="the clips of real throws are not here")
@pytest.mark.parametrize("clip", clips(), ids=lambda clip: clip["video"])
def test_a_real_throw_is_told_once_at_its_true_rest(clip):
    def read_where_dice_are(frame_bgr):
        """Settling is judged here: a reader that sees each labelled die, as a dark red blob, where it really lies."""
        hue, saturation, _ = cv2.split(cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2HSV))
        red = ((np.minimum(hue, 180 - hue) < 12) & (saturation > 90)).astype(np.float32)
        share = cv2.boxFilter(red, -1, (41, 41))
        seen = [
            die(label["value"], label["cx"], label["cy"])
            for label in clip["dice"]
            if share[label["cy"] - 15 : label["cy"] + 15, label["cx"] - 15 : label["cx"] + 15].max() > 0.3
        ]
        return DiceReading(clip["width"], clip["height"], tuple(seen))

    watch = Watch(read_where_dice_are, live=False, stopwatch_us=lambda: 0)
    with Video(CLIPS / clip["video"]) as video:
        told = [(frame.number, settled) for frame in video.frames() if (settled := watch.feed(frame))]
    ((number, settled),) = told
    first, last = clip["at_rest"]
    assert first <= number <= last
    assert sorted(die.value for die in settled.reading.dice) == sorted(label["value"] for label in clip["dice"])
    assert settled.read_us - settled.rested_us <= 250_000
