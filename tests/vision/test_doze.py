"""A camera that dozes: few pictures of a table at rest are decoded, and a throw is read as if it had never slept."""

import threading
from functools import partial
from multiprocessing import Pipe

import cv2
import numpy as np
import pytest

from companion.clock import monotonic_us
from companion.demo.things import THROW_US
from companion.errors import BadInput, CameraUnavailable
from companion.game.readings import Glance, Glanced, Kind, Settled, Stirred, Watching
from companion.sensing.process_messages import Status, Stop
from tests.photographs import dice_table, jpeg, thrown
from vision.cameras.camera import Camera, Undecoded
from vision.cameras.pi_streams import Stream
from vision.cameras.pictures import decoded, decoded_grey
from vision.process import doze, main
from vision.process.doze import LOOK_US, MOST_WAITING, SETTLED_US, WHOLE_US, Doze
from vision.virtual.painter import Painter
from vision.watch.lookout import reader_for

FRAME_US = 33_333
STILL_S, AFTER_S = 8, 3
QUIET_FRAMES = STILL_S * 30


class Film(Camera):
    """A camera whose pictures are JPEGs, which counts those that are decoded whole."""

    live = True

    def __init__(self, jpegs):
        self._jpegs, self.whole = jpegs, []
        self.on_frame = lambda _number: None
        self.began_us = monotonic_us()

    def frames(self):
        for number, content in enumerate(self._jpegs):
            self.on_frame(number)
            decode = partial(self._decode, number)
            yield Undecoded(content, self.began_us + number * FRAME_US, number, decode=decode, grey=decoded_grey)
        raise CameraUnavailable("The film is over.")

    def _decode(self, number, content):
        self.whole.append(number)
        return decoded(content)


def seen(camera, monkeypatch, asks=None):
    """What the camera's process says of a film; `asks` has a command by the number of a picture."""
    cameras = [camera]

    def opened(_spec, **_rest):
        if not cameras:
            raise CameraUnavailable("The film is over.")
        return cameras.pop()

    monkeypatch.setattr(main, "open_camera", opened)
    ours, theirs = Pipe()
    ours.send(Watching(Kind.DICE))
    camera.on_frame = lambda number: number in (asks or {}) and ours.send(asks[number])
    thread = threading.Thread(target=main.watch_forever, args=(theirs, "0", 0, None, reader_for), daemon=True)
    thread.start()
    said = []
    while not (isinstance(message := ours.recv(), Status) and message.text == "The film is over."):
        said.append(message)
    ours.send(Stop())
    thread.join()
    return said


