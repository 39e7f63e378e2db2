"""A camera that dozes: few pictures of a table at rest are decoded, and a throw is read as if it had never slept."""

import numpy as np
import pytest

from companion.demo.things import THROW_US
from companion.errors import BadInput
from companion.game.readings import DiceReading, Glance, Glanced, Kind, Settled, Stirred, Watching
from companion.game.readings.mat import LookAtMat, MatSeen
from companion.sensing.process_messages import Status
from tests.photographs import dice_table, jpeg, thrown
from tests.vision.films import FRAME_US, Film, seen, with_noise
from vision.cameras.camera import Undecoded
from vision.cameras.pictures import decoded, decoded_small
from vision.process import doze
from vision.process.doze import LOOK_US, MOST_WAITING, SETTLED_US, WHOLE_US, Doze
from vision.virtual.painter import Painter
from vision.watch.known_table import KnownTable
from vision.watch.lookout import Lookout

STILL_S, AFTER_S = 8, 3
QUIET_FRAMES = STILL_S * 30
WOOD_BGR, PURPLE_BGR, GREY_BGR = (0.7, 1.0, 1.1), (2.1, 0.35, 1.8), (0.98, 0.98, 0.98)  # Alike in grey.


@pytest.fixture(scope="module")
def film():
    """A table with two dice that lie still, with a sensor's noise; then five dice are thrown there."""
    painter = Painter()
    still = painter.picture(dice_table(3, 4), 0)
    five = thrown(dice_table(1, 2, 3, 5, 6))
    throw = [painter.picture(five, number * FRAME_US) for number in range(THROW_US // FRAME_US + 2)]
    rest = painter.picture(dice_table(1, 2, 3, 5, 6), 0)
    pictures = [still] * QUIET_FRAMES + throw + [rest] * (AFTER_S * 30)
    return with_noise(pictures)


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


@pytest.mark.parametrize("waits", [False, True])
def test_a_command_wakes_the_camera_also_where_it_came_while_the_camera_waited(film, monkeypatch, waits):
    camera = Film(film[:QUIET_FRAMES])
    command = LookAtMat(until_us=camera.began_us + 3_600_000_000)
    said = seen(camera, monkeypatch, {QUIET_FRAMES - 40: command}, waits=waits)
    assert any(isinstance(message, MatSeen) for message in said)


class Quiet:
    """A camera's frames that are small pictures of one tint, and which of them are watched."""

    def __init__(self):
        self.tint = WOOD_BGR
        self.doze, self.number, self.random = Doze(), -1, np.random.default_rng(7)
        self.grey = (60 + 120 * self.random.random((24, 32))).astype(np.uint8).repeat(10, 0).repeat(10, 1)

    def next(self, *, change=0, is_quiet=True):
        """The numbers of the frames that are watched after one more."""
        return [due.number for due in self.doze.due(self.frame(change), is_quiet=is_quiet)]

    def frame(self, change=0):
        """One more frame, in which a thing of so many pixels lies that was not there."""
        self.number += 1
        picture = self.grey.astype(np.float32) + self.random.normal(0, 3, self.grey.shape)
        picture[100 : 100 + change, 100 : 100 + change] = 10
        picture = picture[..., np.newaxis] * np.float32(self.tint)
        content = np.frombuffer(jpeg(np.clip(picture, 0, 255).astype(np.uint8)), np.uint8)
        return Undecoded(content, self.number * FRAME_US, self.number, decode=decoded, reduce=decoded_small)

    def fall_asleep(self):
        while not self.doze.is_on:
            assert self.next() == [self.number]


def test_a_quiet_table_is_dozed_over_after_three_seconds_and_no_noise_wakes_it():
    table = Quiet()
    table.fall_asleep()
    assert (table.number * FRAME_US) // 1_000_000 == 3
    watched = [number for _ in range(30 * 60) for number in table.next()]
    assert 60_000_000 / (WHOLE_US + 200_000) - 2 <= len(watched) <= 60_000_000 / WHOLE_US
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


def test_a_camera_that_repeats_its_pictures_is_watched_again_within_half_a_second():
    table = Quiet()
    table.fall_asleep()
    shown = [table.frame() for _ in range(4)]
    watched = 0
    for number in range(15):
        old = shown[number % 4]
        table.number += 1
        frame = Undecoded(old.raw, table.number * FRAME_US, table.number, decode=decoded, reduce=decoded_small)
        watched += len(table.doze.due(frame, is_quiet=True))
    assert watched >= 1
    assert not table.doze.is_on


@pytest.mark.parametrize(("before", "after"), [(WOOD_BGR, PURPLE_BGR), (WOOD_BGR, GREY_BGR), (GREY_BGR, WOOD_BGR)])
def test_colours_that_come_or_go_wake_a_camera_within_a_fifth_of_a_second(before, after):
    table = Quiet()
    table.tint = before
    table.fall_asleep()
    for _ in range(40):
        table.next()
    table.tint = after
    for _ in range(200_000 // FRAME_US + 1):
        table.next()
    assert not table.doze.is_on


def test_a_table_that_is_described_anew_is_not_quiet_before_it_is_watched_again():
    lookout = Lookout(lambda _wanted: lambda _bgr: DiceReading(320, 240, ()), KnownTable(), live=True)
    lookout.want(Watching(None), 0)
    assert lookout.is_quiet
    lookout.want(Watching(Kind.DICE), 0)
    lookout.restart()
    assert not lookout.is_quiet


def test_a_picture_that_cannot_be_decoded_wakes_the_camera_and_is_left_out():
    table = Quiet()
    table.fall_asleep()
    scrap = np.frombuffer(b"\xff\xd8\xff no picture", np.uint8)
    frame = Undecoded(scrap, table.number * FRAME_US + 2 * LOOK_US, table.number, decode=decoded, reduce=decoded_small)
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
