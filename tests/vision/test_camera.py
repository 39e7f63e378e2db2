"""Cameras: files, a webcam and the Pi's camera with stand-ins for what is not here."""

import os
import random
import time
from itertools import accumulate
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from companion.cameras import devices
from companion.cameras.names import refuse_one_twice
from companion.errors import BadInput, CameraUnavailable
from tests.vision.matroska import write_video
from vision.cameras import photos, picam, webcam
from vision.cameras.camera import Frame
from vision.cameras.opening import WARM_UP_FRAMES, believed_us
from vision.cameras.pi_streams import FULL_PX, SMALL_PX, Stream
from vision.cameras.picam import PiCamera, exposure_began_us
from vision.cameras.recording import PHOTO_SHOWN_US, PhotoFolder, Video
from vision.cameras.webcam import Webcam
from vision.open_camera import open_camera
from vision.virtual.camera import VirtualCamera


def photo(path, level, width=64, height=48):
    cv2.imwrite(str(path), np.full((height, width, 3), level, np.uint8))


@pytest.fixture
def folder(tmp_path):
    photo(tmp_path / "b.jpg", 200)
    photo(tmp_path / "a.png", 50)
    (tmp_path / "c.jpg").write_bytes(b"this is no photo")
    photo(tmp_path / "d.jpeg", 120)
    (tmp_path / "notes.txt").write_text("not a photo at all")
    return tmp_path


@pytest.fixture
def video(tmp_path):
    path = tmp_path / "throw.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20.0, (64, 48))
    for level in range(0, 200, 20):
        writer.write(np.full((48, 64, 3), level, np.uint8))
    writer.release()
    return path


# which camera a word means


@pytest.mark.parametrize(
    ("spec", "kind"), [("0", Webcam), ("12", Webcam), ("picamera", PiCamera), ("virtual", VirtualCamera)]
)
def test_a_word_names_a_camera(spec, kind):
    camera = open_camera(spec)
    assert isinstance(camera, kind)
    assert camera.live


def test_a_path_names_a_recording(folder, video):
    assert isinstance(open_camera(str(folder)), PhotoFolder)
    assert isinstance(open_camera(str(video)), Video)
    assert not open_camera(str(video)).live


@pytest.mark.parametrize(("spec", "number"), [("picamera", 0), ("picamera0", 0), ("picamera1", 1)])
def test_the_pis_own_cameras_are_counted_from_0(spec, number):
    assert open_camera(spec).number == number


@pytest.mark.parametrize(
    "spec", ["", "webcam", "-1", "picamera-1", "picamera1.mp4", "picamera٣", "/nowhere/at/all.mp4"]
)
def test_anything_else_is_one_sentence(spec):
    with pytest.raises(CameraUnavailable, match="no camera or recording") as refusal:
        open_camera(spec)
    assert "\n" not in str(refusal.value)


def test_a_pipe_is_no_camera_and_nobody_waits_for_its_writer(tmp_path):
    os.mkfifo(tmp_path / "clip.mp4")
    with pytest.raises(CameraUnavailable, match="no camera or recording"):
        open_camera(str(tmp_path / "clip.mp4"))


def test_a_file_that_is_no_video_is_one_sentence(folder):
    with pytest.raises(CameraUnavailable, match="isn't a kind of video we know"):
        open_camera(str(folder / "notes.txt"))


# recordings


def test_photos_come_by_name_each_as_a_take_of_its_own(folder):
    told = []
    with PhotoFolder(folder, tell=told.append) as camera:
        frames = list(camera.frames())
    takes = {frame.take: round(float(frame.bgr.mean()), -1) for frame in frames}
    assert [takes[take] for take in sorted(takes)] == [50, 200, 120]
    assert [camera.photos[take].name for take in sorted(takes)] == ["a.png", "b.jpg", "d.jpeg"]
    assert [frame.number for frame in frames] == list(range(len(frames)))
    assert frames[-1].at_us - frames[0].at_us < 3 * PHOTO_SHOWN_US


def test_a_broken_photo_is_told_of_once_and_left_out(folder):
    told = []
    with PhotoFolder(folder, tell=told.append) as camera:
        assert len({frame.take for frame in camera.frames()}) == 3
    sentences = [sentence for sentence in told if "c.jpg" in sentence]
    assert len(sentences) == 1
    assert "\n" not in sentences[0]


