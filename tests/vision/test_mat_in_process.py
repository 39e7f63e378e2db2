"""The vision process with a table that is described: bumped, covered, set up anew. A camera stands in."""

import threading
import time
from multiprocessing import Pipe

import cv2
import numpy as np
import pytest

from companion.clock import monotonic_us
from companion.equipment.mat import mat
from companion.game.readings import DiceReading, Photo, Photograph, Stirred
from companion.game.readings.mat import LookAtMat, MatSeen, UseScene, Verdict
from companion.sensing.process_messages import Heartbeat, Status, Stop
from tests.vision.test_calibration import above, camera_with, seen_by
from vision.calibration.look_at_mat import Calibration
from vision.cameras.camera import Camera, Frame
from vision.cameras.pictures import as_jpeg
from vision.process import main as process
from vision.process.main import watch_forever

SOON_S = 30.0  # a limit, never a pause
STANDS, BUMPED = above(tilt_deg=8.0, far_mm=800.0), above(tilt_deg=11.0, far_mm=790.0, aside_deg=10.0)
FACE_BGR = (10, 20, 250)


def sees_no_dice(table, _watching):
    """A reader that finds the mat, as all but that of dice do, and nothing on it."""

    def read(frame_bgr):
        table.find(frame_bgr)
        return DiceReading(frame_bgr.shape[1], frame_bgr.shape[0], ())

    return read


class StandInCamera(Camera):
    """Shows one picture until it is given another."""

    live = True

    def __init__(self, shown_bgr, wait):
        self.shown_bgr = shown_bgr
        self.may_go, self.is_held = threading.Event(), threading.Event()
        self.may_go.set()
        self._wait = wait

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def full(self, frame):
        return frame

    def frames(self):
        random = np.random.default_rng(1)
        number = 0
        while True:  # with noise: a camera that gives the very same picture again and again is frozen
            noise = random.integers(0, 3, self.shown_bgr.shape, np.uint8)
            yield Frame(cv2.add(self.shown_bgr, noise), monotonic_us(), number)
            number += 1
            if not self.may_go.is_set():
                self.is_held.set()
                self.may_go.wait(SOON_S)
            self._wait(0.02)


class Service:
    """The other end of the pipe, and the camera."""

    def __init__(self, monkeypatch, shown_bgr, scene_path=None):
        self.ours, theirs = Pipe()
        self.camera = None

        def opened(_spec, wait, **_rest):
            self.camera = self.camera or StandInCamera(shown_bgr, wait)
            return self.camera

        monkeypatch.setattr(process, "open_camera", opened)
        self.thread = threading.Thread(
            target=watch_forever, args=(theirs, "0", 0, scene_path, sees_no_dice), daemon=True
        )
        self.thread.start()

    def close(self):
        self.ours.send(Stop())
        self.thread.join(SOON_S)
        self.ours.close()

    def wait_for(self, kind, fits=lambda message: True):
        until_s = time.monotonic() + SOON_S
        while self.ours.poll(max(0.0, until_s - time.monotonic())):
            message = self.ours.recv()
            if isinstance(message, kind) and not isinstance(message, Heartbeat) and fits(message):
                return message
        raise AssertionError(f"no {kind} came")

    def hears(self, kind, within_s):
        """Whether a message of that kind comes so soon."""
        until_s = time.monotonic() + within_s
        while self.ours.poll(max(0.0, until_s - time.monotonic())):
            if isinstance(self.ours.recv(), kind):
                return True
        return False

    def photo(self):
        self.ours.send(Photograph())
        return cv2.imdecode(np.frombuffer(self.wait_for(Photo).jpeg, np.uint8), cv2.IMREAD_COLOR)


def shown(pose):
    """The mat, and faces around the table."""
    frame_bgr = seen_by(pose, mat("dice"))
    frame_bgr[:25] = FACE_BGR
    return frame_bgr


@pytest.fixture(scope="module")
def fields():
    return Calibration("webcam", camera_with(STANDS)).look(seen_by(STANDS, mat("dice")), LookAtMat(0)).scene


@pytest.fixture
def service(monkeypatch):
    running = Service(monkeypatch, shown(STANDS))
    yield running
    running.close()


def shows_a_face(picture_bgr):
    blue, green, red = (picture_bgr[..., channel].astype(int) for channel in range(3))
    return bool(((red > 200) & (green < 60) & (blue < 60)).any())


