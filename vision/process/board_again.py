"""Finds a board without a mat in the next photo: by the photo in which somebody tapped its corners."""

import cv2
import numpy as np

from vision.scene.by_corners import is_clockwise

LONG_PX = 960  # The longer side of both pictures has this length while points are compared.
POINTS, ALIKE = 3000, 0.8  # A picture gives so many points; a pair is good if it is so much nearer than the next best.
LEAST_PAIRS, OFF_PX = 20, 4.0  # One motion explains at least so many points, each with no larger error.
FLAT_PX, RIM = 240, 0.06  # Boards laid flat are compared at this size, with a rim of this share beside them.
SAME, CLEARLY = 0.75, 0.12  # Flat boards are at least so alike, and more so by this than any other way to lie.
LOW, HIGH = RIM * FLAT_PX, (1 - RIM) * FLAT_PX
# A board laid flat has its corners there.
FLAT = np.array([(LOW, LOW), (HIGH, LOW), (HIGH, HIGH), (LOW, HIGH)], np.float32)
WIDER = 0.02  # A corner may lie beyond the picture by this share of it.


def board_again(frame_bgr: np.ndarray, before_bgr: np.ndarray, corners: np.ndarray) -> np.ndarray | None:
    """The board's corners in this picture, as shares of its width and height (4, 2); None if that is not sure.

    corners     (4, 2) the same in `before_bgr`, from row 1, column 1 clockwise
    """
    before, now = small_grey(before_bgr), small_grey(frame_bgr)
    corners_px = corners * before.shape[1::-1]
    inside = np.zeros(before.shape, np.uint8)
    cv2.fillConvexPoly(inside, np.rint(corners_px).astype(np.int32), 255)
    finder = cv2.ORB.create(POINTS, fastThreshold=8)
    points_before, marks_before = finder.detectAndCompute(before, inside)
    points_now, marks_now = finder.detectAndCompute(now, None)
    if marks_before is None or marks_now is None or min(len(marks_before), len(marks_now)) < LEAST_PAIRS:
        return None
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING).knnMatch(marks_before, marks_now, k=2)
    good = [pair[0] for pair in pairs if len(pair) == 2 and pair[0].distance < ALIKE * pair[1].distance]
    if len(good) < LEAST_PAIRS:
        return None
    here = np.array([points_before[pair.queryIdx].pt for pair in good], np.float32)
    there = np.array([points_now[pair.trainIdx].pt for pair in good], np.float32)
    motion, fits = cv2.findHomography(here, there, cv2.RANSAC, OFF_PX)
    if motion is None or np.count_nonzero(fits) < LEAST_PAIRS:
        return None
    moved_px = cv2.perspectiveTransform(corners_px[None].astype(np.float32), motion)[0].astype(np.float64)
    moved_px = refined_px(before, corners_px, now, moved_px)
    shares = moved_px / now.shape[1::-1]
    if not is_clockwise(moved_px) or shares.min() < -WIDER or shares.max() > 1 + WIDER:
        return None
    return shares.clip(0, 1) if lies_alike(before, corners_px, now, moved_px) else None


def refined_px(before: np.ndarray, corners_px: np.ndarray, now: np.ndarray, moved_px: np.ndarray) -> np.ndarray:
    """The moved corners (4, 2) after the boards, laid flat, were slid onto each other; unchanged if that fails."""
    flat_before, flat_now = edges(flat(before, corners_px)), edges(flat(now, moved_px))
    steps = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 50, 1e-4)
    try:
        _, slid = cv2.findTransformECC(
            flat_before, flat_now, np.eye(3, dtype=np.float32), cv2.MOTION_HOMOGRAPHY, steps, np.array([]), 5
        )
    except cv2.error:  # It did not converge.
        return moved_px
    into = cv2.getPerspectiveTransform(FLAT, moved_px.astype(np.float32))
    return np.asarray(cv2.perspectiveTransform(cv2.perspectiveTransform(FLAT[None], slid), into)[0], np.float64)


def lies_alike(before: np.ndarray, corners_px: np.ndarray, now: np.ndarray, moved_px: np.ndarray) -> bool:
    """Whether the boards look alike, and clearly more so than turned, or moved by as much as a narrow space."""
    flat_before, likeness = edges(flat(before, corners_px)), []
    for turn in range(4):
        likeness.append(correlation(flat_before, edges(flat(now, np.roll(moved_px, -turn, axis=0)))))
    flat_now = edges(flat(now, moved_px))
    step = FLAT_PX // 10  # No game has more spaces.
    for right, down in ((step, 0), (-step, 0), (0, step), (0, -step)):
        likeness.append(correlation(flat_before, np.roll(flat_now, (down, right), axis=(0, 1))))
    return likeness[0] >= SAME and likeness[0] >= max(likeness[1:]) + CLEARLY


def small_grey(frame_bgr: np.ndarray) -> np.ndarray:
    """(h, w) uint8: the picture in grey, its longer side LONG_PX."""
    share = LONG_PX / max(frame_bgr.shape[:2])
    way = cv2.INTER_AREA if share < 1 else cv2.INTER_LINEAR
    return cv2.cvtColor(cv2.resize(frame_bgr, None, fx=share, fy=share, interpolation=way), cv2.COLOR_BGR2GRAY)


def flat(grey: np.ndarray, corners_px: np.ndarray) -> np.ndarray:
    """(FLAT_PX, FLAT_PX) uint8: the board and a rim, as seen from straight above."""
    return cv2.warpPerspective(
        grey, cv2.getPerspectiveTransform(corners_px.astype(np.float32), FLAT), (FLAT_PX, FLAT_PX)
    )


def edges(grey: np.ndarray) -> np.ndarray:
    """(h, w) float32: how strongly the brightness changes, a little blurred; no lamp changes where."""
    soft = cv2.GaussianBlur(grey, (0, 0), 1.5)
    across, down = (cv2.Sobel(soft, cv2.CV_32F, *axis) for axis in ((1, 0), (0, 1)))
    return cv2.GaussianBlur(np.sqrt(cv2.magnitude(across, down)), (0, 0), 2.5)


def correlation(first: np.ndarray, second: np.ndarray) -> float:
    """-1..1: how alike two pictures of the same size are."""
    a, b = first - first.mean(), second - second.mean()
    return float((a * b).sum() / max(1e-6, np.sqrt((a * a).sum() * (b * b).sum())))
