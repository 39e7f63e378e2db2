"""Table tops whose pattern looks like pips or print: lace, knitwear, print, handwriting, flowers, hexagons, boards.

As in `vision.training.drawn.tables`, a picture is uint8 BGR and `unit` the side of a die in its pixels.
"""

from collections.abc import Callable

import cv2
import numpy as np

from vision.training.drawn.tables import as_bytes, colour, ink, noise, paint, plain, woven, write
from vision.training.labelled import Rng


def lace(rng: Rng, size: int, unit: float) -> np.ndarray:
    """Lace or a mesh: holes in rows and in rings."""
    thread, below = colour(rng, 0.25), colour(rng, 0.4)
    top = as_bytes(np.ones((size, size, 3), np.float32) * thread)
    pitch = max(3.0, unit * rng.uniform(0.1, 0.35))
    dark = paint(below)
    aslant = rng.random() < 0.5
    for row, y in enumerate(np.arange(0, size, pitch)):
        for x in np.arange((row % 2) * pitch / 2 if aslant else 0, size, pitch):
            at = (int(x + rng.normal(0, 0.06 * pitch)), int(y + rng.normal(0, 0.06 * pitch)))
            cv2.circle(top, at, max(1, int(pitch * rng.uniform(0.22, 0.4))), dark, -1, cv2.LINE_AA)
    for _ in range(rng.integers(3, 20)):
        middle, petals, ring = rng.uniform(0, size, 2), int(rng.integers(4, 9)), unit * rng.uniform(0.2, 0.6)
        cv2.circle(top, tuple(middle.astype(int)), int(1.6 * ring), paint(thread), -1, cv2.LINE_AA)
        for i in range(petals):
            angle = 6.283 * i / petals
            spot = middle + ring * np.array([np.cos(angle), np.sin(angle)])
            cv2.circle(top, (int(spot[0]), int(spot[1])), max(1, int(0.3 * ring)), dark, -1, cv2.LINE_AA)
    return shaded(rng, top, pitch)


def shaded(rng: Rng, top: np.ndarray, pitch: float) -> np.ndarray:
    """The top with the unevenness of threads and folds."""
    size = top.shape[0]
    folds = 1 + 0.12 * noise(rng, size, size, 12 * pitch) + 0.12 * noise(rng, size, size, max(1.0, 0.3 * pitch))
    return np.clip(top * folds[..., None], 0, 255).astype(np.uint8)


def knit(rng: Rng, size: int, unit: float) -> np.ndarray:
    """Rows of stitches like the letter V, some of another colour."""
    wool, other = colour(rng, 0.6), colour(rng, 0.6)
    top = as_bytes(np.ones((size, size, 3), np.float32) * wool * 0.45)
    pitch = max(5.0, unit * rng.uniform(0.2, 0.7))
    pattern = rng.random((5, 7)) < rng.choice([0.0, 0.2, 0.4])
    for row, y in enumerate(np.arange(0, size, 0.8 * pitch)):
        for column, x in enumerate(np.arange(0, size, pitch)):
            shade = paint((other if pattern[row % 5, column % 7] else wool) * rng.uniform(0.85, 1.1))
            for lean in (-1, 1):
                at = (int(x + lean * 0.22 * pitch), int(y))
                axes = (max(1, int(0.5 * pitch)), max(1, int(0.2 * pitch)))
                cv2.ellipse(top, at, axes, lean * 60 + 90 - 90 * lean, 0, 360, shade, -1, cv2.LINE_AA)
    return shaded(rng, top, pitch)


def page(rng: Rng, size: int, unit: float) -> np.ndarray:
    """A page with lines of print, of all sizes, and bars."""
    top = plain(rng, size, unit)
    letters, line = list("abcdefghiklmnoprstuvwxyzABDEGIKMNORSTW0123456789.,"), ink(rng)
    y = 0.0
    while y < size:
        tall = unit * np.exp(rng.uniform(np.log(0.15), np.log(1.2)))
        y += 1.5 * tall + 2
        words = "".join(rng.choice(letters + [" "] * 12, int(1.6 * size / max(tall, 1)) + 2))
        face, scale = int(rng.integers(0, 8)), tall / 22
        if rng.random() < 0.08:
            cv2.rectangle(top, (0, int(y - 1.2 * tall)), (size, int(y + 0.3 * tall)), ink(rng), -1)
        cv2.putText(top, words, (int(rng.uniform(-tall, tall)), int(y)), face, scale, line, max(1, int(2 * scale)), 16)
    return np.ascontiguousarray(np.rot90(top, int(rng.integers(4))))


def handwriting(rng: Rng, size: int, unit: float) -> np.ndarray:
    """Loops, strokes and dots of a pen, on plain or squared paper."""
    top = plain(rng, size, unit) if rng.random() < 0.3 else as_bytes(np.full((size, size, 3), 0.93, np.float32))
    if rng.random() < 0.6:
        for at in np.arange(0, size, unit * rng.uniform(0.3, 0.6)).astype(int):
            cv2.line(top, (0, int(at)), (size, int(at)), (225, 205, 190), 1)
    pen, tall = ink(rng), unit * rng.uniform(0.25, 1.2)
    thick = max(1, int(tall * rng.uniform(0.06, 0.18)))
    for y in np.arange(tall, size, tall * rng.uniform(1.5, 3)):
        x = rng.uniform(0, tall)
        while x < size:
            count = int(rng.integers(3, 9))
            steps = np.cumsum(np.abs(rng.normal(0.3, 0.15, count))) * tall
            heights = y + rng.normal(0, 0.35, count) * tall
            curve = np.stack([x + steps, heights], axis=1)
            smooth = cv2.resize(curve.astype(np.float32), (2, 8 * count), interpolation=cv2.INTER_CUBIC)
            cv2.polylines(top, [smooth.astype(np.int32)], False, pen, thick, cv2.LINE_AA)
            if rng.random() < 0.3:
                cv2.circle(top, (int(x), int(y - 0.6 * tall)), thick, pen, -1, cv2.LINE_AA)
            if rng.random() < 0.15:
                cv2.circle(top, (int(x), int(y)), int(0.4 * tall) + 1, pen, thick, cv2.LINE_AA)
            x += steps[-1] + tall * rng.uniform(0.3, 1)
    return top


