"""Films of JPEGs, as a webcam sends them, played to the camera's process."""

import threading
from functools import partial
from multiprocessing import Pipe

import cv2
import numpy as np

from companion.clock import monotonic_us
from companion.errors import CameraUnavailable
from companion.game.readings import Kind, Watching
from companion.sensing.process_messages import Status, Stop
from tests.photographs import jpeg
from vision.cameras.camera import Camera, Undecoded
from vision.cameras.pictures import decoded, decoded_small
from vision.process import main
from vision.watch.lookout import reader_for

FRAME_US = 33_333
AHEAD_US = 600_000_000  # Pictures are stamped after whatever is asked meanwhile, also on a machine that plays slowly.


class Film(Camera):
    """A camera whose pictures are JPEGs, which counts those that are decoded whole."""

    live = True

    def __init__(self, jpegs):
        self._jpegs, self.whole = jpegs, []
        self.on_frame = lambda _number: None
        self.began_us = monotonic_us() + AHEAD_US

    def frames(self):
        for number, content in enumerate(self._jpegs):
            self.on_frame(number)
            decode = partial(self._decode, number)
            yield Undecoded(content, self.began_us + number * FRAME_US, number, decode=decode, reduce=decoded_small)
        raise CameraUnavailable("The film is over.")

    def _decode(self, number, content):
        self.whole.append(number)
        return decoded(content)


def seen(camera, monkeypatch, asks=None, *, waits=False):
    """What the camera's process says of a film; `asks` has a command by the number of a picture.

    waits   whether the camera waits for its pictures, so that the command comes in there
    """
    cameras = [camera]

    def opened(_spec, wait, **_rest):
        if not cameras:
            raise CameraUnavailable("The film is over.")
        camera.wait = wait
        return cameras.pop()

    def ask(number):
        if number in (asks or {}):
            ours.send(asks[number])
            if waits:
                camera.wait(60)

    monkeypatch.setattr(main, "open_camera", opened)
    ours, theirs = Pipe()
    ours.send(Watching(Kind.DICE))
    camera.on_frame = ask
    thread = threading.Thread(target=main.watch_forever, args=(theirs, "0", 0, None, reader_for), daemon=True)
    thread.start()
    said = []
    while not (isinstance(message := ours.recv(), Status) and message.text == "The film is over."):
        said.append(message)
    ours.send(Stop())
    thread.join()
    return said


def with_noise(pictures):
    """The pictures as JPEGs, each with a sensor's noise of its own."""
    height, width = pictures[0].shape[:2]
    random = np.random.default_rng(20261129)
    noise = random.normal(0, 1.5, (height + 64, width + 64, 3)).round().astype(np.int8)
    corners = (divmod(corner, 64) for corner in random.permutation(64 * 64)[: len(pictures)])
    cuts = (noise[down : down + height, right : right + width] for down, right in corners)
    noisy = (cv2.add(picture, cut, dtype=cv2.CV_8U) for picture, cut in zip(pictures, cuts, strict=True))
    return [np.frombuffer(jpeg(picture), np.uint8) for picture in noisy]
