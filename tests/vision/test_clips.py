"""The clip of a throw: which pictures, how large, when it is made, and that nothing beyond the mat is in it."""

import hashlib

import cv2
import numpy as np
import pytest

from companion.game.readings import Settled
from companion.journal.record import digest_bytes
from vision.cameras.camera import Frame
from vision.cameras.pictures import as_jpeg
from vision.watch.clips import AFTER_US, CLIP_US, EVERY_US, LONG_PX, MOST_BYTES, MOST_SMALLS, Clips
from vision.watch.known_table import OUTSIDE_BGR

FRAME_US = 33_333
REST_US = 5_000_000
LOOK = Settled(None, 0, 0, b"a picture", ())


def frame_at(at_us, level=None, size=(360, 640), **settings):
    """A frame whose level of grey says when it was taken, from 0 to 250 in ten seconds."""
    level = round(at_us / 40_000) % 251 if level is None else level
    return Frame(np.full((*size, 3), level, np.uint8), at_us, at_us // FRAME_US, **settings)


def seen_until(clips, last_us, **settings):
    for at_us in range(0, last_us, FRAME_US):
        clips.see(frame_at(at_us, **settings))


@pytest.fixture
def clips():
    made = Clips(lambda _bgr: None)
    made.keep(True)
    return made


def pictures(clip):
    strip = cv2.imdecode(np.frombuffer(clip.strip, np.uint8), cv2.IMREAD_COLOR)
    return np.split(strip, clip.frames)


def test_a_clip_shows_the_two_seconds_before_the_rest_in_order(clips):
    seen_until(clips, REST_US + AFTER_US + 200_000)
    clips.plan(LOOK, REST_US, frame_at(REST_US))
    clips.see(frame_at(REST_US + 700_000))
    clip = clips.make()
    levels = [float(picture.mean()) for picture in pictures(clip)]
    assert levels == sorted(levels)
    assert levels[0] == pytest.approx((REST_US - CLIP_US) / 40_000, abs=EVERY_US / 40_000 + 2)
    assert levels[-1] == pytest.approx((REST_US + AFTER_US) / 40_000, abs=EVERY_US / 40_000 + 2)
    assert clip.span_ms == pytest.approx((CLIP_US + AFTER_US) / 1000, abs=2 * (EVERY_US + FRAME_US) / 1000)
    assert clip.picture == hashlib.sha256(b"a picture").hexdigest()
    assert pictures(clip)[0].shape == (180, LONG_PX, 3)


def test_it_is_made_once_and_only_after_the_frame_in_which_the_rest_was_reported(clips):
    seen_until(clips, REST_US)
    clips.plan(LOOK, REST_US, frame_at(REST_US))
    assert clips.make() is None
    clips.see(frame_at(REST_US + FRAME_US))
    assert clips.make() is not None
    clips.see(frame_at(REST_US + 2 * FRAME_US))
    assert clips.make() is None


def test_even_pictures_of_noise_alone_are_no_larger_than_allowed(clips):
    random = np.random.default_rng(1)
    for at_us in range(0, REST_US, FRAME_US):
        clips.see(Frame(random.integers(0, 256, (360, 640, 3), np.uint8), at_us, 0))
    clips.plan(LOOK, REST_US, frame_at(REST_US))
    clips.see(frame_at(REST_US + FRAME_US))
    assert len(clips.make().strip) <= MOST_BYTES


@pytest.mark.parametrize("size", [(360, 640), (3000, 4000), (2000, 2000)])
def test_what_is_kept_takes_less_than_sixty_megabytes(clips, size):
    for number in range(2 * MOST_SMALLS):
        clips.see(frame_at(number * EVERY_US, size=size))
    assert len(clips._smalls) == MOST_SMALLS
    assert sum(small.bgr.nbytes for small in clips._smalls) < 12_000_000


def test_nothing_is_kept_where_nobody_wants_clips(clips):
    seen_until(clips, REST_US)
    clips.plan(LOOK, REST_US, frame_at(REST_US))
    clips.keep(False)
    assert not clips._smalls
    seen_until(clips, REST_US)
    assert not clips._smalls
    assert clips.make() is None


def test_another_scene_or_a_turned_phone_is_no_part_of_the_clip(clips):
    seen_until(clips, REST_US)
    clips.see(frame_at(REST_US, take=1))
    assert len(clips._smalls) == 1
    clips.see(frame_at(REST_US + EVERY_US, take=1, size=(640, 360)))
    assert len(clips._smalls) == 1


def test_nothing_beyond_the_mat_is_in_a_clip():
    mask = np.zeros((360, 640), np.uint8)
    mask[:, :320] = 255
    clips = Clips(lambda _bgr: mask)
    clips.keep(True)
    seen_until(clips, REST_US, level=250)
    clips.plan(LOOK, REST_US, frame_at(REST_US))
    clips.see(frame_at(REST_US + FRAME_US))
    for picture in pictures(clips.make()):
        assert np.abs(picture[:, 176:].astype(int) - OUTSIDE_BGR).max() < 12  # JPEG
        assert picture[:, :144].min() > 238


def test_a_single_picture_is_no_clip(clips):
    clips.see(frame_at(REST_US))
    clips.plan(LOOK, REST_US, frame_at(REST_US))
    clips.see(frame_at(REST_US + FRAME_US))
    assert clips.make() is None


def test_the_digest_is_that_of_the_picture_as_it_is_kept(clips):
    jpeg = as_jpeg(frame_at(0).bgr)
    seen_until(clips, REST_US)
    clips.plan(Settled(None, 0, 0, jpeg, ()), REST_US, frame_at(REST_US))
    clips.see(frame_at(REST_US + FRAME_US))
    assert clips.make().picture == digest_bytes(jpeg)
