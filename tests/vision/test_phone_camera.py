"""Pictures of a phone, as the process that watches asks for them: whole, of now, and missed in good time."""

import itertools

import numpy as np
import pytest

from companion.cameras.phone import Picture
from companion.errors import CameraUnavailable
from companion.sensing.process_messages import PicturePiece
from vision.cameras.phone import GONE_S, MOST_BROKEN, PhoneCamera
from vision.cameras.pictures import as_jpeg
from vision.open_camera import open_camera
from vision.process.phone_line import PhoneLine


def jpeg(level=100, width=320, height=180):
    return as_jpeg(np.full((height, width, 3), level, np.uint8))


class Given:
    """A line that gives these pictures, each as soon as it is asked for; None for one that does not come."""

    def __init__(self, *pictures, full=None, has_seen=False):
        self.pictures, self.full, self.has_seen = iter(pictures), full, has_seen
        self.asked, self.asked_ahead = [], []

    def ask(self, *, full):
        self.asked_ahead.append(full)

    def next(self, within_s, *, full=False):
        self.asked.append((within_s, full))
        content = self.full if full else next(self.pictures, None)
        self.has_seen = self.has_seen or content is not None
        return None if content is None else Picture(content, 7)


class Pipe:
    """A pipe whose other end answers each message by these pieces."""

    def __init__(self, answer):
        self._pieces, self.sent, self._answer, self._waiting = [], [], answer, []

    def send(self, message):
        self.sent.append(message)
        self._waiting += self._answer(message)

    def wait(self, _seconds):
        self._pieces += self._waiting[:1]
        del self._waiting[:1]

    def take(self, _kind):
        pieces, self._pieces = self._pieces, []
        return pieces


def test_frames_carry_the_time_at_which_they_came():
    with open_camera("phone", phone=Given(jpeg(50), jpeg(90))) as camera:
        frames = list(itertools.islice(camera.frames(), 2))
    assert [(round(float(frame.bgr.mean())), frame.at_us, frame.number) for frame in frames] == [(50, 7, 0), (90, 7, 1)]


def test_a_phone_that_is_gone_is_missed_within_three_seconds():
    line = Given(jpeg())
    with PhoneCamera(line) as camera, pytest.raises(CameraUnavailable, match="Unlock it"):
        list(camera.frames())
    assert line.asked[-1] == (GONE_S, False)
    assert GONE_S < 3.0


def test_before_any_phone_the_sentence_says_what_to_do():
    with PhoneCamera(Given()) as camera, pytest.raises(CameraUnavailable, match="Open /camera on a phone"):
        list(camera.frames())


def test_a_damaged_picture_is_left_out_but_not_for_ever():
    with PhoneCamera(Given(b"\xff\xd8 no more", jpeg(60))) as camera:
        assert round(float(next(camera.frames()).bgr.mean())) == 60
    with PhoneCamera(Given(*[b"\xff\xd8"] * MOST_BROKEN)) as camera, pytest.raises(CameraUnavailable, match="another"):
        list(camera.frames())


@pytest.mark.parametrize(
    ("full", "width"),
    [
        (jpeg(width=640, height=360), 640),
        (jpeg(width=360, height=640), 320),  # turned meanwhile
        (jpeg(), 320),
        (b"\xff\xd8", 320),
        (None, 320),
    ],
)
def test_the_reading_has_the_full_picture_where_it_shows_the_same(full, width):
    with PhoneCamera(Given(jpeg(), full=full)) as camera:
        assert camera.full(next(camera.frames())).bgr.shape[1] == width


def test_without_a_full_picture_the_small_one_has_its_size():
    line = Given(jpeg(), full=jpeg(width=640, height=360))
    with PhoneCamera(line) as camera:
        frame = next(camera.frames())
        camera.full(frame)
        line.full = None
        assert camera.full(frame).bgr.shape == (360, 640, 3)


def test_the_second_reading_of_a_rest_waits_for_no_other_picture():
    line = Given(jpeg(), jpeg(), jpeg(), full=jpeg(width=640, height=360))
    with PhoneCamera(line) as camera:
        frames = camera.frames()
        camera.full(next(frames))
        assert line.asked_ahead == [True]  # while the first one is read
        second = next(frames)
        assert second.bgr.shape == (180, 320, 3)  # what watches sees one size
        assert camera.full(second).bgr.shape == (360, 640, 3)
        assert [full for _within_s, full in line.asked] == [False, True, True]
        next(frames)
        assert [full for _within_s, full in line.asked] == [False, True, True, False]


def test_a_phone_whose_two_sizes_never_agree_still_gets_a_rest_read():
    line = Given(*[jpeg()] * 4, full=jpeg(width=640, height=360))
    with PhoneCamera(line) as camera:
        frames = camera.frames()
        camera.full(next(frames))
        next(frames)  # in full size, and read by nobody
        camera.full(next(frames))
        next(frames)
    assert [full for _within_s, full in line.asked] == [False, True, True, False, True, False]


def test_a_phone_that_is_turned_between_two_pictures_shows_what_it_sees():
    line = Given(jpeg(), jpeg(), full=jpeg(width=640, height=360))
    with PhoneCamera(line) as camera:
        frames = camera.frames()
        camera.full(next(frames))
        line.full = jpeg(width=360, height=640)
        turned = next(frames)
        assert turned.bgr.shape == (640, 360, 3)


def test_a_picture_that_was_asked_for_earlier_may_have_come_meanwhile():
    pipe = Pipe(lambda wanted: [PicturePiece(wanted.token, 4, 3, 0, b"abc")])
    line = PhoneLine(pipe)
    line.ask(full=True)
    pipe.wait(0)  # while something else was received
    pipe.wait = None  # a wait would hold up the reading
    assert line.next(10.0, full=True) == Picture(b"abc", 4)
    assert len(pipe.sent) == 1


def test_a_picture_of_another_size_is_asked_for_anew():
    pipe = Pipe(lambda wanted: [PicturePiece(wanted.token, 4, 3, 0, b"big" if wanted.full else b"abc")])
    line = PhoneLine(pipe)
    line.ask(full=True)
    pipe.wait(0)
    assert line.next(10.0) == Picture(b"abc", 4)


def test_a_picture_is_put_together_from_its_own_pieces_alone():
    def answer(wanted):
        old = PicturePiece(wanted.token - 1, 3, 6, wanted.at, b"xxx")
        return [old, PicturePiece(wanted.token, 4, 6, wanted.at, b"abcdef"[wanted.at : wanted.at + 3])]

    pipe = Pipe(answer)
    assert PhoneLine(pipe).next(10.0) == Picture(b"abcdef", 4)
    assert [message.at for message in pipe.sent] == [0, 3]


def test_a_picture_that_stops_half_way_is_none():
    pipe = Pipe(lambda wanted: [] if wanted.at else [PicturePiece(wanted.token, 4, 6, 0, b"abc")])
    line = PhoneLine(pipe)
    assert line.next(0.05) is None
    assert not line.has_seen


def test_without_a_table_there_is_no_phone():
    with pytest.raises(CameraUnavailable, match="Only a running table"):
        open_camera("phone")
