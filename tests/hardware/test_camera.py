"""A real video device: its stamps, and what is said when it is unplugged. The vision process itself: test_unit.py."""

import time

import pytest

from companion.clock import monotonic_us
from companion.errors import CameraUnavailable
from tests.hardware.plug import plugged_in, unplug
from vision.webcam import SANE_AGE_US, Webcam

FRAMES = 10


def test_frames_carry_the_kernels_stamp(figure):
    with Webcam(0) as camera:
        frames = [(frame.at_us, monotonic_us()) for frame, _ in zip(camera.frames(), range(FRAMES), strict=False)]
    stamps = [at_us for at_us, _ in frames]
    assert stamps == sorted(set(stamps))
    assert all(0 < now_us - at_us < SANE_AGE_US for at_us, now_us in frames)
    pause_ms = (stamps[-1] - stamps[0]) / (FRAMES - 1) / 1_000
    figure("pictures of the virtual video device", f"one in {pause_ms:.0f} ms")


def test_unplugged_it_says_so_and_plugged_in_it_goes_on(figure):
    with Webcam(0) as camera:
        frames = camera.frames()
        next(frames)
        unplug()
        began_s = time.monotonic()
        with pytest.raises(CameraUnavailable, match="check its cable"):
            list(frames)
        figure("unplugged camera noticed after", f"{(time.monotonic() - began_s) * 1_000:.0f} ms")
    with pytest.raises(CameraUnavailable, match="plug it in"):
        Webcam(0).__enter__()
    with plugged_in(), Webcam(0) as camera:
        assert next(camera.frames()).bgr.size
