"""Settling, on synthetic pictures of 320 × 240 pixels at 30 a second."""

import numpy as np
import pytest

from vision.watch.settle import PATIENCE_US, TableState, Thumbnail, follow, is_settled, match_light, thumbnail

FRAME_US = 33_333
LATEST_US = 150_000  # of the 250 ms from rest to reading; the rest is the reader's


def of_grey(grey) -> Thumbnail:
    return Thumbnail(np.dstack([grey.astype(np.uint8)] * 3), grey.astype(np.float32))


class Stage:
    """A table seen by a noisy camera; whatever is called, one frame passes."""

    def __init__(self, seed: int = 1, noise: float = 1.5) -> None:
        self._random = np.random.default_rng(seed)
        self._noise = noise
        across = np.linspace(0, 3, 320, dtype=np.float32)
        self._wood = (
            110 + 12 * np.sin(across * 9)[None, :] + 8 * np.cos(np.linspace(0, 20, 240, dtype=np.float32))[:, None]
        )
        self.track = None
        self.at_us = 0

    def see(self, *dice, hand=None, gain=1.0, offset=0.0) -> TableState:
        """Dice at (x, y), a hand as (left, right, bottom) hanging in from the upper edge."""
        grey = self._wood.copy()
        for x, y in dice:
            grey[y : y + 12, x : x + 12] = 215
            grey[y + 4 : y + 8, x + 4 : x + 8] = 40
        if hand is not None:
            left, right, bottom = hand
            grey[:bottom, left:right] = 170 + 10 * np.sin(np.arange(right - left))
        grey = np.clip(grey * gain + offset + self._random.normal(0, self._noise, grey.shape), 0, 255)
        self.track = follow(self.track, of_grey(grey), self.at_us)
        self.at_us += FRAME_US
        return self.track.state

    def until_settled(self, *dice, limit=60, **view) -> int:
        """Shows the same until it has settled; gives how long that took in microseconds."""
        began_us = self.at_us
        for _ in range(limit):
            if self.see(*dice, **view) is TableState.SETTLED:
                return self.at_us - FRAME_US - began_us
        raise AssertionError("it never settled")


@pytest.fixture
def stage():
    """An empty table that has been seen at rest."""
    stage = Stage()
    stage.until_settled()
    return stage


def roll(stage, frames=12):
    for step in range(frames):
        assert stage.see((60 + 9 * step, 90 + 3 * step)) is TableState.MOVING


def test_a_die_at_rest_is_settled_in_time(stage):
    roll(stage)
    assert stage.until_settled((168, 126)) <= LATEST_US


def test_the_moment_of_rest_is_the_first_still_frame(stage):
    roll(stage)
    rested_us = stage.at_us
    stage.until_settled((168, 126))
    assert stage.track.since_us == rested_us


