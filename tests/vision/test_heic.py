"""HEIC, as phones write it: both pictures show the same, one is stored on its side."""

import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.errors import BadInput
from companion.packages import HEIC, install_command
from vision.cameras import photos
from vision.cameras.photos import load_photo
from vision.cameras.recording import PhotoFolder

FOLDER = Path(__file__).parent / "fixtures" / "heic"
QUARTERS = (((20, 20), (40, 40, 200)), ((20, 108), (40, 200, 40)), ((80, 20), (90, 90, 90)))  # (row, column), BGR


@pytest.mark.parametrize("name", ["upright.heic", "turned.heic"])
def test_a_phones_photograph_is_upright(name):
    pytest.importorskip("pi_heif", reason="the distribution's OpenCV comes without it")
    picture = load_photo(FOLDER / name)
    assert picture.shape == (96, 128, 3)
    for place, colour in QUARTERS:
        assert picture[place] == pytest.approx(colour, abs=6)


def test_a_turned_jpeg_is_upright_too(tmp_path):
    upright = np.full((96, 128, 3), 90, np.uint8)
    upright[:48, :64] = QUARTERS[0][1]
    jpeg = cv2.imencode(".jpg", np.rot90(upright))[1].tobytes()
    orientation_6 = bytes.fromhex("ffe10022 457869660000 4d4d002a00000008 0001 0112000300000001 00060000 00000000")
    (tmp_path / "turned.jpg").write_bytes(jpeg[:2] + orientation_6 + jpeg[2:])
    picture = load_photo(tmp_path / "turned.jpg")
    assert picture.shape == (96, 128, 3)
    assert picture[20, 20] == pytest.approx(QUARTERS[0][1], abs=6)


@pytest.mark.parametrize("length", [20, 100, 400, 600])
def test_a_broken_one_is_one_sentence(tmp_path, length):
    pytest.importorskip("pi_heif")
    (tmp_path / "half.heic").write_bytes((FOLDER / "upright.heic").read_bytes()[:length])
    with pytest.raises(BadInput, match=r"half\.heic is damaged"):
        load_photo(tmp_path / "half.heic")


def test_one_with_too_many_pixels_is_refused_before_it_is_decoded(monkeypatch):
    pytest.importorskip("pi_heif")
    monkeypatch.setattr(photos, "MOST_PIXELS", 100 * 100)
    with pytest.raises(BadInput, match="128 × 96 pixels"):
        load_photo(FOLDER / "upright.heic")


def test_where_heic_cannot_be_read_each_photograph_is_named_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pi_heif", None)  # makes its import fail
    for name in ("IMG_9.HEIC", "IMG_10.HeIc"):
        (tmp_path / name).write_bytes((FOLDER / "upright.heic").read_bytes())
    told = []
    with PhotoFolder(tmp_path, tell=told.append) as camera:
        assert list(camera.frames()) == []
    assert len(told) == 2
    for name, sentence in zip(("IMG_9.HEIC", "IMG_10.HeIc"), told, strict=True):
        assert name in sentence
        assert f"Save it as a JPEG, or type there {install_command(HEIC)}" in sentence
