"""A real video device: its stamps, and what is said when it is unplugged."""

import time
from queue import SimpleQueue

import pytest

from companion.app.service.supervisor import Supervisor
from companion.clock import monotonic_us
from companion.errors import CameraUnavailable
from tests.hardware.plug import plug_in, plugged_in, unplug
from vision.cameras.opening import SANE_AGE_US
from vision.cameras.webcam import Webcam

FRAMES = 10
START_S = 60.0  # a limit, never a pause


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
        with pytest.raises(CameraUnavailable, match="Check its cable"):
            list(frames)
        figure("unplugged camera noticed after", f"{(time.monotonic() - began_s) * 1_000:.0f} ms")
    with pytest.raises(CameraUnavailable, match="Plug it in"):
        Webcam(0).__enter__()
    with plugged_in(), Webcam(0) as camera:
        assert next(camera.frames()).bgr.size


def test_the_vision_process_says_so_and_recovers(figure):
    statuses: SimpleQueue[tuple[str, str, str]] = SimpleQueue()

    def comes(state: str) -> str:
        """The sentence of the next status of that kind."""
        while True:
            _, said, sentence = statuses.get(timeout=START_S)
            if said == state:
                return sentence

    supervisor = Supervisor("tests.hardware.watcher:watch", (), lambda _: None, lambda *status: statuses.put(status))
    plug_in()
    supervisor.start()
    try:
        assert comes("ok") == "The camera sees the table."
        pid = supervisor.pid
        unplug()
        began_s = time.monotonic()
        assert "Check its cable" in comes("down")
        figure("unplugged camera told by the vision process after", f"{(time.monotonic() - began_s) * 1_000:.0f} ms")
        plug_in()
        assert comes("ok") == "The camera sees the table."
        assert supervisor.pid == pid  # it recovered by itself
    finally:
        supervisor.stop()
