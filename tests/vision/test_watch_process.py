"""The vision process's loop, run on a thread; and once for real, in a process of its own with the real reader."""

import itertools
import threading
import time
import weakref
from functools import partial
from multiprocessing import Pipe
from queue import SimpleQueue

import numpy as np
import pytest

from companion.app.service.supervisor import Supervisor
from companion.clock import monotonic_us
from companion.demo.things import TableDie, VirtualTable, thrown
from companion.errors import CameraUnavailable, CompanionError
from companion.game.readings import BoardReading, CellReading, DiceReading, DieReading, Kind, Settled, Watching
from companion.game.readings.mat import UseScene
from companion.sensing.process_messages import ClockOffset, Heartbeat, Sleep, Status, Stop
from vision.cameras.camera import Camera, CameraLost, Frame
from vision.cameras.photos import load_photo
from vision.cameras.pictures import as_jpeg
from vision.process import main as process
from vision.process import observer, pace, service_pipe
from vision.process.main import watch_forever
from vision.virtual.dice import resting_pose
from vision.virtual.view import project
from vision.watch.lookout import reader_for

SOON_S = 30.0  # a limit, never a pause
DARK = 0  # of a stand-in camera: all of the picture is black


def blind(_scene_path, _watching):
    """A reader that always sees the same die."""
    seen = DieReading(4, 100.0, 100.0, 40.0, 40.0, 0.0, "white", 0.99, True, ((4, 0.99),))
    return lambda frame_bgr: DiceReading(frame_bgr.shape[1], frame_bgr.shape[0], (seen,))


def blind_in_the_dark(_scene_path, _watching):
    """A reader that sees the same die wherever there is light."""
    read = blind(_scene_path, _watching)
    return lambda frame_bgr: read(frame_bgr) if frame_bgr.any() else DiceReading(64, 48, ())


class Service:
    """The other end of the pipe."""

    def __init__(self, spec, load_reader=blind, commands=(), offset_us=0):
        self.ours, theirs = Pipe()
        for command in commands:
            self.ours.send(command)
        self.thread = threading.Thread(
            target=watch_forever, args=(theirs, spec, offset_us, None, load_reader), daemon=True
        )
        self.heartbeats = 0

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *exception):
        self.ours.send(Stop())
        self.thread.join(SOON_S)
        self.ours.close()
        assert not self.thread.is_alive()

    def next(self):
        """The next message that is no heartbeat, and not that this machine takes its time to open a camera."""
        until_s = time.monotonic() + SOON_S
        while self.ours.poll(max(0.0, until_s - time.monotonic())):
            message = self.ours.recv()
            if not isinstance(message, Heartbeat) and message != Status("down", service_pipe.SLOW):
                return message
            self.heartbeats += 1
        raise AssertionError("nothing was said")


class StandInCamera(Camera):
    """A camera with the given frames, which is gone afterwards."""

    live = True

    def __init__(self, levels, unplugged):
        self._levels = levels
        self._unplugged = unplugged

    def __enter__(self):
        if not self._levels:
            raise CameraUnavailable("No camera answers at number 0: plug it in.")
        return self

    def __exit__(self, *exception):
        return None

    def full(self, frame):
        return frame

    def frames(self):
        for number, level in enumerate(self._levels):
            frame_bgr = np.full((48, 64, 3), 0 if level is DARK else (80, 90, 95), np.uint8)  # wood, not grey
            frame_bgr[20:30, 20:30] = level
            yield Frame(frame_bgr, monotonic_us() + number * 33_333, number)
        if self._unplugged:
            raise CameraUnavailable("The camera at number 0 has stopped sending pictures. Check its cable.")


@pytest.fixture
def cameras(monkeypatch):
    """What opening the camera gives, one after the other."""
    queue = []
    monkeypatch.setattr(process, "open_camera", lambda _spec, **_rest: queue.pop(0))
    monkeypatch.setattr(process, "FIRST_RETRY_S", 0.001)
    return queue