def test_what_is_left_out_of_a_folder_is_named_once_with_its_reason(folder):
    photo(folder / "E.JPG", 90)
    (folder / "f.HeIc").write_bytes(b"none that could be read")
    (folder / "more").mkdir()
    photo(folder / "more" / "g.jpg", 90)
    (folder / ".DS_Store").write_bytes(b"a Mac leaves it in every folder, and nobody put it there")
    told = []
    with PhotoFolder(folder, tell=told.append) as camera:
        takes = {frame.take for frame in camera.frames()}
    assert [camera.photos[take].name for take in sorted(takes)] == ["a.png", "b.jpg", "d.jpeg", "E.JPG"]
    for name, reason in (
        ("c.jpg", "isn't a photo"),
        ("f.HeIc", "isn't a photo"),
        ("more", "was skipped"),
        ("notes.txt", "Only JPEG and PNG photos can be read here"),
    ):
        assert [reason in sentence for sentence in told if name in sentence] == [True]
    assert len(told) == 4


def test_photos_come_in_the_order_in_which_people_count(tmp_path):
    names = ["8.jpg", "9.jpg", "10.jpg", "11.JPG", "Roll 2 b.png", "roll 2 C.png", "ROLL 10.jpg", "table.jpg"]
    names += ["صورة ٩.jpg", "صورة ١٠.jpg", "写真９.jpg", "写真１０.jpg"]  # digits of other scripts
    for name in reversed(names):
        photo(tmp_path / name, 90)
    assert [found.name for found in PhotoFolder(tmp_path).photos] == names


@pytest.mark.parametrize("names", [("1.jpg", "01.jpg"), ("A.jpg", "a.jpg")])
def test_names_that_count_the_same_have_one_order(tmp_path, names, monkeypatch):
    orders = []
    for found in (names, names[::-1]):  # as a disk may list them
        monkeypatch.setattr("pathlib.Path.iterdir", lambda path, found=found: iter([path / name for name in found]))
        orders.append([photo.name for photo in PhotoFolder(tmp_path).photos])
    assert orders[0] == orders[1] == sorted(names)


def test_what_is_no_file_is_left_out_at_once_however_much_it_would_give(folder):
    os.mkfifo(folder / "0-pipe.jpg")  # nobody ever writes to it
    (folder / "1-zero.jpg").symlink_to("/dev/zero")
    (folder / "2-folder.jpg").mkdir()
    (folder / "3-link.jpg").symlink_to(folder / "b.jpg")
    told = []
    with PhotoFolder(folder, tell=told.append) as camera:
        takes = {frame.take for frame in camera.frames()}
    assert [camera.photos[take].name for take in sorted(takes)] == ["3-link.jpg", "a.png", "b.jpg", "d.jpeg"]
    assert ["a folder, a device or a pipe" in sentence for sentence in told if ".jpg" in sentence] == [
        True,
        True,
        True,
        False,
    ]


def test_no_more_is_read_of_a_file_than_a_photograph_has(tmp_path, monkeypatch):
    monkeypatch.setattr(photos, "MOST_BYTES", 1000)
    large = tmp_path / "large.jpg"
    large.write_bytes(b"\xff\xd8\xff" + bytes(1000))
    with pytest.raises(BadInput, match=r"has more than .* MB\. Choose a smaller photo\."):
        photos.load_photo(large)


def test_a_folder_without_photos_is_one_sentence(tmp_path):
    with PhotoFolder(tmp_path) as camera, pytest.raises(CameraUnavailable, match="has no photos"):
        next(camera.frames())


def test_a_video_gives_every_frame_at_its_time(video):
    with Video(video) as camera:
        frames = list(camera.frames())
    assert [frame.at_us for frame in frames] == [number * 50_000 for number in range(10)]
    assert camera.full(frames[0]) is frames[0]


def test_a_video_whose_rate_varies_gives_each_picture_at_the_files_own_stamp(tmp_path):
    steps_ms = random.Random(5).choices((16, 17, 33, 34, 50, 100), k=196)
    stamps_ms = [0, *accumulate(steps_ms)]
    pictures = [np.full((48, 64, 3), number, np.uint8) for number in range(len(stamps_ms))]
    write_video(tmp_path / "phone.mkv", pictures, stamps_ms)
    told = []
    with open_camera(str(tmp_path / "phone.mkv"), wait=None, tell=told.append) as camera:
        frames = list(camera.frames())
    assert [frame.at_us for frame in frames] == [1000 * stamp_ms for stamp_ms in stamps_ms]
    assert [round(float(frame.bgr.mean())) for frame in frames] == pytest.approx(range(197), abs=2)
    assert told == []


