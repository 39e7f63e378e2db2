"""A camera that is unplugged and plugged in again, as the vision process tells it."""

import time
from queue import SimpleQueue

import pytest

from companion.app.service.supervisor import Supervisor
from tests.picamera.conftest import plug_in, unplug

LIMIT_S = 240.0  # never a pause: the processor is emulated
NOTICED_S = 3.0


@pytest.mark.usefixtures("one_of_a_driver")
def test_a_camera_that_is_gone_is_said_within_three_seconds_and_comes_back_by_itself(figure):
    statuses: SimpleQueue[tuple[str, str, str]] = SimpleQueue()

    def comes(*states: str) -> str:
        """The sentence of the next status of these kinds."""
        while True:
            _, said, sentence = statuses.get(timeout=LIMIT_S)
            print(f"{time.monotonic():.1f} {said}: {sentence}", flush=True)
            if said in states and sentence:
                return sentence

    supervisor = Supervisor(
        "tests.picamera.watcher:watch", (), lambda _: None, lambda *status: statuses.put(status), start_s=LIMIT_S
    )
    supervisor.start()
    try:
        assert comes("ok", "warn", "note")
        unplug()
        began_s = time.monotonic()
        sentence = comes("down")
        noticed_s = time.monotonic() - began_s
        assert sentence == "The Pi's camera has stopped sending pictures. Check its cable. We'll try again."
        assert noticed_s < NOTICED_S
        while "The Pi can't find a camera. Check the ribbon cable." not in comes("down"):
            pass
        plug_in()
        began_s = time.monotonic()
        assert comes("ok", "warn", "note")
        figure("unplugged camera told by the vision process after", f"{noticed_s * 1_000:.0f} ms")
        figure("seen again after it was plugged in", f"{time.monotonic() - began_s:.1f} s")
    finally:
        supervisor.stop()