def test_a_camera_that_is_unplugged_is_tried_again_until_it_is_back(cameras):
    moving = [90 + 10 * step for step in range(8)]
    cameras += [
        StandInCamera(moving + [170] * 8, unplugged=True),
        StandInCamera([], unplugged=True),
        StandInCamera([], unplugged=True),
        StandInCamera([170] * 8, unplugged=False),
    ]
    with Service("0") as service:
        said = [service.next() for _ in range(7)]
    assert [message.state for message in said if isinstance(message, Status)] == [
        "ok",
        "down",
        "down",
        "down",
        "ok",
        "off",
    ]
    assert sum(isinstance(message, Settled) for message in said) == 1  # the same dice are not told twice


def test_a_camera_is_closed_while_the_house_sleeps_and_opened_when_it_wakes(cameras):
    closed = threading.Event()

    class Closing(StandInCamera):
        def __exit__(self, *exception):
            closed.set()

    cameras += [Closing(itertools.repeat(170), unplugged=False), StandInCamera(itertools.repeat(170), unplugged=False)]
    with Service("0") as service:
        assert service.next() == observer.SEES
        service.ours.send(Sleep(True))
        assert service.next() == Status("off", "The camera is off while nobody plays.")
        assert closed.is_set()
        assert len(cameras) == 1
        service.ours.send(Sleep(False))
        assert service.next() == observer.SEES
        assert not cameras


def test_loading_and_reading_may_take_as_long_as_a_slow_machine_needs(cameras, monkeypatch):
    given, expect = [], process.ServicePipe.expect
    monkeypatch.setattr(
        process.ServicePipe, "expect", lambda *args, **more: given.append(args[1]) or expect(*args, **more)
    )
    monkeypatch.setattr(pace, "times_slower", lambda: 2.5)
    cameras.append(StandInCamera([170] * 4, unplugged=False))
    with Service("0") as service:
        while not isinstance(said := service.next(), Status) or said.state != "off":
            pass
    assert {2.5 * observer.LOAD_S, 2.5 * observer.READ_S} <= set(given)
    assert observer.FRAME_S in given  # a camera's own time is not the processor's


def test_dice_that_lay_there_before_a_moment_of_darkness_are_no_roll(cameras):
    moving = [90 + 10 * step for step in range(8)]
    cameras.append(StandInCamera([*moving, *[170] * 12, *[DARK] * 12, *[170] * 12], unplugged=False))
    with Service("0", blind_in_the_dark) as service:
        said = [service.next() for _ in range(3)]
    assert [type(message) for message in said] == [Status, Settled, Status]
    assert said[-1].state == "off"


class LostCamera(StandInCamera):
    """Gives a picture, and is gone as only another process can open it again."""

    def frames(self):
        yield from super().frames()
        raise CameraLost("The Pi's camera has stopped sending pictures.")


def test_a_process_that_has_lost_its_camera_says_so_and_ends(cameras, monkeypatch):
    ended = []
    monkeypatch.setattr(process, "ServicePipe", partial(process.ServicePipe, give_up=ended.append))
    cameras.append(LostCamera([170], unplugged=False))
    service = Service("picamera")
    service.thread.start()
    said = [service.next(), service.next()]
    service.thread.join(SOON_S)
    assert [message.state for message in said] == ["ok", "down"]
    assert said[1].text == "The Pi's camera has stopped sending pictures."
    assert ended == [1]


class SpoiltCamera(StandInCamera):
    """Its pictures are spoilt on the way."""

    def __init__(self, levels, spoil):
        super().__init__(levels, unplugged=False)
        self._spoil = spoil

    def frames(self):
        for frame in super().frames():
            noise = np.random.default_rng(frame.number).integers(0, 4, frame.bgr.shape, dtype=np.uint8)
            yield Frame(self._spoil(frame.bgr + noise), frame.at_us, frame.number)


def half_empty(bgr):
    bgr[24:] = 128
    return bgr


