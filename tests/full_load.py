"""A vision process that reads pictures without a pause: the greatest load that play can put on the machine."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.sharedctypes import Synchronized
from time import monotonic, sleep

from companion.game.readings import Kind

BEGINS_S = 180.0  # a limit, never a pause: an emulated machine loads networks for a minute


@contextmanager
def vision_at_full_load(spec: str = "virtual") -> Iterator[Callable[[], int]]:
    """Runs a process that reads dice in every picture of a camera; yields a function that returns how many it has read.

    Yields once the first picture is read.
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
    """Reads pictures for ever; runs in the process of its own."""
    from vision.open_camera import open_camera
    from vision.readers.kinds import READERS

    read = READERS[Kind.DICE].read
    with open_camera(spec, wait=lambda _seconds: None, tell=lambda _sentence: None) as camera:
        for frame in camera.frames():
            read(frame.bgr, None)
            count.value += 1
