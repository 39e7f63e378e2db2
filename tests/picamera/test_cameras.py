"""Pictures, stamps and controls of libcamera's simulated cameras, as the product's own source takes them.

Each camera has a process of its own (`as_it_sees`), as in the product: libcamera lists its cameras when a process
first asks.
"""

import json
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.picamera.as_it_sees import FRAMES
from vision.cameras.pi_streams import FULL_PX, SMALL_PX

LIMIT_S = 240.0  # never a pause: the processor is emulated


def started(*words):
    command = [sys.executable, "-m", "tests.picamera.as_it_sees", *words]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def told(process):
    """What a process says of its camera, and what it logged."""
    said, logged = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, logged[-3000:]
    return json.loads(said.splitlines()[-1]), logged


def seen(*words):
    return told(started(*words))


def pace(found):
    """How many pictures came, and how old they were."""
    return f"one in {found['pause_ms']:.0f} ms, {found['age_ms']:.0f} ms old"


@contextmanager
def held():
    """Another program has the first camera, and takes no pictures."""
    other = started("hold")
    try:
        assert other.stdout.readline() == "held\n"
        yield other
    finally:
        other.kill()
        other.communicate()


@pytest.mark.usefixtures("two_without_a_driver")
def test_two_cameras_at_once_give_pictures_of_the_asked_sizes_whose_stamps_rise(figure):
    both = [started("frames", number) for number in ("0", "1")]
    for number, process in enumerate(both):
        found, logged = told(process)
        assert found["small"] == [[SMALL_PX[1], SMALL_PX[0], 3]] * FRAMES
        assert found["full"] == [FULL_PX[1], FULL_PX[0], 3]
        assert found["at_us"] == sorted(set(found["at_us"]))
        assert found["full_at_us"] > found["at_us"][-1]
        assert found["at_us"] == found["stamps_us"][-FRAMES:]  # none is of when it came
        assert found["knows_time"]
        assert "tell no time" not in logged
        figure(f"pictures of virtual camera {number}", pace(found))
        both[number] = found["coloured"]
    assert min(both) < 5 < 50 < max(both)  # lines in black and white, and bars of colours: each is its own


@pytest.mark.usefixtures("two_without_a_driver")
@pytest.mark.parametrize("nonsense", ["the buffer's", "none", "still", "back"])
def test_pictures_whose_stamps_are_nonsense_count_from_when_they_came_and_the_log_says_so(nonsense):
    found, logged = seen("frames", "0", nonsense)
    assert not found["knows_time"]
    assert logged.count("The stamps of camera picamera0 tell no time") == 1
    assert found["at_us"] == sorted(set(found["at_us"]))
    assert all(came - at < 2_000_000 for came, at in zip(found["came_us"], found["at_us"], strict=True))
    assert found["full_at_us"] > found["at_us"][-1]


@pytest.mark.usefixtures("two_without_a_driver")
def test_a_control_that_the_camera_offers_is_set():
    found, _logged = seen("frames", "0")
    assert "FrameDurationLimits" in found["offered"]
    assert found["set"] == {"FrameDurationLimits": [33_333, 33_333]}


@pytest.mark.usefixtures("one_of_a_driver")
def test_a_camera_of_one_stream_that_offers_none_of_the_controls_gives_pictures(figure):
    found, logged = seen("frames", "0")
    assert {"FrameDurationLimits", "AfMode", "AeFlickerMode"}.isdisjoint(found["offered"])
    assert "Brightness" in found["offered"]
    assert found["set"] == {}
    assert found["small"] == [[270, 480, 3]] * FRAMES
    assert found["full"] == [270, 480, 3]
    assert found["at_us"] == sorted(set(found["at_us"]))
    assert found["knows_time"], logged
    figure("pictures of the driver's camera", pace(found))


@pytest.mark.usefixtures("one_of_a_driver")
def test_a_camera_that_another_process_has_is_one_sentence_and_opens_once_that_is_gone():
    with held():
        found, _logged = seen("open", "0")
        assert found == {"refused": "Another program is using the Pi's camera. Close it."}
    found, _logged = seen("open", "0")
    assert found == {"refused": ""}


def test_a_camera_that_is_not_there_is_one_sentence():
    found, _logged = seen("open", "7")
    assert found["refused"].startswith("The Pi can't find the camera picamera7.")