def without_colours(bgr):
    return np.repeat(bgr[..., 1:2], 3, axis=2)


@pytest.mark.parametrize(
    ("spoil", "kind", "is_read"),
    [
        (lambda bgr: bgr, Kind.DICE, True),
        (half_empty, Kind.DICE, False),
        (without_colours, Kind.DICE, True),
        (lambda bgr: bgr, Kind.BOARD, True),
        (without_colours, Kind.BOARD, False),
    ],
)
def test_nothing_is_read_from_a_picture_that_is_spoilt_for_it(cameras, spoil, kind, is_read):
    cameras += [SpoiltCamera([90 + 10 * step for step in range(8)] + [170] * 8, spoil)]
    asked = BoardReading(64, 48, ((CellReading("white", 1, 0.9, False, 25.0, 25.0),),))
    seen = blind(None, None) if kind is Kind.DICE else lambda _frame_bgr: asked
    with Service("0", lambda _table, _watching: seen, (Watching(kind),)) as service:
        said = []
        while not (said and isinstance(said[-1], Status) and said[-1].state == "off"):
            said.append(service.next())
    assert any(isinstance(message, Settled) for message in said) is is_read


def test_a_colour_in_play_that_the_scene_lacks_is_told_and_the_board_is_read_all_the_same(cameras):
    cameras += [StandInCamera([90 + 10 * step for step in range(8)] + [170] * 8, unplugged=False)]
    asked = BoardReading(64, 48, ((CellReading("white", 1, 0.9, False, 25.0, 25.0),),))
    wanted = Watching(Kind.BOARD, {"colours": ["white", "pink"]})
    commands = (wanted, UseScene({"colour_rgb": {"white": [235, 232, 225]}}))
    with Service("0", lambda _table, _watching: lambda _frame_bgr: asked, commands) as service:
        told, settled = service.next(), service.next()
    assert told.state == "warn"
    assert told.text.startswith("The scene has no pink, so the camera asks about every piece.")
    assert isinstance(settled, Settled)


def test_the_sentence_of_the_camera_reaches_the_table(cameras):
    cameras += [StandInCamera([], unplugged=True), StandInCamera([90] * 3, unplugged=False)]
    with Service("0") as service:
        assert service.next() == Status("down", "No camera answers at number 0: plug it in.")


def test_a_reader_that_cannot_be_loaded_is_said_and_the_process_stays(cameras):
    def broken(_scene_path, _watching):
        raise CompanionError("The dice reader's networks cannot be loaded: install the companion again.")

    with Service("0", broken) as service:
        assert service.next().state == "down"


def test_the_clock_offset_may_change_while_it_runs(cameras):
    cameras.append(StandInCamera([90, 100, 120, *[170] * 8], unplugged=False))
    with Service("0", commands=(ClockOffset(10**15),)) as service:
        said = [service.next() for _ in range(3)]
    (settled,) = [message for message in said if isinstance(message, Settled)]
    assert settled.rested_us > 10**15


def test_a_photo_that_cannot_be_read_is_told_and_the_next_is_shown(tmp_path, monkeypatch):
    monkeypatch.setattr("vision.cameras.recording.PHOTO_SHOWN_US", 1_000_000)
    (tmp_path / "a.jpg").write_bytes(b"no photo")
    (tmp_path / "b.jpg").write_bytes(as_jpeg(np.full((48, 64, 3), 90, np.uint8)))
    with Service(str(tmp_path)) as service:
        assert "a.jpg" in service.next().text
        assert service.next().state == "ok"
        assert isinstance(service.next(), Settled)
        assert service.next().state == "off"


