"""Recordings as a camera: a video file, or a folder of photos that each show a table at rest."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2

from companion.clock import monotonic_us
from companion.errors import BadInput, CameraUnavailable
from companion.words import _
from vision.cameras.camera import Frame, Tell, Wait
from vision.cameras.memory import free_memory
from vision.cameras.photos import load_photo

PHOTO_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".heic", ".heif", ".hif")
DIGITS = frozenset("0123456789")
VIDEO_SUFFIXES = (".mp4", ".mov", ".mkv", ".avi", ".webm", ".m4v", ".mpg", ".mpeg")
LONGEST_GAP_US = 3_600_000_000  # between two pictures; a stamp further ahead is no time
USUAL_FPS = 30.0  # for the rare file without a rate
PHOTO_FPS = 10  # enough frames to settle on, few enough to cost nothing
PHOTO_SHOWN_US = 4_000_000  # long enough to look from the picture to the tablet


class Recording:
    """The base of both kinds: frames come at the pace of the recording, or at once without `wait`."""

    live = False

    def __init__(self, path: Path, wait: Wait | None) -> None:
        self.path = path
        self._wait = wait

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def full(self, frame: Frame) -> Frame:
        """The frame itself, as a recording is watched at full size."""
        return frame

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

    Each picture has the file's own stamp, as phones film at a rate that varies with the light. Where a file has none
    its pictures come at its rate, and `tell` hears so once.
    """

    def __init__(self, path: Path, wait: Wait | None = None, tell: Tell = lambda _sentence: None) -> None:
        super().__init__(path, wait)
        self._tell = tell
        self._capture: cv2.VideoCapture | None = None

    def __enter__(self) -> Self:
        self._capture = cv2.VideoCapture(str(self.path))
        if not self._capture.isOpened():
            raise CameraUnavailable(
                _("The video {name} can't be read. Make it again, or use another file.", name=self.path.name)
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._capture is not None:
            self._capture.release()
            self._capture = None

    def frames(self) -> Iterator[Frame]:
        """Every frame of the file, once."""
        if self._capture is None:
            raise CameraUnavailable(_("The video {name} isn't open.", name=self.path.name))
        fps = self._capture.get(cv2.CAP_PROP_FPS) or USUAL_FPS
        step_us = 1_000_000 / fps
        start_us = self._start_us()
        first_us: int | None = None
        last_us = number = 0
        has_stamps = True
        while True:
            came, bgr = self._capture.read()
            if not came:
                break
            stamp_us = round(self._capture.get(cv2.CAP_PROP_POS_MSEC) * 1_000)
            first_us = stamp_us if first_us is None else first_us
            passed_us = stamp_us - first_us
            if number and has_stamps and not last_us < passed_us < last_us + LONGEST_GAP_US:
                has_stamps = False
                self._tell(
                    _(
                        "The video {name} doesn't say when each picture was taken, so its frame rate is used.",
                        name=self.path.name,
                    )
                )
            if number and not has_stamps:
                passed_us = round(last_us + step_us)
            last_us = passed_us
            self._pace(start_us + passed_us)
            yield Frame(bgr, start_us + passed_us, number)
            number += 1
        if number == 0:
            raise CameraUnavailable(
                _("The video {name} has no pictures. Make it again, or use another.", name=self.path.name)
            )


class PhotoFolder(Recording):
    """The photos of a folder in the order of their names, as people count; each is a take, shown for a while."""

    def __init__(self, path: Path, wait: Wait | None = None, tell: Tell = lambda _sentence: None) -> None:
        super().__init__(path, wait)
        inside = sorted(path.iterdir(), key=in_order)
        self.photos = [each for each in inside if each.suffix.lower() in PHOTO_SUFFIXES]
        self._others = [each for each in inside if each not in self.photos and not each.name.startswith(".")]
        self._tell = tell

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
            del bgr  # decoding the next one takes twice its memory for a moment


def in_order(path: Path) -> tuple[list[tuple[bool, int, str]], str]:
    """Sorts as people do: digits count as numbers, wherever they stand, and capitals are no other letters."""
    parts = re.findall("[0-9]+|[^0-9]+", path.name)
    return [(False, int(part), "") if part[0] in DIGITS else (True, 0, part.casefold()) for part in parts], path.name


def why_left_out(path: Path) -> str:
    """The sentence about what lies in a folder of photos and is none by its name."""
    if path.is_dir():
        return _("The folder {name} was skipped. Name it as the camera to see its photos.", name=path.name)
    return _("{name} was left out. Only JPEG and PNG photos can be read here.", name=path.name)