def test_a_slow_roll_is_a_roll(stage):
    stage.until_settled((100, 100))
    moods = {stage.see((100 + step // 2, 100)) for step in range(2, 60)}  # a twelfth of a die in 67 ms
    assert moods == {TableState.MOVING}
    assert stage.until_settled((129, 100)) <= LATEST_US


def test_the_last_wobble_of_a_small_die_is_seen(stage):
    stage.until_settled((100, 100))
    assert stage.see((101, 100)) is TableState.MOVING


@pytest.mark.parametrize("noise", [0.0, 1.0, 3.0, 6.0])
def test_noise_is_no_motion(noise):
    stage = Stage(noise=noise)
    stage.until_settled((80, 60))
    assert {stage.see((80, 60)) for _ in range(90)} == {TableState.SETTLED}


def test_a_lamp_that_is_dimmed_slowly_is_no_motion(stage):
    stage.until_settled((80, 60))
    moods = {stage.see((80, 60), gain=1 - 0.004 * step) for step in range(90)}
    assert moods == {TableState.SETTLED}


def test_a_camera_that_turns_its_exposure_is_no_motion(stage):
    stage.until_settled((80, 60))
    assert {stage.see((80, 60), gain=1.25, offset=-8) for _ in range(5)} == {TableState.SETTLED}


def test_a_die_that_comes_to_rest_while_the_exposure_changes_is_seen(stage):
    for step in range(12):
        assert stage.see((60 + 9 * step, 90), gain=1 + 0.01 * step) is TableState.MOVING
    assert stage.until_settled((168, 90), gain=1.13) <= LATEST_US


def test_a_moving_hand_is_motion(stage):
    assert {stage.see(hand=(100 + 3 * step, 180 + 3 * step, 150)) for step in range(20)} == {TableState.MOVING}


def test_a_hand_held_still_covers_the_table(stage):
    stage.see(hand=(100, 180, 150))
    moods = [stage.see((200, 180), hand=(100, 180, 150)) for _ in range(30)]
    assert set(moods[4:]) == {TableState.COVERED}
    assert stage.until_settled((200, 180)) <= LATEST_US


def test_a_large_thing_put_down_becomes_part_of_the_table(stage):
    took_us = stage.until_settled(hand=(100, 180, 150), limit=120)
    assert PATIENCE_US <= took_us <= PATIENCE_US + LATEST_US
    assert stage.until_settled((200, 180), hand=(100, 180, 150)) <= LATEST_US


def test_a_hand_that_passed_for_the_table_leaves_it_at_once(stage):
    stage.until_settled(hand=(100, 180, 150), limit=120)
    assert stage.until_settled((200, 180), hand=(100, 180, 150)) <= LATEST_US  # it is the table's twice
    assert stage.until_settled((120, 150)) <= LATEST_US


def test_a_camera_that_was_turned_is_no_hand(stage):
    upside_down = Stage(seed=2)
    upside_down._wood = 255 - np.roll(stage._wood, 60, axis=1)[::-1]
    upside_down.track, upside_down.at_us = stage.track, stage.at_us
    assert upside_down.until_settled() <= LATEST_US


def test_a_lens_that_is_covered_and_cleared_is_seen_both_times(stage):
    stage.until_settled((100, 100))
    assert stage.see((100, 100), gain=0.0, offset=120.0) is TableState.MOVING  # one grey: gone, not dimmed
    stage.until_settled(gain=0.0, offset=120.0)
    assert stage.see((100, 100)) is TableState.MOVING
    stage.until_settled((100, 100), limit=120)


def test_the_first_rest_takes_a_little_longer():
    assert LATEST_US <= Stage().until_settled((80, 60)) <= 2 * LATEST_US


def test_a_picture_of_another_size_begins_anew(stage):
    track = follow(stage.track, of_grey(np.zeros((100, 320))), stage.at_us)
    assert (track.state, track.tables_bgr) == (TableState.MOVING, ())


def test_pictures_far_apart_settle_as_well():
    stage = Stage()
    moods = []
    for _ in range(8):
        moods.append(stage.see((80, 60)))
        stage.at_us += 300_000
    assert moods[2:] == [TableState.SETTLED] * 6  # three pictures agree


def test_nothing_seen_is_nothing_settled():
    assert not is_settled(None)


def test_light_is_matched_by_the_line_that_fits(stage):
    before = stage._wood
    after = (before * 0.8 + 12).astype(np.float32)
    after[40:60, 40:60] = 250  # what moved must not bend the line
    assert np.abs(match_light(before, after) - (before * 0.8 + 12)).max() < 2


def test_a_die_on_a_table_of_one_grey_is_seen():
    stage = Stage()
    stage._wood = np.full_like(stage._wood, 120)
    stage.until_settled((80, 60))
    assert stage.see() is TableState.MOVING


def test_a_picture_of_one_grey_has_no_line_to_fit():
    flat = np.full((240, 320), 90, np.float32)
    assert np.allclose(match_light(flat, flat + 30), 120)


def test_the_small_picture_keeps_the_shape():
    assert thumbnail(np.zeros((960, 1280, 3), np.uint8)).grey.shape == (240, 320)
    assert thumbnail(np.zeros((2224, 1080, 3), np.uint8)).grey.shape == (659, 320)


@pytest.mark.parametrize("width_px", [1, 2, 20])
def test_a_strip_of_a_picture_does_not_become_a_huge_one(width_px):
    strip = np.full((960, width_px, 3), 90, np.uint8)
    assert thumbnail(strip).grey.size <= 320 * 960
    track = None
    for number in range(8):
        track = follow(track, thumbnail(strip), number * 33_333)
    assert is_settled(track)
