"""Checks whether a picture of the mat is good enough to play by. Each check is a figure, a verdict and a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from companion.equipment.mat import Mat
from companion.game.readings.mat import MatCheck, Verdict
from companion.words import _, _n, joined, number
from vision.scene.pose import Pose

MODULES = 6  # Along a side of a marker the outermost are black, and the paper around it is white.
PROFILES = 9  # So many go across each edge, averaged against noise.
STEP_PX = 0.25
BLUR_OK, BLUR_BAD = 0.12, 0.2  # From black to white, over a die's width: with more, pips run into each other.
# docs/vision.md asks for the second as the least width of a die, and advises the first.
DIE_OK_PX, DIE_BAD_PX = 40.0, 20.0
WHITE_DARK, WHITE_BRIGHT = 90.0, 250.0  # Paper has levels between these.
LEAST_CONTRAST = 50.0  # Paper and ink differ by more levels.
EVEN_OK = 0.5  # The darkest paper has at least this share of the brightness of the brightest.
CLIPPED = 250  # A sensor clips at this level.
GLARE_OK, GLARE_BAD = 0.003, 0.3  # They are shares of the mat.
TILT_OK_DEG, TILT_BAD_DEG = 30.0, 50.0
OFF_OK_MM, OFF_BAD_MM = 0.8, 2.0


@dataclass(frozen=True)
class Edges:
    """The measured edges of one marker.

    blur_px         width from 10 % to 90 % of the way from black to white
    black, white    levels 0..255 of ink and paper
    """

    blur_px: float
    black: float
    white: float


def edges_of(grey: np.ndarray, corners_px: np.ndarray) -> Edges | None:
    """The edges of one marker together, or None if the picture cuts them off."""
    middle = corners_px.mean(axis=0)
    widths, blacks, whites = [], [], []
    for start, end in zip(corners_px, np.roll(corners_px, -1, axis=0), strict=True):
        outwards = (start + end) / 2 - middle
        half = float(np.linalg.norm(outwards))
        outwards /= half
        reach = 0.8 * 2 * half / MODULES  # At a slant a marker is less deep than wide.
        along = start + np.linspace(0.3, 0.7, PROFILES)[:, None] * (end - start)
        across = np.arange(-reach, reach + STEP_PX, STEP_PX)
        points = (along[:, None] + across[None, :, None] * outwards).astype(np.float32)
        low, high = points.reshape(-1, 2).min(axis=0), points.reshape(-1, 2).max(axis=0)
        if min(low) < 0 or high[0] > grey.shape[1] - 1 or high[1] > grey.shape[0] - 1:
            continue
        profile = cv2.remap(grey, points[..., 0], points[..., 1], cv2.INTER_LINEAR).astype(float).mean(axis=0)
        plateau = max(1, len(profile) // 8)
        black, white = profile[:plateau].mean(), profile[-plateau:].mean()
        blacks.append(black)
        whites.append(white)
        if white - black > 10:
            rise = np.maximum.accumulate((profile - black) / (white - black))
            widths.append(STEP_PX * float(np.searchsorted(rise, 0.9) - np.searchsorted(rise, 0.1)))
    if not widths:
        return None
    return Edges(float(np.median(widths)), float(np.mean(blacks)), float(np.mean(whites)))


def die_px(pose: Pose, die_mm: float) -> float:
    """Width in px of a die in the middle of the mat."""
    x, y, origin = pose.project(np.array([[die_mm, 0.0, 0.0], [0.0, die_mm, 0.0], [0.0, 0.0, 0.0]]))
    return float(np.sqrt(abs(np.linalg.det(np.array([x - origin, y - origin])))))


def tilt_deg(pose: Pose) -> float:
    """The angle between the camera's axis and the upright."""
    return float(np.degrees(np.arccos(np.clip(-pose.rotation[2, 2], -1, 1))))


def off_mm(pose: Pose, mat: Mat, corners_px: Mapping[int, np.ndarray]) -> float:
    """Root mean square distance in mm of the corners in the picture from where they are printed."""
    off = [
        np.linalg.norm(pose.on_plane(pixel, 0.0)[:2] - np.array(corner[:2]))
        for fiducial in mat.fiducials
        if fiducial.id in corners_px
        for pixel, corner in zip(corners_px[fiducial.id], fiducial.place.corners_mm, strict=True)
    ]
    return float(np.sqrt(np.mean(np.square(off))))