def test_no_photo_is_still_in_memory_when_the_next_is_decoded(tmp_path, monkeypatch):
    monkeypatch.setattr("vision.cameras.recording.PHOTO_SHOWN_US", 1_000_000)
    for name in ("a.jpg", "b.jpg", "c.jpg"):
        (tmp_path / name).write_bytes(as_jpeg(np.full((48, 64, 3), 90, np.uint8)))
    seen, kept = [], []

    def watched_load(path):
        kept.extend(picture for picture in seen if picture() is not None)
        photo = load_photo(path)
        seen.append(weakref.ref(photo))
        return photo

    monkeypatch.setattr("vision.cameras.recording.load_photo", watched_load)
    with Service(str(tmp_path)) as service:
        while service.next() != Status("off", "The recording is over. Restart to see it again."):
            pass
    assert len(seen) == 3
    assert not kept


def test_a_share_that_stalls_between_two_photos_is_told_and_a_slow_recording_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr("vision.cameras.recording.PHOTO_SHOWN_US", 1_000_000)
    monkeypatch.setattr("vision.cameras.recording.PHOTO_FPS", 2)  # slower than a file may be
    monkeypatch.setattr(observer, "FILE_S", 0.3)
    monkeypatch.setattr(service_pipe, "PULSE_S", 0.02)
    given_up, answers = SimpleQueue(), threading.Event()
    monkeypatch.setattr(process, "ServicePipe", partial(process.ServicePipe, give_up=given_up.put))
    for name in ("a.jpg", "b.jpg"):
        (tmp_path / name).write_bytes(as_jpeg(np.full((48, 64, 3), 90, np.uint8)))
    asked = []

    def load_from_share(path):
        asked.append(path.name)
        if len(asked) == 2:
            answers.wait(SOON_S)
        return load_photo(path)

    monkeypatch.setattr("vision.cameras.recording.load_photo", load_from_share)
    with Service(str(tmp_path)) as service:
        said = [service.next(), service.next()]
        assert given_up.get(timeout=SOON_S) == 1
        answers.set()
    assert said == [
        Status("ok", "The camera sees the table."),
        Status("down", "The camera has stopped sending pictures."),
    ]
    assert asked == ["a.jpg", "b.jpg"]


def test_a_throw_on_the_virtual_table_is_told_in_table_time():
    offset_us = 3_600_000_000
    # The real reader: one that always sees the same die sees it on the empty table, too, and tells nothing new later.
    with Service("virtual", reader_for, commands=(VirtualTable(),), offset_us=offset_us) as service:
        assert service.next().state == "ok"
        die = TableDie("die-1", 4, 200.0, 150.0, 0.0)
        service.ours.send(thrown(VirtualTable(), (die,), monotonic_us() + offset_us))
        settled = service.next()
    assert isinstance(settled, Settled)
    assert [die.value for die in settled.reading.dice] == [4]
    assert settled.rested_us > offset_us
    assert settled.read_us >= settled.rested_us


def test_a_roll_in_a_process_of_its_own_with_the_real_reader():
    messages, statuses = SimpleQueue(), SimpleQueue()
    supervisor = Supervisor(
        "vision.process.main:watch_forever", ("virtual",), messages.put, lambda *status: statuses.put(status)
    )
    supervisor.send(VirtualTable())
    supervisor.start()
    try:
        assert statuses.get(timeout=SOON_S) == ("camera", "ok", "The camera sees the table.")
        landed = tuple(TableDie(f"die-{n}", n, 40.0 + 55 * n, 150.0, 15.0 * n) for n in range(1, 7))
        table = thrown(VirtualTable(), landed, monotonic_us())
        began_s = time.monotonic()
        supervisor.send(table)
        settled = messages.get(timeout=SOON_S)
        took_s = time.monotonic() - began_s
    finally:
        supervisor.stop()
    places = project(np.array([resting_pose(die).centre_mm for die in landed]))
    assert len(settled.reading.dice) + len(settled.reading.unread) == len(landed)
    for die in settled.reading.dice:
        assert np.hypot(*(places - (die.cx, die.cy)).T).min() < 30
    assert settled.rested_us >= table.throw.rests_us - 100_000
    print(f"thrown to told in {took_s * 1000:.0f} ms, at rest to told in {took_s * 1000 - 450:.0f} ms")