@pytest.fixture(scope="module")
def film():
    """A table with two dice that lie still, with a sensor's noise; then five dice are thrown there."""
    random, painter = np.random.default_rng(20261129), Painter()
    still = painter.picture(dice_table(3, 4), 0)
    five = thrown(dice_table(1, 2, 3, 5, 6))
    throw = [painter.picture(five, number * FRAME_US) for number in range(THROW_US // FRAME_US + 2)]
    rest = painter.picture(dice_table(1, 2, 3, 5, 6), 0)
    pictures = [still] * QUIET_FRAMES + throw + [rest] * (AFTER_S * 30)
    height, width = still.shape[:2]
    noise = random.normal(0, 1.5, (height + 64, width + 64, 3)).round().astype(np.int8)
    corners = random.integers(0, 64, (len(pictures), 2))  # No two pictures are the same.
    cuts = (noise[down : down + height, right : right + width] for down, right in corners)
    noisy = (cv2.add(picture, cut, dtype=cv2.CV_8U) for picture, cut in zip(pictures, cuts, strict=True))
    return [np.frombuffer(jpeg(picture), np.uint8) for picture in noisy]


def values(settled):
    return sorted(die.value for die in settled.reading.dice)


def test_a_throw_is_read_alike_and_as_soon_by_a_camera_that_dozed(film, monkeypatch):
    dozing = Film(film)
    said = [message for message in seen(dozing, monkeypatch) if isinstance(message, Settled | Stirred)]
    monkeypatch.setattr(doze, "SETTLED_US", 10**12)
    awake = Film(film)
    said_awake = [message for message in seen(awake, monkeypatch) if isinstance(message, Settled | Stirred)]
    assert [type(message) for message in said] == [type(message) for message in said_awake] == [Stirred, Settled]
    (_, rest), (_, rest_awake) = said, said_awake
    assert values(rest) == values(rest_awake) == [1, 2, 3, 5, 6]
    assert rest.rested_us - dozing.began_us == rest_awake.rested_us - awake.began_us
    assert rest.reading.dice == rest_awake.reading.dice
    # Of the five seconds that were dozed over, only those watched whole were decoded.
    dozed_from, throws_at = 30 * SETTLED_US // 1_000_000 + 25, QUIET_FRAMES
    slept = [number for number in dozing.whole if dozed_from < number < throws_at - MOST_WAITING]
    assert len(slept) <= (STILL_S * 1_000_000 - SETTLED_US) // WHOLE_US
    assert len([number for number in awake.whole if dozed_from < number < throws_at - MOST_WAITING]) > 100
    assert {number for number in dozing.whole if number >= throws_at} == set(range(throws_at, len(film)))


def test_a_question_wakes_the_camera_with_the_next_picture(film, monkeypatch):
    camera, asked_at = Film(film[:QUIET_FRAMES]), QUIET_FRAMES - 20
    said = seen(camera, monkeypatch, {asked_at: Glance(7)})
    (glanced,) = (message for message in said if isinstance(message, Glanced))
    assert values(glanced.settled) == [3, 4]
    seen_in = (glanced.settled.rested_us - camera.began_us) // FRAME_US
    # Pictures that wait come first; each of this film's stamps is later than the question, which a real one's is not.
    assert asked_at - MOST_WAITING < seen_in <= asked_at + 1


class Quiet:
    """A camera's frames that are small grey pictures, and which of them are watched."""

    def __init__(self):
        self.doze, self.number, self.random = Doze(), -1, np.random.default_rng(7)
        self.grey = (60 + 120 * self.random.random((24, 32))).astype(np.uint8).repeat(10, 0).repeat(10, 1)

    def next(self, *, change=0, is_quiet=True):
        """The numbers of the frames that are watched after one more."""
        self.number += 1
        picture = self.grey.astype(np.float32) + self.random.normal(0, 3, self.grey.shape)
        picture[100 : 100 + change, 100 : 100 + change] = 10
        content = np.frombuffer(jpeg(np.clip(picture, 0, 255).astype(np.uint8)), np.uint8)
        frame = Undecoded(content, self.number * FRAME_US, self.number, decode=decoded, grey=decoded_grey)
        return [due.number for due in self.doze.due(frame, is_quiet=is_quiet)]

    def fall_asleep(self):
        while not self.doze.is_on:
            assert self.next() == [self.number]


def test_a_quiet_table_is_dozed_over_after_three_seconds_and_no_noise_wakes_it():
    table = Quiet()
    table.fall_asleep()
    assert (table.number * FRAME_US) // 1_000_000 == 3
    watched = [number for _ in range(30 * 60) for number in table.next()]
    assert 60 // (WHOLE_US / 1_000_000) - 2 <= len(watched) <= 60 // (WHOLE_US / 1_000_000)
    assert table.doze.is_on


@pytest.mark.parametrize("side_px", [5, 8, 60])  # of a die of 1/64 of the picture's width, of others, of a hand
def test_any_change_wakes_within_a_fifth_of_a_second_and_nothing_of_it_is_lost(side_px):
    for phase in range(7):
        table = Quiet()
        table.fall_asleep()
        for _ in range(20 + phase):
            table.next()
        first, watched = table.number + 1, []
        while not watched:
            watched = table.next(change=side_px)
        assert (table.number - first) * FRAME_US <= 200_000
        assert set(range(first, table.number + 1)) <= set(watched)
        assert watched == sorted(watched)
        assert table.next(change=side_px) == [table.number]


def test_whoever_asks_has_every_picture_from_the_next_one_on():
    table = Quiet()
    table.fall_asleep()
    for _ in range(9):
        table.next()
    assert table.next(is_quiet=False)[-1] == table.number
    assert table.next(is_quiet=False) == [table.number]


def test_a_picture_that_cannot_be_decoded_wakes_the_camera_and_is_left_out():
    table = Quiet()
    table.fall_asleep()
    scrap = np.frombuffer(b"\xff\xd8\xff no picture", np.uint8)
    frame = Undecoded(scrap, table.number * FRAME_US + 2 * LOOK_US, table.number, decode=decoded, grey=decoded_grey)
    assert table.doze.due(frame, is_quiet=True)[-1] is frame
    assert not frame.is_whole
    with pytest.raises(BadInput, match="broken"):
        _ = frame.bgr


def test_a_camera_of_nothing_but_broken_pictures_is_opened_anew(monkeypatch):
    scraps = [np.frombuffer(b"\xff\xd8\xff no picture", np.uint8) for _ in range(30)]
    said = seen(Film(scraps), monkeypatch)
    assert [status.text for status in said if isinstance(status, Status)][-1:] == [
        "The camera sends broken pictures. It is restarting. You can play on by tapping."
    ]


def test_the_grey_of_a_pis_small_stream_is_its_first_plane():
    grey = np.tile(np.arange(32, dtype=np.uint8) * 8, (24, 1))
    bgr = np.dstack([grey] * 3)
    yuv = cv2.cvtColor(bgr, cv2.COLOR_BGR2YUV_I420)
    padded = np.hstack([yuv, np.zeros((yuv.shape[0], 8), np.uint8)])
    seen_grey = Stream("YUV420", 32).grey(padded)
    assert seen_grey.shape == (24, 32)
    assert np.abs(seen_grey.astype(int) - (16 + grey.astype(int) * 219 / 255)).max() <= 1.5
