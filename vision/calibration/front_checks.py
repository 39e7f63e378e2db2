"""Checks whether a picture from table height is good enough to read stacks; as `mat_checks`, for the front camera."""

import math
from collections.abc import Mapping

import cv2
import numpy as np

from companion.equipment.mat import Kind, Mat
from companion.game.readings.mat import MatCheck, Verdict
from companion.words import _, _n, joined
from vision.calibration.mat_checks import check_fit, check_focus, check_glare, check_light, edges_of
from vision.scene.pose import LEAST_MARKERS, Pose
from vision.tower.crop import MIDDLE_PX

BLOCK_BAD_PX = 20.0  # The reader enlarges a block's middle edge to MIDDLE_PX, which shows no more detail.
SHARP = 0.5  # Seams need to be as sharp as pips on a die half as wide as a block's middle edge.
ASIDE_OK_DEG, ASIDE_BAD_DEG = 20.0, 35.0  # From further aside, sides of blocks are mistaken for fronts.
HIGH_OK_DEG, HIGH_BAD_DEG = (6.0, 28.0), (3.0, 40.0)  # From lower, the mat is not seen; from higher, tops hide fronts.
TALLEST_MM = 270.0  # Card 40 has the tallest of our deck's stacks.
WIDE_MM = 45.0  # Most stacks reach so far to either side of their middle.


def check_from_the_front(
    frame_bgr: np.ndarray,
    mat: Mat,
    pose: Pose,
    corners_px: Mapping[int, np.ndarray],
    block_mm: tuple[float, float, float],
) -> tuple[tuple[MatCheck, ...], Mapping[str, float]]:
    """All checks once the camera's pose is known, and the figures behind them.

    corners_px  corners (4, 2) by marker id
    block_mm    long, middle and short edge
    """
    grey = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
    edges = [marker for corners in corners_px.values() if (marker := edges_of(grey, corners))]
    middle_px = edge_px(pose, mat, block_mm[1])
    aside, high = view_deg(pose, mat)
    off_mm = off_px(pose, mat, corners_px) * block_mm[1] / middle_px
    checks = (
        check_row(mat, len(corners_px)),
        check_block(middle_px),
        check_aside(aside),
        check_high(high),
        check_room(pose, mat, frame_bgr.shape[:2]),
        check_focus(edges, SHARP * middle_px),
        *((check_light(edges),) if edges else ()),
        check_glare(frame_bgr, mat, pose),
        check_fit(off_mm),
    )
    figures = {"block_px": middle_px, "aside_deg": aside, "high_deg": high, "off_mm": off_mm}
    return checks, {"markers": len(corners_px), **figures}


def edge_px(pose: Pose, mat: Mat, edge_mm: float) -> float:
    """Width in px of an edge of a block, in the space where it is smallest."""
    feet = [np.array([[x - edge_mm / 2, y, 0.0], [x + edge_mm / 2, y, 0.0]]) for x, y in middles_mm(mat)]
    return min(float(np.linalg.norm(right - left)) for left, right in map(pose.project, feet))


def view_deg(pose: Pose, mat: Mat) -> tuple[float, float]:
    """The angles of the camera aside of straight ahead and above the table, seen from the middle of the spaces."""
    x, y, z = pose.eye_mm - (*np.mean(middles_mm(mat), axis=0), 0.0)
    return abs(math.degrees(math.atan2(x, -y))), math.degrees(math.atan2(z, math.hypot(x, y)))


def off_px(pose: Pose, mat: Mat, corners_px: Mapping[int, np.ndarray]) -> float:
    """Root mean square distance in px of the corners in the picture from where they are printed."""
    off = [
        pose.project(np.array(fiducial.place.corners_mm)) - corners_px[fiducial.id]
        for fiducial in mat.fiducials
        if fiducial.id in corners_px
    ]
    return float(np.sqrt(np.mean(np.square(off).sum(axis=2))))


def middles_mm(mat: Mat) -> list[tuple[float, float]]:
    """The middles of the spaces, from the left."""
    return [space.middle_mm for space in mat.zones_of(Kind.SPACE)]


def check_row(mat: Mat, count: int) -> MatCheck:
    """Whether enough markers are in view to find the camera."""
    wanted = len(mat.row)
    if count == wanted:
        return MatCheck("markers", Verdict.OK, _("I see all {n} markers of the mat.", n=wanted))
    verdict = Verdict.WARN if count > LEAST_MARKERS else Verdict.BAD
    words = _n(
        "I see only one of {wanted} markers. Keep them uncovered, with the whole mat in the picture.",
        "I see only {n} of {wanted} markers. Keep them uncovered, with the whole mat in the picture.",
        count,
        wanted=wanted,
    )
    return MatCheck("markers", verdict, words)


def check_block(middle_px: float) -> MatCheck:
    """Whether blocks are large enough."""
    words = _("A block's middle edge is {n} pixels wide.", n=round(middle_px))
    if middle_px >= MIDDLE_PX:
        return MatCheck("size", Verdict.OK, words)
    advice = _("Bring the camera closer. {n} pixels or more is good.", n=round(MIDDLE_PX))
    return MatCheck("size", Verdict.WARN if middle_px >= BLOCK_BAD_PX else Verdict.BAD, joined((words, advice), " "))


def check_aside(angle_deg: float) -> MatCheck:
    """Whether the camera looks straight ahead."""
    values = {"deg": round(angle_deg)}
    if angle_deg <= ASIDE_OK_DEG:
        return MatCheck(
            "tilt", Verdict.OK, _("The camera looks at the stacks almost straight on ({deg}° off).", **values)
        )
    verdict = Verdict.WARN if angle_deg <= ASIDE_BAD_DEG else Verdict.BAD
    words = _("The camera looks at the stacks from the side ({deg}°). Put it in front of their middle.", **values)
    return MatCheck("tilt", verdict, words)


def check_high(angle_deg: float) -> MatCheck:
    """Whether the camera is at the right height."""
    values = {"deg": round(angle_deg)}
    least, most = HIGH_OK_DEG
    if least <= angle_deg <= most:
        return MatCheck("height", Verdict.OK, _("The camera looks down at {deg}°. That's right.", **values))
    verdict = Verdict.WARN if HIGH_BAD_DEG[0] <= angle_deg <= HIGH_BAD_DEG[1] else Verdict.BAD
    if angle_deg < least:
        return MatCheck("height", verdict, _("The camera is too low, looking down only {deg}°. Raise it.", **values))
    return MatCheck("height", verdict, _("The camera looks down too steeply, at {deg}°. Put it lower.", **values))


def check_room(pose: Pose, mat: Mat, shape: tuple[int, int]) -> MatCheck:
    """Whether tall stacks fit into a picture of that (height, width) in px."""
    corners = [(x + side, y, TALLEST_MM) for x, y in middles_mm(mat) for side in (-WIDE_MM, WIDE_MM)]
    corners += [(x + side, y, 0.0) for x, y in middles_mm(mat) for side in (-WIDE_MM, WIDE_MM)]
    pixels = pose.project(np.array(corners))
    if (pixels >= 0).all() and (pixels < shape[::-1]).all():
        return MatCheck("room", Verdict.OK, _("Stacks of {cm} cm fit in the picture.", cm=f"{TALLEST_MM / 10:g}"))
    words = _(
        "Stacks of {cm} cm don't fit in the picture. Move the camera back, or tilt it up a little.",
        cm=f"{TALLEST_MM / 10:g}",
    )
    return MatCheck("room", Verdict.WARN, words)