class Stamps:
    """What a decoder gives: stamps that a muxer would set right as it writes them."""

    def __init__(self, stamps_ms):
        self.stamps_ms, self.place = stamps_ms, -1

    def read(self):
        self.place += 1
        return self.place < len(self.stamps_ms), np.full((4, 4, 3), self.place, np.uint8)

    def get(self, name):
        return 10.0 if name == cv2.CAP_PROP_FPS else float(self.stamps_ms[self.place])

    def isOpened(self):  # OpenCV's name
        return True

    def release(self):
        pass


@pytest.mark.parametrize(
    ("stamps_ms", "at_ms", "is_told"),
    [
        ((0, 500, 500, 1000, 4000, 7000), (0, 500, 750, 1000, 4000, 7000), False),
        ((0, 0, 30, 60), (0, 15, 30, 60), False),
        ((0, 30, 60, 10, 120), (0, 30, 60, 90, 120), False),  # one out of order
        ((0, 30, 30, 30, 90, 90, 120), (0, 30, 50, 70, 90, 105, 120), False),
        ((0, 30, 9_000_000, 90), (0, 30, 60, 90), False),
        ((0, 30, 30), (0, 30, 130), False),  # the last picture
        ((0, 30, 30, 30, 30, 90), (0, 30, 130, 230, 330, 430), True),
        ((0, 0, 0), (0, 100, 200), True),
        ((5, 5), (0, 100), True),
        ((7,), (0,), False),
    ],
)
def test_a_stamp_that_is_no_time_changes_only_its_own_picture(tmp_path, monkeypatch, stamps_ms, at_ms, is_told):
    told = []
    monkeypatch.setattr(cv2, "VideoCapture", lambda _path: Stamps(stamps_ms))
    with Video(tmp_path / "phone.mkv", tell=told.append) as camera:
        frames = list(camera.frames())
    assert [frame.at_us for frame in frames] == [1000 * at for at in at_ms]
    assert [int(frame.bgr[0, 0, 0]) for frame in frames] == list(range(len(stamps_ms)))
    assert len(told) == is_told


def test_a_video_without_stamps_comes_at_its_rate_and_says_so_once(tmp_path):
    write_video(tmp_path / "still.mkv", [np.full((48, 64, 3), level, np.uint8) for level in (10, 20, 30, 40)], [0] * 4)
    told = []
    with open_camera(str(tmp_path / "still.mkv"), wait=None, tell=told.append) as camera:
        stamps_us = [frame.at_us for frame in camera.frames()]
    steps_us = np.diff(stamps_us)
    assert len(stamps_us) == 4
    assert steps_us.min() > 0
    assert np.ptp(steps_us) <= 1
    assert ["The video still.mkv doesn't say when each picture was taken" in sentence for sentence in told] == [True]


def test_a_recording_is_given_at_its_own_pace(video, monkeypatch):
    clock = SimpleNamespace(us=1_000_000, waits=[])

    def wait(seconds):
        clock.waits.append(seconds)
        clock.us += max(1, round(seconds * 1_000_000 / 2))  # a command came in: the wait ended early

    monkeypatch.setattr("vision.cameras.recording.monotonic_us", lambda: clock.us)
    with Video(video, wait=wait) as camera:
        seen = [(frame.at_us, clock.us) for frame in camera.frames()]
    assert all(at_us <= now_us <= at_us + 10 for at_us, now_us in seen)
    assert seen[-1][0] - seen[0][0] == 450_000


@pytest.mark.parametrize("content", [b"", b"this is no video"])
def test_a_broken_video_is_one_sentence(tmp_path, content):
    (tmp_path / "broken.mp4").write_bytes(content)
    with pytest.raises(CameraUnavailable, match="can't be read"), Video(tmp_path / "broken.mp4") as camera:
        next(camera.frames())


# a webcam


class StandInCapture:
    """cv2.VideoCapture with so many frames in it."""

    def __init__(self, frames, opens=True):
        self._left = frames
        self._opens = opens
        self.settings = {}
        self.released = False

    def isOpened(self):
        return self._opens

    def set(self, name, value):
        self.settings[name] = value

    def get(self, name):
        return self.settings.get(name, 0.0)

    def read(self):
        self._left -= 1
        return (True, np.zeros((48, 64, 3), np.uint8)) if self._left >= 0 else (False, None)

    def release(self):
        self.released = True


