"""A vision process that reads picture after picture without ever waiting: what a busy evening asks of the machine."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.sharedctypes import Synchronized
from time import monotonic, sleep

from companion.game.readings import Kind

BEGINS_S = 180.0  # a limit, never a pause: an emulated machine loads networks for a minute


@contextmanager
def vision_at_full_load(spec: str = "virtual") -> Iterator[Callable[[], int]]:
    """A process reads dice in every picture of that camera as fast as it can; yields how many it has read so far.

    Begins when the first is read.
    """
    spawn = get_context("spawn")
    count = spawn.Value("i", 0)
    process = spawn.Process(target=read_without_pause, args=(spec, count), daemon=True)
    process.start()
    try:
        until_s = monotonic() + BEGINS_S
        while not count.value:
            assert process.is_alive(), "the vision process ended"
            assert monotonic() < until_s, "the vision process never read a picture"
            sleep(0.01)
        yield lambda: count.value
    finally:
        process.kill()
        process.join()


def read_without_pause(spec: str, count: "Synchronized[int]") -> None:
    """Runs in the process."""
    from vision.open_camera import open_camera
    from vision.readers.kinds import READERS

    read = READERS[Kind.DICE].read
    with open_camera(spec, wait=lambda _seconds: None, tell=lambda _sentence: None) as camera:
        for frame in camera.frames():
            read(frame.bgr, None)
            count.value += 1