def check_markers(mat: Mat, count: int) -> MatCheck:
    """Whether all markers are in view."""
    wanted = len(mat.fiducials)
    if count == wanted:
        return MatCheck("markers", Verdict.OK, _("I see all {n} markers of the mat.", n=wanted))
    verdict = Verdict.WARN if count >= wanted - 2 else Verdict.BAD
    words = _n(
        "I see only one of {wanted} markers. Take hands and things off the side strips, or hang the camera higher.",
        "I see only {n} of {wanted} markers. Take hands and things off the side strips, or hang the camera higher.",
        count,
        wanted=wanted,
    )
    return MatCheck("markers", verdict, words)


def check_fit(distance_mm: float) -> MatCheck:
    """Whether the markers lie where they are printed."""
    values = {"mm": number(distance_mm, 1)}
    if distance_mm <= OFF_OK_MM:
        return MatCheck("fit", Verdict.OK, _("The markers are in the right place, to within {mm} mm.", **values))
    verdict = Verdict.WARN if distance_mm <= OFF_BAD_MM else Verdict.BAD
    words = _(
        "The markers are off by {mm} mm. Put the mat flat, and check that you chose the right kind of camera.", **values
    )
    return MatCheck("fit", verdict, words)


def check_focus(edges: list[Edges], width_px: float) -> MatCheck:
    """Whether edges are sharp enough for the pips of a die `width_px` wide."""
    blur_px = float(np.median([marker.blur_px for marker in edges])) if edges else width_px
    if blur_px <= BLUR_OK * width_px:
        return MatCheck("focus", Verdict.OK, _("The picture is sharp."))
    if blur_px <= BLUR_BAD * width_px:
        return MatCheck(
            "focus", Verdict.WARN, _("The picture is a little blurry. Turn the lens until the edges are sharp.")
        )
    return MatCheck(
        "focus", Verdict.BAD, _("The picture is blurry. Turn the lens, clean it, and keep the camera still.")
    )


def check_light(edges: list[Edges]) -> MatCheck:
    """Whether paper is white, ink is black, and the mat is evenly bright."""
    whites = [marker.white for marker in edges]
    contrast = float(np.median([marker.white - marker.black for marker in edges]))
    if np.median(whites) >= WHITE_BRIGHT:
        return MatCheck("light", Verdict.WARN, _("The paper is too bright to see anything on it. Turn the lamp away."))
    if np.median(whites) < WHITE_DARK or contrast < LEAST_CONTRAST:
        return MatCheck("light", Verdict.BAD, _("It's too dark. Turn on a lamp."))
    if min(whites) < EVEN_OK * max(whites):
        return MatCheck(
            "light",
            Verdict.WARN,
            _("One side of the mat is much darker. Put a lamp there, or move what makes the shadow."),
        )
    return MatCheck("light", Verdict.OK, _("The light is good."))


def check_glare(frame_bgr: np.ndarray, mat: Mat, pose: Pose) -> MatCheck:
    """Whether the mat is free of bright spots. Paper that is too bright everywhere is left to `check_light`."""
    outline = np.rint(pose.project(np.array(mat.outline.corners_mm))).astype(np.int32)
    inside = np.zeros(frame_bgr.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, outline, 255)
    clipped = cv2.inRange(frame_bgr, (CLIPPED,) * 3, (255,) * 3)
    share = cv2.mean(clipped, inside)[0] / 255
    if share <= GLARE_OK:
        return MatCheck("glare", Verdict.OK, _("There are no bright spots on the mat."))
    verdict = Verdict.WARN if share <= GLARE_BAD else Verdict.BAD
    return MatCheck("glare", verdict, _("The mat reflects a lamp or window. Move the lamp or the mat."))


def check_size(width_px: float, picture_px: tuple[int, int]) -> MatCheck:
    """Whether dice are large enough in a picture of this width and height."""
    width, height = picture_px
    words = _(
        "The picture has {width} × {height} pixels, and a die is {n} of them wide.",
        width=width,
        height=height,
        n=round(width_px),
    )
    if width_px >= DIE_OK_PX:
        return MatCheck("size", Verdict.OK, words)
    advice = _("Hang the camera lower. 40 pixels or more is good.")
    return MatCheck("size", Verdict.WARN if width_px >= DIE_BAD_PX else Verdict.BAD, joined((words, advice), " "))


def check_tilt(angle_deg: float) -> MatCheck:
    """Whether the camera looks down on the mat."""
    values = {"deg": round(angle_deg)}
    if angle_deg <= TILT_OK_DEG:
        return MatCheck("tilt", Verdict.OK, _("The camera looks almost straight down ({deg}° off).", **values))
    verdict = Verdict.WARN if angle_deg <= TILT_BAD_DEG else Verdict.BAD
    return MatCheck("tilt", verdict, _("The camera is tilted by {deg}°. Hang it right above the mat.", **values))