def leaf(top: np.ndarray, at: np.ndarray, long_px: float, turn_deg: float, shade: tuple[float, ...]) -> None:
    axes = (max(1, int(long_px)), max(1, int(0.5 * long_px)))
    cv2.ellipse(top, (int(at[0]), int(at[1])), axes, turn_deg, 0, 360, shade, -1, cv2.LINE_AA)


def flowers(rng: Rng, size: int, unit: float) -> np.ndarray:
    """Printed cloth or paper: leaves, petals, and dots in loose rings."""
    top = plain(rng, size, unit)
    inks = [ink(rng) for _ in range(4)]
    for _ in range(rng.integers(15, 70)):
        middle, petals, reach = rng.uniform(0, size, 2), int(rng.integers(3, 9)), unit * rng.uniform(0.2, 1.5)
        shade, seeds = inks[rng.integers(4)], inks[rng.integers(4)]
        for i in range(petals):
            angle = 360 * i / petals
            away = 0.6 * reach * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
            leaf(top, middle + away, 0.6 * reach, angle, shade)
        for _ in range(rng.integers(0, 12)):
            leaf(top, middle + rng.normal(0, 0.3 * reach, 2), 0.1 * reach, float(rng.uniform(0, 180)), seeds)
    return top


def hexagons(rng: Rng, size: int, unit: float) -> np.ndarray:
    """A map of hexagons with woods, fields and round tokens with numbers and dots."""
    top = plain(rng, size, unit)
    reach = unit * rng.uniform(1.2, 4)
    lands = [colour(rng, 0.8) for _ in range(5)]
    for row, y in enumerate(np.arange(0, size + reach, 1.5 * reach)):
        for x in np.arange((row % 2) * 0.87 * reach, size + reach, 1.74 * reach):
            corners = np.arange(6) * 1.0472 + 0.5236
            outline = np.array([x, y]) + reach * 0.96 * np.stack([np.cos(corners), np.sin(corners)], axis=1)
            land = lands[rng.integers(5)]
            cv2.fillPoly(top, [outline.astype(np.int32)], paint(land), cv2.LINE_AA)
            dark = paint(land * rng.uniform(0.3, 0.7))
            for _ in range(rng.integers(0, 40)):
                at = (int(x + rng.normal(0, 0.4 * reach)), int(y + rng.normal(0, 0.4 * reach)))
                cv2.circle(top, at, max(1, int(reach * rng.uniform(0.04, 0.13))), dark, -1, cv2.LINE_AA)
            if rng.random() < 0.7:
                disc, sign = max(3, int(0.3 * reach)), paint(np.array([0.1, 0.1, rng.choice([0.1, 0.7])]))
                cv2.circle(top, (int(x), int(y)), disc, paint(np.array([0.75, 0.88, 0.93])), -1, cv2.LINE_AA)
                at = (int(x - 0.6 * disc), int(y + 0.2 * disc))
                cv2.putText(top, str(rng.integers(2, 13)), at, 3, disc / 26, sign, max(1, disc // 12), cv2.LINE_AA)
                for i in range(rng.integers(1, 6)):
                    cv2.circle(
                        top, (int(x + disc * (0.25 * i - 0.5)), int(y + 0.6 * disc)), max(1, disc // 10), sign, -1
                    )
    return top


def board(rng: Rng, size: int, unit: float) -> np.ndarray:
    """Printed spaces in rows, each with a bar, a picture and a name."""
    top = plain(rng, size, unit)
    wide, tall, line = unit * rng.uniform(1, 4), unit * rng.uniform(1, 5), ink(rng)
    for y in np.arange(0, size, tall):
        for x in np.arange(0, size, wide):
            left, upper, right, lower = int(x), int(y), int(x + wide), int(y + tall)
            if rng.random() < 0.6:
                cv2.rectangle(top, (left, upper), (right, int(y + 0.22 * tall)), ink(rng), -1)
            if rng.random() < 0.6:
                spot = np.array([x + wide / 2, y + 0.6 * tall])
                for _ in range(rng.integers(1, 5)):
                    corners = spot + rng.normal(0, 0.16 * min(wide, tall), (int(rng.integers(3, 8)), 2))
                    cv2.fillPoly(top, [corners.astype(np.int32)], ink(rng), cv2.LINE_AA)
            cv2.rectangle(top, (left, upper), (right, lower), line, max(1, int(0.05 * unit)))
            write(rng, top, np.array([x + 0.1 * wide, y + 0.4 * tall]), 0.5 * unit)
    return top


CLOTHS: tuple[Callable[[Rng, int, float], np.ndarray], ...] = (
    lace, knit, page, handwriting, flowers, hexagons, board, woven,
)  # fmt: skip


def lay_cloth(rng: Rng, size: int, unit: float) -> np.ndarray:
    """A table top (size, size, 3) with one of these patterns."""
    return CLOTHS[rng.integers(len(CLOTHS))](rng, size, unit)
