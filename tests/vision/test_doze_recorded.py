"""Recorded throws, read by a camera that dozed before and by one that never slept."""

from pathlib import Path

import cv2
import pytest

from companion.game.readings import Settled
from tests.vision.films import Film, seen, with_noise
from vision.cameras.recording import Video
from vision.process import doze
from vision.process.doze import SETTLED_US

RECORDED = Path(__file__).parents[3] / "shared" / "data" / "dice" / "video"
STILL_S = 5


@pytest.mark.skipif(not RECORDED.is_dir(), reason="The recorded throws (../shared/data/dice) are not here.")
def test_recorded_throws_are_read_alike_and_no_more_than_50_ms_later(monkeypatch):
    read = 0
    for path in sorted(RECORDED.glob("*.mp4")):
        with Video(path, wait=None) as video:
            pictures = [cv2.resize(frame.bgr, None, fx=0.5, fy=0.5) for frame in video.frames()]
        jpegs = with_noise(pictures[:1] * (STILL_S * 30) + pictures)
        told = []
        for settled_us in (SETTLED_US, 10**12):
            monkeypatch.setattr(doze, "SETTLED_US", settled_us)
            camera = Film(jpegs)
            rests = [message for message in seen(camera, monkeypatch) if isinstance(message, Settled)]
            told.append([(rest.rested_us - camera.began_us, rest.reading.dice) for rest in rests])
        slept, awake = told
        assert [dice for _at_us, dice in slept] == [dice for _at_us, dice in awake]
        assert all(abs(one - other) <= 50_000 for (one, _), (other, _) in zip(slept, awake, strict=True))
        read += len(slept)
    assert read
