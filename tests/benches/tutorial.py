"""`make bench NAME=tutorial`: the tutorials' usual reader of dice, judged on the photographs of `companion bench dice`.

SimpleBlobDetector on the blurred frame finds the pips, DBSCAN joins close pips to a die, as dozens of tutorials do.
"""

from pathlib import Path

import cv2
import numpy as np

from companion.app.bench.dice import PHOTOGRAPHS, labels_of
from companion.app.bench.dice_photos import JudgedPhoto, count_groups, groups_of, judge_photo
from companion.app.bench.figures import Figure
from companion.game.readings import DiceReading, DieReading
from vision.cameras.photos import load_photo

BLUR_PX = 7
ROUNDNESS = 0.6  # least inertia ratio of a blob, as in the tutorials
NEAR_PX = 40  # DBSCAN's reach, as in the tutorials


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """The same counts as of our own reader; nothing is drawn into `out`."""
    folder, judged = labels or PHOTOGRAPHS, []
    for entry in labels_of(folder):
        frame = load_photo(folder / entry["image"])
        verdict, _reading = judge_photo(frame, entry, lambda frame_bgr, _scene: read_dice_as_tutorials_do(frame_bgr))
        judged.append(JudgedPhoto(groups_of(entry), verdict))
    return list(count_groups(judged))


def read_dice_as_tutorials_do(frame_bgr: np.ndarray) -> DiceReading:
    height, width = frame_bgr.shape[:2]
    parameters = cv2.SimpleBlobDetector.Params()
    parameters.filterByInertia = True
    parameters.minInertiaRatio = ROUNDNESS
    blobs = cv2.SimpleBlobDetector.create(parameters).detect(cv2.medianBlur(frame_bgr, BLUR_PX))
    points = np.array([blob.pt for blob in blobs], np.float32).reshape(-1, 2)
    dice = tuple(certain_die(points[cluster]) for cluster in clusters(points, NEAR_PX))
    return DiceReading(width, height, tuple(die for die in dice if 1 <= die.value <= 6))


def clusters(points: np.ndarray, reach: float) -> list[np.ndarray]:
    """DBSCAN with one point enough for a core: sets of points joined by steps of at most `reach`."""
    left = set(range(len(points)))
    found = []
    while left:
        edge = [left.pop()]
        members = list(edge)
        while edge:
            at = points[edge.pop()]
            near = [i for i in left if np.hypot(*(points[i] - at)) <= reach]
            left.difference_update(near)
            edge += near
            members += near
        found.append(np.array(members))
    return found


def certain_die(pips: np.ndarray) -> DieReading:
    cx, cy = (float(v) for v in pips.mean(axis=0))
    w, h = (max(10.0, float(v)) for v in np.ptp(pips, axis=0))
    return DieReading(len(pips), cx, cy, w, h, 0.0, None, 1.0, True, ((len(pips), 1.0),))
