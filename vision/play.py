"""Which play leads from one picture of a board to the next: a piece placed, or a pile toppled.

Both pictures are read as boards. Where a pile of the same colours merely grew, the readings may not differ; but the
camera stands still, so the pictures themselves do. Each play that the board allows is judged by both: the spaces it
changes must look changed and no others, and the tops and heights it leads to must be those seen.
"""

import cv2
import numpy as np

from companion.readings.play import Cell, Play, PlayReading
from companion.words import _
from vision.board import PIECE_PX, Space, read_spaces
from vision.scene import Scene

BLOCK = 4  # pieces that leave a toppling pile, one to each side; fewer cannot topple
SIDES = ((-1, 0), (0, 1), (1, 0), (0, -1))  # far, right, near, left
DIFFERENT = 26.0  # least difference of brightness, of 255, between pictures: a moved piece, not a moved shadow
CHANGED_SHARE, CHANGED_STEEP = 0.16, 24.0  # share of a piece's place that differs when a piece came or went
LEAST = 1e-4  # of any single probability: nothing is impossible in a picture
ACCEPT = 0.97  # least probability of a play; higher asks more and errs less
OTHERWISE = 1e-5  # how well "something else happened" explains a space: plays that explain less are no answer
SHOWN = 5  # alternatives told at most


def read_play(before_bgr: np.ndarray, after_bgr: np.ndarray, scene: Scene | None) -> PlayReading:
    """The play between two frames (h, w, 3) of one board; BadInput says what the scene lacks."""
    before, after = read_spaces(before_bgr, scene), read_spaces(after_bgr, scene)
    n = round(len(before.spaces) ** 0.5)
    looks = different_looks(before.crops, after.crops)
    chance = np.array([changed_chance(*each) for each in zip(before.spaces, after.spaces, looks, strict=True)])
    changed = tuple((int(i) // n, int(i) % n) for i in np.flatnonzero(chance > 0.5))
    places = tuple((float(x), float(y)) for x, y in (after.spaces[row * n + column].at_px for row, column in changed))
    height, width = after_bgr.shape[:2]
    still = float(np.log(1 - chance).sum())
    ranked = sorted(
        ((still + weight, play) for play, weight in plays(before.spaces, after.spaces, chance, before.names, n)),
        key=lambda pair: -pair[0],
    )
    if not ranked or not changed:
        return PlayReading(width, height, None, float(np.exp(still)), False, (), changed, places, nothing(changed))
    otherwise = np.log(OTHERWISE) * max(1, len(changed))
    top = max(ranked[0][0], otherwise)
    odds = np.array([np.exp(score - top) for score, _play in ranked])
    total = float(odds.sum() + np.exp(otherwise - top))
    shown = tuple((play, float(odds[i] / total)) for i, (_score, play) in enumerate(ranked[:SHOWN]))
    best, confidence = shown[0]
    if ranked[0][0] < otherwise:
        return PlayReading(width, height, None, 1 - confidence, False, shown, changed, places, nothing(changed))
    return PlayReading(width, height, best, confidence, confidence >= ACCEPT, shown, changed, places)


def nothing(changed: tuple[Cell, ...]) -> str:
    """What no play explains, in a sentence."""
    if not changed:
        return _("The two pictures show the same board: nothing was played.")
    places = ", ".join(_("row {row} column {column}", row=row + 1, column=column + 1) for row, column in changed)
    return _("No single play explains what changed: look at {places}.", places=places)


def different_looks(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """(n,) share of a piece's size that differs between the cuts (n, h, w, 3) of two pictures."""
    one, other = (cuts.astype(np.float32) for cuts in (before, after))
    light = np.median((one - other).reshape(-1, 3), axis=0)  # the lamp may have changed for all alike
    apart = np.abs(one - other - light).max(axis=-1)
    apart = np.stack([cv2.blur(each, (3, 3)) for each in apart])
    noise = 3 * float(np.median(apart))
    ys, xs = np.mgrid[0 : apart.shape[1], 0 : apart.shape[2]]
    own = np.hypot(xs - (apart.shape[2] - 1) / 2, np.maximum(ys - 28.0, 0)) < PIECE_PX * 0.55  # over its own space
    return ((apart > DIFFERENT + noise) & own).sum(axis=(1, 2)) / (np.pi / 4 * PIECE_PX**2)


def changed_chance(before: Space, after: Space, look: float) -> float:
    """How likely a space is another than before, by its looks and by both readings."""
    by_look = 1 / (1 + np.exp(-CHANGED_STEEP * (look - CHANGED_SHARE)))
    same_top = before.heights[0] * after.heights[0] + float(before.colours @ after.colours) * (
        (1 - before.heights[0]) * (1 - after.heights[0])
    )
    odds = by_look / (1 - by_look + 1e-9) * ((1 - same_top) / (same_top + 1e-3) + 0.5)
    return float(np.clip(odds / (1 + odds), LEAST, 1 - LEAST))


def plays(
    before: tuple[Space, ...], after: tuple[Space, ...], chance: np.ndarray, names: list[str], n: int
) -> list[tuple[Play, float]]:
    """Every play and how much better than no change it explains the pictures, as logarithms."""
    gain = np.log(chance) - np.log(1 - chance)
    found = []
    for i in range(n * n):
        cell = (i // n, i % n)
        if chance[i] > 2 * LEAST:
            grown = grows(before[i], after[i])
            found += [
                (Play("place", cell, name), float(gain[i] + grown + np.log(after[i].colours[k] + LEAST)))
                for k, name in enumerate(names)
            ]
        sides = [(cell[0] + down, cell[1] + right) for down, right in SIDES]
        inside = [side for side in sides if 0 <= side[0] < n and 0 <= side[1] < n]
        if before[i].heights[BLOCK:].sum() > LEAST:
            weight = float(gain[i] + np.log(before[i].heights[BLOCK:].sum() + LEAST))
            weight += float(np.log(shrunk(before[i], after[i]) + LEAST))
            pieces = []
            for side in inside:
                j = side[0] * n + side[1]
                weight += float(gain[j] + grows(before[j], after[j]))
                best = int(after[j].colours.argmax())
                weight += float(np.log(after[j].colours[best] + LEAST))
                pieces.append((side, names[best]))
            found.append((Play("topple", cell, None, tuple(pieces)), weight))
    return found


def grows(before: Space, after: Space) -> float:
    """Logarithm of how well one more piece explains the heights; the last height stands for all above."""
    one_more = np.concatenate([[0.0], before.heights[:-2], [before.heights[-2:].sum()]])
    return float(np.log(one_more @ after.heights + 0.02))


def shrunk(before: Space, after: Space) -> float:
    """How well a block less explains the heights."""
    less = np.zeros(len(before.heights))
    less[: len(less) - BLOCK] = before.heights[BLOCK:]
    less[1 : len(less) - BLOCK + 1] += before.heights[-1] / 2  # the last height may be one more
    return float(less @ after.heights + 0.02 * before.heights[BLOCK:].sum())