def test_a_picture_asked_for_right_after_saving_shows_no_face(service, fields):
    """Scene and wish come together, while the camera is waited for."""
    assert shows_a_face(service.photo())
    service.camera.may_go.clear()
    assert service.camera.is_held.wait(SOON_S)
    service.ours.send(UseScene(fields))
    service.ours.send(Photograph())
    service.camera.may_go.set()
    assert not shows_a_face(cv2.imdecode(np.frombuffer(service.wait_for(Photo).jpeg, np.uint8), cv2.IMREAD_COLOR))


def test_once_it_is_set_up_no_face_leaves_the_process_also_after_a_bump(service, fields):
    assert shows_a_face(service.photo())
    service.ours.send(UseScene(fields))
    assert not shows_a_face(service.photo())
    service.camera.shown_bgr = shown(BUMPED)
    kept = service.photo()
    assert not shows_a_face(kept)
    x, y = (BUMPED.project(np.array([[-160.0, 100.0, 0.0]]))[0] * kept.shape[1] / 1280).astype(int)
    assert np.ptp(kept[y - 20 : y + 20, x - 20 : x + 20]) > 60  # a marker, not grey paint


def test_a_mat_that_is_covered_is_said_and_said_to_be_back(service, fields):
    service.ours.send(UseScene(fields))
    service.wait_for(Status, lambda status: status.state == "ok")
    service.camera.shown_bgr = np.full_like(service.camera.shown_bgr, 120)
    warned = service.wait_for(Status, lambda status: status.state == "warn")
    assert "I can't see the whole mat" in warned.text
    service.camera.shown_bgr = shown(STANDS)
    service.wait_for(Status, lambda status: status.state == "ok")  # a grey picture may be warned of, too, before


def test_a_table_that_is_touched_is_said_to_be(service):
    service.wait_for(Status, lambda status: status.state == "ok")
    assert not service.hears(Stirred, 1.0)  # nothing but noise moves
    for _touched in range(20):  # one that comes before the table was at rest is no news
        service.camera.shown_bgr = cv2.rotate(service.camera.shown_bgr, cv2.ROTATE_180)
        if service.hears(Stirred, 1.5):
            return
    raise AssertionError("nobody said that the table was touched")


@pytest.mark.parametrize("odd", [{"board": {"n": 0}}, {"unit_mm": "wide"}, {"camera": []}])
def test_a_damaged_scene_that_comes_later_is_said_until_a_good_one_does(service, fields, odd):
    service.ours.send(UseScene(fields))
    assert not shows_a_face(service.photo())  # so it was taken up
    service.ours.send(UseScene({**fields, **odd}))
    warned = service.wait_for(Status, lambda status: status.state != "ok")
    assert (warned.state, next(iter(odd)) in warned.text) == ("warn", True)
    assert not shows_a_face(service.photo())  # by the scene that was known
    service.ours.send(UseScene(fields))
    assert service.wait_for(Status).state == "ok"


def test_somebody_looks_for_as_long_as_asked(service, monkeypatch):
    monkeypatch.setattr("vision.process.set_up_watch.EVERY_US", 0)
    service.ours.send(LookAtMat(monotonic_us() + 60_000_000))
    seen = service.wait_for(MatSeen)
    assert next(check for check in seen.checks if check.name == "markers").verdict is Verdict.OK
    assert seen.scene
    service.ours.send(LookAtMat(0))
    service.photo()  # by now it has heard
    service.ours.send(Photograph())
    assert isinstance(service.wait_for((MatSeen, Photo)), Photo)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is no JSON"),
        ('{"unit_mm": 1' + "0" * 400 + "}", "unit_mm must be"),
        ('{"markers": [{"id": "a"}]}', "id of a marker must be"),
        ('{"colour_by_length": {"²": "white"}}', "colour_by_length must"),
    ],
)
def test_a_damaged_scene_file_costs_no_camera(monkeypatch, tmp_path, content, said):
    (tmp_path / "scene.json").write_text(content, encoding="utf-8")
    running = Service(monkeypatch, shown(STANDS), tmp_path / "scene.json")
    try:
        warned = running.wait_for(Status)
        assert (warned.state, said in warned.text) == ("warn", True)
        assert as_jpeg(running.photo())
    finally:
        running.close()
