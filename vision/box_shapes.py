"""The top face of a box measured: what has its colour around its middle, compared with rectangles of every size.

The network of `vision.load` says where boxes are; how long each is shows best in the outline of its top, which the
pose brings to its true shape.
"""

import cv2
import numpy as np

from vision.pose import Pose

LENGTHS = (1, 2, 3, 4, 5)
FINE_PX = 12  # of a unit in the cut
REACH = 5.5  # units around the middle that the cut shows: a box of five whose middle is half a unit off
SEED = 0.22  # half side, in units, of the patch that says what colour the top has
TOLERANCES = (5.0, 8.0, 12.0, 17.0)  # of lightness and colour: grain and light want more, weak edges less
LIGHTNESS_WEIGHT = 0.7
ROUNDED = 1.1  # areas counted in pixels are not exact
MIDDLING, MOST_UNITS = 2, 5.6  # the height that a side is followed down from, and how far; heights matter little to it
FIRST, STEP, NEAR = 0.2, 0.08, 0.5  # units: where the side begins to show, the step downwards, half a box
LEAST_SIDE_PX = 5.0  # of a side one unit high: less is hidden under the top
SIDE_TOLERANCE = 9.0  # of the side's own colour
BLUR_PX = 1.2  # against noise
PART = 2  # marks what hangs together with the middle


def smooth_lab(frame_bgr: np.ndarray) -> np.ndarray:
    """(h, w, 3) uint8 Lab without the noise: made once for a frame, as tops and sides are cut from it many times."""
    return cv2.cvtColor(cv2.GaussianBlur(frame_bgr, (0, 0), BLUR_PX), cv2.COLOR_BGR2LAB)


def weighted(lab: np.ndarray) -> np.ndarray:
    """float32, lightness counting less."""
    return lab * np.array([LIGHTNESS_WEIGHT, 1, 1], np.float32)


def cut_top(smooth: np.ndarray, pose: Pose, unit: float, spot_mm: np.ndarray, high_mm: float) -> np.ndarray:
    """(132, 132, 3) uint8 of `smooth_lab`: the level plane at some height around a spot (2,), straight from above."""
    reach = REACH * unit
    rim = np.array([[-reach, reach], [reach, reach], [reach, -reach], [-reach, -reach]])
    size = round(2 * REACH * FINE_PX)
    corners = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32) - np.float32(0.5)
    pixels = pose.project(np.hstack([rim + spot_mm, np.full((4, 1), high_mm)])).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(corners, pixels)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return cv2.warpPerspective(smooth, matrix, (size, size), flags=flags, borderMode=cv2.BORDER_REPLICATE)


def likeness(cut_lab: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What lies in the middle of a cut of `cut_top`: how well it fits a top of each length, and where its middle is.

    The first (5,) is shared area of all area, 0..1; the second (2,) in units right and away of the cut's middle.
    """
    size = cut_lab.shape[0]
    middle, half = size // 2, max(2, round(SEED * FINE_PX))
    seed = cut_lab[middle - half : middle + half + 1, middle - half : middle + half + 1].reshape(-1, 3)
    off = cv2.absdiff(cut_lab, (*np.median(seed, axis=0).tolist(), 0.0))
    apart = cv2.transform(cv2.multiply(off, off, dtype=cv2.CV_32F), np.array([[LIGHTNESS_WEIGHT**2, 1, 1]]))
    best, place = np.zeros(len(LENGTHS)), np.zeros(2)
    for tolerance in TOLERANCES:
        near = (apart < tolerance**2).astype(np.uint8)
        part = cv2.morphologyEx(near, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        if part[middle, middle] == 0:
            continue
        cv2.floodFill(part, None, (middle, middle), PART, flags=4)
        part = cv2.inRange(part, PART, PART)
        outline = max(cv2.findContours(part, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0], key=cv2.contourArea)
        filled = np.zeros_like(part)
        cv2.drawContours(filled, [outline], -1, 1, -1)
        (x, y), (wide, tall), turn = cv2.minAreaRect(outline)
        if tall > wide:
            turn += 90
        area = cv2.countNonZero(filled)
        if area > 14 * FINE_PX**2:
            continue
        for i, length in enumerate(LENGTHS):
            even = area / (length * FINE_PX**2)
            if ROUNDED * min(even, 1 / even) <= best[i]:
                continue  # two outlines share no more than the smaller of them has
            box = cv2.boxPoints(((x, y), (length * FINE_PX - 1, FINE_PX - 1), turn))
            ideal = np.zeros_like(part)
            cv2.fillConvexPoly(ideal, np.round(box).astype(np.int32), 1)
            shared = cv2.countNonZero(ideal & filled)
            fit = shared / (area + cv2.countNonZero(ideal) - shared)
            if fit > best.max():
                place = np.array([x - middle, middle - y]) / FINE_PX
            best[i] = max(best[i], fit)
    return best, place


def side_units(smooth: np.ndarray, pose: Pose, unit: float, spot_mm: np.ndarray) -> float | None:
    """How many units a small top stands above the table: how far the colour of its near side goes on downwards.

    smooth   of `smooth_lab`
    spot_mm  (2,) the top's middle as it would be one unit high; None where the camera sees too little of the side
    """
    eye = -pose.rotation.T @ pose.shift_mm
    ray = np.array([*spot_mm, unit]) - eye
    top = eye + ray * ((MIDDLING * unit - eye[2]) / ray[2])
    ahead = eye[:2] - top[:2]
    ahead = ahead / max(float(np.linalg.norm(ahead)), 1e-9)
    aside = np.array([-ahead[1], ahead[0]])
    depths = np.arange(FIRST, MOST_UNITS + FIRST, STEP)
    starts = top[:2] + unit * (NEAR * ahead + np.array([[-0.2], [0.0], [0.2]]) * aside)
    lines = np.hstack([np.repeat(starts, len(depths), axis=0), np.tile(top[2] - depths * unit, 3)[:, None]])
    pixels = pose.project(lines)
    if np.linalg.norm(pixels[len(depths) - 1] - pixels[0]) / (depths[-1] - depths[0]) < LEAST_SIDE_PX:
        return None
    at = np.clip(np.round(pixels).astype(int), 0, np.array(smooth.shape[1::-1]) - 1)
    profile = np.median(weighted(smooth[at[:, 1], at[:, 0]]).reshape(3, len(depths), 3), axis=0)
    side = np.median(profile[depths < FIRST + 0.45], axis=0)
    other = np.linalg.norm(profile - side, axis=1) > SIDE_TOLERANCE
    gone = other & np.append(other[1:], True)  # one odd point is grain or glare
    return float(depths[np.flatnonzero(gone)[0]]) if gone.any() else float(MOST_UNITS)