def test_a_webcam_that_is_unplugged_says_so_and_can_be_opened_again(monkeypatch):
    captures = [StandInCapture(WARM_UP_FRAMES + 3), StandInCapture(WARM_UP_FRAMES + 1)]
    opened = iter(captures)
    monkeypatch.setattr(webcam.cv2, "VideoCapture", lambda index: next(opened))
    camera, seen = Webcam(0), []
    for _ in captures:
        with camera, pytest.raises(CameraUnavailable, match="Check its cable"):
            seen.extend(camera.frames())
    assert len(seen) == 3 + 1
    assert all(capture.released for capture in captures)


def test_a_webcam_that_is_not_there_is_one_sentence(monkeypatch):
    capture = StandInCapture(0, opens=False)
    monkeypatch.setattr(webcam.cv2, "VideoCapture", lambda index: capture)
    with pytest.raises(CameraUnavailable, match="No camera answers at number 3"):
        Webcam(3).__enter__()
    assert capture.released


@pytest.fixture
def dev(tmp_path, monkeypatch):
    """A /dev with one camera, as udev makes it: its lasting name is a link."""
    (tmp_path / "video0").touch()
    (tmp_path / "v4l" / "by-id").mkdir(parents=True)
    (tmp_path / "v4l" / "by-id" / "usb-Maker_Camera-index0").symlink_to("../../video0")
    monkeypatch.setattr(devices, "DEV", tmp_path)
    monkeypatch.setattr(devices, "SYSFS", tmp_path / "class")
    return tmp_path


def test_a_lasting_name_is_followed_at_each_opening_as_a_replug_changes_the_number(dev, monkeypatch):
    opened = []
    monkeypatch.setattr(
        webcam.cv2, "VideoCapture", lambda index: opened.append(index) or StandInCapture(WARM_UP_FRAMES + 1)
    )
    lasting = dev / "v4l" / "by-id" / "usb-Maker_Camera-index0"
    camera = open_camera(str(lasting))
    assert camera.live
    with camera, pytest.raises(CameraUnavailable, match="The camera at number 0 has stopped sending pictures"):
        list(camera.frames())
    lasting.unlink()
    (dev / "video0").unlink()
    with pytest.raises(CameraUnavailable, match=r"There's no camera at .*index0"):
        camera.__enter__()
    (dev / "video3").touch()
    lasting.symlink_to("../../video3")
    with camera:
        pass
    assert opened == [0, 3]


def test_a_device_that_is_no_camera_is_one_sentence(dev):
    (dev / "zero").touch()
    (dev / "circle").symlink_to("circle")
    with pytest.raises(CameraUnavailable, match="zero isn't a camera"):
        open_camera(str(dev / "zero")).__enter__()
    with pytest.raises(CameraUnavailable, match=r"no camera at .*circle"):
        open_camera(str(dev / "circle")).__enter__()


def test_the_list_of_devices_has_the_drivers_names_and_the_lasting_ones(dev):
    (dev / "video10").touch()
    (dev / "class" / "video0").mkdir(parents=True)
    (dev / "class" / "video0" / "name").write_bytes(b"HD Camera\x1b[31m\n")
    assert devices.device_lines() == (
        f"{dev}/video0 (HD Camera[31m) {dev}/v4l/by-id/usb-Maker_Camera-index0",
        f"{dev}/video10",
    )


def test_one_camera_by_two_names_is_refused(dev):
    lasting = str(dev / "v4l" / "by-id" / "usb-Maker_Camera-index0")
    with pytest.raises(BadInput, match="are one camera"):
        refuse_one_twice("0", lasting)
    refuse_one_twice("1", lasting)
    refuse_one_twice(lasting, str(dev / "video5"))  # comes later


@pytest.mark.parametrize("number", [2**31, 99_999_999_999, 10**30])
def test_a_number_too_large_for_any_camera_is_one_sentence(number):
    with pytest.raises(CameraUnavailable, match=f"No camera answers at number {number}"):
        Webcam(number).__enter__()


@pytest.mark.parametrize(
    ("stamp_us", "at_us"),
    [(9_950_000, 9_950_000), (0, 10_000_000), (1_790_000_000_000_000, 10_000_000), (-1_000, 10_000_000)],
)
def test_the_drivers_stamp_counts_where_it_is_of_our_clock(stamp_us, at_us):
    assert believed_us(stamp_us, now_us=10_000_000) == at_us


# the Pi's camera


