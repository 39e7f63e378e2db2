"""Somebody asks what the camera sees, and gets one picture of it."""

import errno
import os
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pipe

import cv2
import numpy as np
import pytest
from PIL import Image

from companion.demo.things import VirtualTable
from companion.errors import BadInput
from companion.game.readings import DiceReading, Photo, Photograph
from companion.sensing.process_messages import Stop
from vision.cameras.photos import decode, load_photo, why_unread
from vision.cameras.pictures import as_jpeg
from vision.cameras.recording import PhotoFolder
from vision.process.main import watch_forever

SOON_S = 30.0  # a limit, never a pause


def sees_nothing(_scene_path, _watching):
    return lambda frame_bgr: DiceReading(frame_bgr.shape[1], frame_bgr.shape[0], ())


def photo(commands):
    """The first photo of an empty virtual table that these commands bring."""
    ours, theirs = Pipe()
    for command in (VirtualTable(), *commands):
        ours.send(command)
    thread = threading.Thread(target=watch_forever, args=(theirs, "virtual", 0, None, sees_nothing), daemon=True)
    thread.start()
    try:
        while ours.poll(SOON_S):
            message = ours.recv()
            if isinstance(message, Photo):
                return message
        raise AssertionError("no photo came")
    finally:
        ours.send(Stop())
        thread.join(SOON_S)
        ours.close()


def test_a_photo_is_taken_when_it_is_asked_for():
    jpeg = photo([Photograph()]).jpeg
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert min(picture.shape[:2]) > 200
    assert picture.std() > 5  # a table, no empty frame


def test_what_a_photo_says_of_place_and_camera_does_not_leave_with_its_picture(tmp_path):
    exif = Image.Exif()
    exif[0x010F] = "Made by Secret"  # 0x010F: the camera's maker
    Image.new("RGB", (320, 240), "green").save(tmp_path / "photo.jpg", exif=exif)
    assert b"Secret" in (tmp_path / "photo.jpg").read_bytes()
    kept = as_jpeg(next(iter(PhotoFolder(tmp_path, wait=lambda _s: None).frames())).bgr)
    assert kept.startswith(b"\xff\xd8")
    assert b"Secret" not in kept
    assert b"Exif" not in kept


@pytest.fixture
def jpeg() -> bytes:
    noise = np.random.default_rng(3).integers(0, 255, (240, 320, 3)).astype(np.uint8)
    return as_jpeg(cv2.GaussianBlur(noise, (0, 0), 2))


def test_a_photo_whose_lower_half_is_missing_is_refused_though_it_ends_as_it_should(jpeg, tmp_path, capfd):
    (tmp_path / "half.jpg").write_bytes(halved(jpeg))
    assert cv2.imdecode(np.frombuffer((tmp_path / "half.jpg").read_bytes(), np.uint8), cv2.IMREAD_COLOR) is not None
    capfd.readouterr()
    with pytest.raises(BadInput, match="damaged"):
        load_photo(tmp_path / "half.jpg")
    assert capfd.readouterr().err == ""  # the sentence says it


def test_a_photo_with_bytes_too_many_is_read_and_the_decoders_word_passed_on(jpeg, tmp_path, capfd):
    (tmp_path / "more.jpg").write_bytes(jpeg[:-2] + b"\x00" * 16 + jpeg[-2:])
    assert load_photo(tmp_path / "more.jpg").shape == (240, 320, 3)
    assert "extraneous" in capfd.readouterr().err


def halved(jpeg):
    return jpeg[: len(jpeg) // 2] + b"\xff\xd9"


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="this system keeps no files in memory")
def test_a_photo_is_read_though_no_temporary_file_can_be_made(jpeg, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda: pytest.fail("a file was made"))
    (tmp_path / "whole.jpg").write_bytes(jpeg)
    assert load_photo(tmp_path / "whole.jpg").shape == (240, 320, 3)


def test_a_damaged_photo_is_told_where_the_system_keeps_no_files_in_memory(jpeg, monkeypatch):
    monkeypatch.delattr(os, "memfd_create", raising=False)
    assert b"premature end" in decode(halved(jpeg))[1]


@pytest.mark.skipif(os.name != "posix", reason="closes standard error by the shell")
def test_a_closed_standard_error_changes_nothing(jpeg, tmp_path):
    for name, content in (("whole", jpeg), ("half", halved(jpeg)), ("more", jpeg[:-2] + b"\x00" * 16 + jpeg[-2:])):
        (tmp_path / f"{name}.jpg").write_bytes(content)
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-c", READS_ALL, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    half, more, whole, closed = done.stdout.splitlines()
    assert "half.jpg is damaged" in half
    assert (more, whole, closed) == ("read", "read", "closed as before")


READS_ALL = """
import os, sys
from pathlib import Path
from companion.errors import BadInput
from vision.cameras.photos import load_photo
for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        load_photo(path)
        print("read")
    except BadInput as refusal:
        print(refusal)
try:
    os.fstat(2)
except OSError:
    print("closed as before")
"""


def test_photos_that_are_decoded_at_once_are_told_apart(jpeg):
    """Each thread took what the others' decoders said for its own, and standard error was lost for good."""
    before = os.fstat(2).st_ino
    contents = [jpeg, halved(jpeg)] * 60
    with ThreadPoolExecutor(8) as threads:
        heard = [b"premature end" in said for _frame, said in threads.map(decode, contents)]
    assert heard == [False, True] * 60
    assert os.fstat(2).st_ino == before


@pytest.mark.parametrize("number", sorted(errno.errorcode))
def test_a_file_that_cannot_be_read_says_what_is_wrong_and_what_to_do(number):
    told = why_unread("table.jpg", OSError(number, os.strerror(number)))
    assert told.count(". ") >= 1
    assert told.endswith(".")
    assert "table.jpg" in told
    assert "Errno" not in told


def test_a_photo_that_is_not_there_is_two_short_sentences(tmp_path):
    with pytest.raises(BadInput, match=r"There's no file .*none\.jpg\. Check its name\."):
        load_photo(tmp_path / "none.jpg")
    with pytest.raises(BadInput, match=r"isn't a photo, but a folder, a device or a pipe\. Choose a photo\."):
        load_photo(tmp_path)
