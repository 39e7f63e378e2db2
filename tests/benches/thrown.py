"""`make bench NAME=thrown`: each photograph of dice as a throw onto a table where all but the dice lay before."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.app.bench import dice_photos
from companion.app.bench.dice import OWN_SCENES, PHOTOGRAPHS, labels_of, photographs_of
from companion.app.bench.figures import Figure, Wanted
from companion.app.bench.misses import save_miss
from companion.game.readings import ALWAYS_US, Box, DiceReading, DieReading
from vision.cameras.camera import Frame
from vision.cameras.photos import load_photo
from vision.dice.reader import DiceReader
from vision.watch.watch import Watch

FRAME_US = 33_333
AT_REST = 8  # frames of the table before the throw
MOST_FRAMES = 90  # after it: many dice may pass for a hand, which is waited for
NOISE_LEVELS, JPEG_QUALITY = 2.0, 85  # of each frame
MARGIN = 1.2  # of a die's label: so much is painted out
SEED = 71


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """Each photograph as a throw: before it the dice are painted out, and all else lies there already.

    Dice that are no longer read, and what is still counted or asked about and is no die, are drawn into `out`.
    """
    folder = labels or (PHOTOGRAPHS if PHOTOGRAPHS.is_dir() else OWN_SCENES)
    entries = [entry for entry in labels_of(folder) if entry["dice"]]
    reader, rng = DiceReader(), np.random.default_rng(SEED)
    told = read_before = read_now = strange_before = strange_now = 0
    for entry in dice_photos.with_progress(entries, "photographs"):
        frame = load_photo(folder / entry["image"])
        whole = thrown_reading(reader, painted_out(frame, entry["dice"]), frame, rng)
        if whole is None:
            continue
        thrown, told = whole.new_since(ALWAYS_US), told + 1
        (dice, strange), (dice_now, strange_left) = (in_photo(entry["dice"], reading) for reading in (whole, thrown))
        read_before, read_now = read_before + dice, read_now + dice_now
        strange_before, strange_now = strange_before + strange, strange_now + strange_left
        if dice_now < dice or strange_left:
            save_miss(out, entry["image"], dice_photos.draw_miss(frame, entry["dice"], thrown))
    return [
        photographs_of(folder, entries),
        Figure("throws told", "all", told, len(entries)),
        Figure("dice read, of those read with nothing before", "all", read_now, read_before, wanted=Wanted(100)),
        Figure(
            "no dice, still counted or asked about", "all", strange_now, strange_before, wanted=Wanted(10, at_most=True)
        ),
    ]


def painted_out(frame_bgr: np.ndarray, labels: list[dict[str, Any]]) -> np.ndarray:
    """The photograph with all labelled dice painted over by what surrounds them."""
    mask = np.zeros(frame_bgr.shape[:2], np.uint8)
    for label in labels:
        size_px = dice_photos.size_of(label)
        half = tuple(round(MARGIN * (label.get(side) or size_px) / 2) for side in ("w", "h"))
        cv2.ellipse(mask, (round(label["cx"]), round(label["cy"])), half, 0, 0, 360, 255, cv2.FILLED)
    return cv2.inpaint(frame_bgr, mask, 5, cv2.INPAINT_TELEA)


def thrown_reading(
    reader: DiceReader, before_bgr: np.ndarray, after_bgr: np.ndarray, rng: np.random.Generator
) -> DiceReading | None:
    """The reading of the table at rest after a throw, None if a watch that saw both tables told nothing."""
    watch = Watch(reader.read, live=True)
    for number, frame in enumerate(film(before_bgr, after_bgr, rng)):
        settled = watch.feed(Frame(frame, number * FRAME_US, number))
        if settled is not None and number > AT_REST:
            assert isinstance(settled.reading, DiceReading)
            return settled.reading
    return None


def film(before_bgr: np.ndarray, after_bgr: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Frames with noise as a camera's: the table before, then after, which differs at once."""
    for number in range(AT_REST + MOST_FRAMES):
        picture = before_bgr if number < AT_REST else after_bgr
        noisy = picture + rng.normal(0, NOISE_LEVELS, picture.shape).astype(np.float32)
        frame_bgr = np.clip(noisy, 0, 255).astype(np.uint8)
        packed = cv2.imencode(".jpg", frame_bgr, (cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY))[1]
        yield np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR))


def in_photo(labels: list[dict[str, Any]], reading: DiceReading) -> tuple[int, int]:
    """How many of the labelled dice that must be read are, and how many other things are counted or asked about."""
    pairs = dict(dice_photos.matches(labels, reading.dice))
    others: list[DieReading | Box] = [die for j, die in enumerate(reading.dice) if j not in pairs.values()]
    others += reading.unread
    strange = [
        thing
        for thing in others
        if not any(
            np.hypot(label["cx"] - thing.cx, label["cy"] - thing.cy) <= dice_photos.size_of(label) / 2
            for label in labels
        )
    ]
    return sum(dice_photos.in_scope(labels[i]) for i in pairs), len(strange)
