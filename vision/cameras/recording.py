"""Recordings as a camera: a video file, or a folder of photos that each show a table at rest."""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Self

import cv2
import numpy as np

from companion.clock import monotonic_us
from companion.errors import BadInput, CameraUnavailable
from companion.words import _
from vision.cameras.camera import Camera, Frame, Tell, Wait
from vision.cameras.memory import free_memory
from vision.cameras.photos import load_photo

PHOTO_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".heic", ".heif", ".hif")
VIDEO_SUFFIXES = (".mp4", ".mov", ".mkv", ".avi", ".webm", ".m4v", ".mpg", ".mpeg")
MOST_UNSTAMPED = 3  # So many pictures in a row without a stamp make the whole rest go by the file's rate.
LONGEST_GAP_US = 3_600_000_000  # A stamp further ahead is no time.
USUAL_FPS = 30.0  # A few files have no rate.
PHOTO_FPS = 10  # These are enough frames to settle on, and few enough to cost nothing.
PHOTO_SHOWN_US = 4_000_000  # This is long enough to look from the picture to the tablet.


class Recording(Camera):
    """The base of both kinds: frames come at the pace of the recording, or at once without `wait`.

    tell    takes a sentence about what cannot be shown as it is
    """

    live = False

    def __init__(self, path: Path, wait: Wait | None = None, tell: Tell = lambda _sentence: None) -> None:
        self.path = path
        self._wait = wait
        self._tell = tell

    def _start_us(self) -> int:
        return 0 if self._wait is None else monotonic_us()

    def _pace(self, at_us: int) -> None:
        """Waits until `at_us`; the wait goes on after a command interrupts it."""
        if self._wait is None:
            return
        while (left_us := at_us - monotonic_us()) > 0:
            self._wait(left_us / 1_000_000)


class Video(Recording):
    """A video file, turned upright as the file says.

    Each picture has the file's own stamp, as phones film at a rate that varies with the light. A few that have none of
    their own, or one out of order, are spread between those before and after them. Where more do so in a row the
    pictures come at the file's rate from there on, and `tell` hears so once.
    """

    _capture: cv2.VideoCapture | None = None

    def __enter__(self) -> Self:
        self._capture = cv2.VideoCapture(str(self.path))
        if not self._capture.isOpened():
            raise CameraUnavailable(
                _("The video {name} can't be read. Make it again, or use another file.", name=self.path.name)
            )
        return self

    def __exit__(self, *_failure: object) -> None:
        if self._capture is not None:
            self._capture.release()
            self._capture = None

    def frames(self) -> Iterator[Frame]:
        """Every frame of the file, once."""
        if self._capture is None:
            raise CameraUnavailable(_("The video {name} isn't open.", name=self.path.name))
        fps = self._capture.get(cv2.CAP_PROP_FPS) or USUAL_FPS
        start_us, number = self._start_us(), 0
        for bgr, passed_us in self._timed(self._stamped(self._capture), 1_000_000 / fps):
            self._pace(start_us + passed_us)
            yield Frame(bgr, start_us + passed_us, number)
            number += 1
        if number == 0:
            raise CameraUnavailable(
                _("The video {name} has no pictures. Make it again, or use another.", name=self.path.name)
            )

    @staticmethod
    def _stamped(capture: cv2.VideoCapture) -> Iterator[tuple[np.ndarray, int]]:
        """Each picture (h, w, 3) with the file's stamp of it in microseconds, from 0 for the first on."""
        first_us: int | None = None
        while True:
            is_picture, bgr = capture.read()
            if not is_picture:
                return
            stamp_us = round(capture.get(cv2.CAP_PROP_POS_MSEC) * 1_000)
            first_us = stamp_us if first_us is None else first_us
            yield bgr, stamp_us - first_us

    def _timed(self, stamped: Iterator[tuple[np.ndarray, int]], step_us: float) -> Iterator[tuple[np.ndarray, int]]:
        """The same pictures, each later than the one before; `step_us` is from one to the next by the file's rate."""
        last_us, any_stamp = -1, False
        unstamped: list[np.ndarray] = []  # They have no stamp of their own and come after the one at last_us.
        for bgr, passed_us in stamped:
            if last_us < passed_us < last_us + LONGEST_GAP_US:
                for place, early in enumerate(unstamped, start=1):
                    yield early, last_us + (passed_us - last_us) * place // (len(unstamped) + 1)
                unstamped.clear()
                any_stamp, last_us = last_us >= 0, passed_us
                yield bgr, passed_us
                continue
            unstamped.append(bgr)
            if len(unstamped) == MOST_UNSTAMPED:
                break
        if unstamped and (len(unstamped) == MOST_UNSTAMPED or not any_stamp):
            self._tell(
                _(
                    "The video {name} doesn't say when each picture was taken, so its frame rate is used.",
                    name=self.path.name,
                )
            )
        rest = (bgr for bgr, _passed_us in stamped)  # None are left unless more than a few had no stamp.
        for place, bgr in enumerate(chain(_drain(unstamped), rest), start=1):
            yield bgr, round(last_us + place * step_us)


def _drain(pictures: list[np.ndarray]) -> Iterator[np.ndarray]:
    """Each picture of the list, which does not hold it any longer."""
    while pictures:
        yield pictures.pop(0)


class PhotoFolder(Recording):
    """The photos of a folder in the order of their names, as people count; each is a take, shown for a while."""

    def __init__(self, path: Path, wait: Wait | None = None, tell: Tell = lambda _sentence: None) -> None:
        super().__init__(path, wait, tell)
        entries = sorted(path.iterdir(), key=in_order)
        self.photos = [entry for entry in entries if entry.suffix.lower() in PHOTO_SUFFIXES]
        self._others = [entry for entry in entries if entry not in self.photos and not entry.name.startswith(".")]

    def frames(self) -> Iterator[Frame]:
        """Each photo as frames for a few seconds; an unreadable one is reported and left out."""
        if not self.photos:
            raise CameraUnavailable(_("The folder {path} has no photos. Put .jpg or .png files in it.", path=self.path))
        for other in self._others:
            self._tell(why_left_out(other))
        step_us = 1_000_000 // PHOTO_FPS
        at_us = self._start_us()
        number = 0
        for take, photo in enumerate(self.photos):
            free_memory()
            try:
                bgr = load_photo(photo)
            except BadInput as refusal:
                self._tell(_("A photo was left out. {refusal}", refusal=refusal))
                continue
            for _repeat in range(PHOTO_SHOWN_US // step_us):
                self._pace(at_us)
                yield Frame(bgr, at_us, number, take)
                number += 1
                at_us += step_us
            del bgr  # Decoding the next one takes twice its memory for a moment.


def in_order(path: Path) -> tuple[list[tuple[bool, int, str]], str]:
    """Sorts as people do: digits of any script count as numbers, wherever they stand; capitals are no other letters."""
    parts = re.findall(r"\d+|\D+", path.name)
    return [(False, int(part), "") if part.isdecimal() else (True, 0, part.casefold()) for part in parts], path.name


def why_left_out(path: Path) -> str:
    """The sentence about what lies in a folder of photos and is none by its name."""
    if path.is_dir():
        return _("The folder {name} was skipped. Name it as the camera to see its photos.", name=path.name)
    return _("{name} was left out. Only JPEG and PNG photos can be read here.", name=path.name)