class StandInPicamera2:
    """picamera2's methods with their real signatures (0.3.38); exposures 33 ms apart, the first few stale."""

    def __init__(self, camera_num=0, verbose_console=None, tuning=None, allocator=None):
        self.camera_controls = {"AfMode": (0, 2, 0)}
        self.camera = SimpleNamespace(streams={"large", "small"})
        self.started = self.closed = False
        self.controls = {}
        self.stamp_ns = time.monotonic_ns() - 1_000_000_000  # of the kernel's clock, and past
        self.fails = False

    def create_video_configuration(
        self,
        main={},  # noqa: B006  (as picamera2 has it)
        lores=None,
        raw={},  # noqa: B006
        transform=None,
        colour_space=None,
        buffer_count=6,
        controls={},  # noqa: B006
        display="main",
        encode="main",
        queue=True,
        sensor={},  # noqa: B006
        use_case="video",
    ):
        return {"main": main, "lores": lores, "controls": controls}

    def configure(self, camera_config="preview"):
        self.config = camera_config

    def camera_configuration(self):
        return self.config

    def set_controls(self, controls):
        if any(name not in self.camera_controls for name in controls):
            raise RuntimeError("Control AfMode is not advertised by libcamera")
        self.controls |= controls

    def start(self, config=None, show_preview=False):
        self.started = True

    def close(self):
        self.closed = True

    def captured_request(self, wait=None, flush=None):
        if self.fails:
            raise RuntimeError("Camera frontend has timed out!")
        self.stamp_ns += 33_333_000
        return StandInRequest(self, self.stamp_ns)


class StandInRequest:
    """One completed request; used as a context manager it is given back."""

    def __init__(self, camera, stamp_ns):
        self._camera = camera
        self._stamp_ns = stamp_ns

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def make_array(self, name):
        if name == "main":
            width, height = self._camera.config["main"]["size"]
            return np.zeros((height, width, 3), np.uint8)
        width, height = self._camera.config["lores"]["size"]
        return np.full((height * 3 // 2, width), 128, np.uint8)

    def get_metadata(self):
        return {"SensorTimestamp": self._stamp_ns, "ExposureTime": 10_000}


@pytest.fixture
def pi_camera():
    stand_in = StandInPicamera2()
    with PiCamera(make=lambda number: stand_in) as camera:
        yield camera, stand_in
    assert stand_in.closed


def test_the_pis_camera_is_watched_on_the_small_stream(pi_camera):
    camera, stand_in = pi_camera
    frame = next(camera.frames())
    assert frame.bgr.shape == (SMALL_PX[1], SMALL_PX[0], 3)
    assert frame.at_us == stand_in.stamp_ns // 1_000 - 10_000
    assert stand_in.controls == {"AfMode": 2}


def test_the_pis_camera_is_read_from_a_large_picture_exposed_afterwards(pi_camera):
    camera, stand_in = pi_camera
    frame = next(camera.frames())
    stand_in.stamp_ns -= 3 * 33_333_000  # requests that were under way
    full = camera.full(frame)
    assert full.bgr.shape == (FULL_PX[1], FULL_PX[0], 3)
    assert full.at_us > frame.at_us


def test_a_camera_that_repeats_old_pictures_is_one_sentence(pi_camera):
    camera, _ = pi_camera
    with pytest.raises(CameraUnavailable, match="The Pi's camera keeps sending old pictures"):
        camera.full(Frame(np.zeros((2, 2, 3), np.uint8), time.monotonic_ns() // 1_000 + 60_000_000, 0))


def test_a_camera_without_a_motor_is_not_asked_to_focus():
    stand_in = StandInPicamera2()
    stand_in.camera_controls = {}
    with PiCamera(make=lambda number: stand_in):
        assert stand_in.controls == {}


def test_a_ribbon_that_comes_loose_is_one_sentence(pi_camera):
    camera, stand_in = pi_camera
    stand_in.fails = True
    with pytest.raises(CameraUnavailable, match="Check its cable"):
        next(camera.frames())


def test_a_camera_that_cannot_be_opened_is_one_sentence():
    def make(number):
        raise IndexError("list index out of range")

    with pytest.raises(CameraUnavailable, match="Check the ribbon cable"):
        PiCamera(make=make).__enter__()


def test_without_picamera2_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "picamera2", None)
    with pytest.raises(CameraUnavailable, match="python3-picamera2"):
        picam._open_picamera2(0)


def test_an_exposure_begins_before_its_stamp():
    assert exposure_began_us({"SensorTimestamp": 5_000_000_000, "ExposureTime": 20_000}) == 4_980_000


def test_the_padding_of_the_small_stream_is_cut_off():
    padded = np.zeros((SMALL_PX[1] * 3 // 2, SMALL_PX[0] + 64), np.uint8)
    assert Stream("YUV420", SMALL_PX[0]).bgr(padded).shape == (*SMALL_PX[::-1], 3)
