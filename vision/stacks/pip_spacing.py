"""Measures how far the pips of a top face lie apart, which tells how near the face is to the camera, and so how high.

A level makes a top face 1.4 to 3.4 % larger. The outline of a die with round edges is not seen as sharply as that, but
the middles of its pips are: the distance of two pips 20 pixels apart is exact to a third of a percent, and all dice of
a set have them at the same distance.
"""

from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np

from companion.game.readings import DieReading
from vision.dice.pips import CLOSE_PATTERNS, MIDDLE, PATTERNS
from vision.scene.pose import Pose

FACE_PX, PATCH_PX = 64, 92  # A top face has this side in its patch, which has the second.
BLUR_PX = 1.5
SPREADS = (0.42, 0.46, 0.5, 0.54, 0.58, 0.62)  # The outer pips lie so many half sides from the middle.
CLOSE_SPREADS = (0.28, 0.34, 0.4)  # A two along an edge lies so.
SHIFTS = (-0.16, -0.08, 0.0, 0.08, 0.16)  # The face may be shifted by so many half sides.
TURNS_DEG = (-8.0, 0.0, 8.0)  # Its turn may differ so from the reading.
PIP_REACH = 0.2  # So many half sides around the middle of a pip belong to it.
RIM = 0.03  # The surroundings of a pip lie so many half sides on either side of that reach.
STEPS = 6  # After so many rounds the middles of the pips no longer move.
LEAST_CONTRAST = 12.0  # The faintest pip has at least this, of 255.
LEAST_SPREAD, MOST_SPREAD = 0.38, 0.68  # They are in half sides.
MOST_STRAY = 0.03  # Pips farther from their pattern, as a share of the spread, were not seen well.
MOST_UNEVEN, UNEVEN_TWO = 0.2, 0.1  # Pips differ by no more; those of a two by less, as two pips fit any line.
DOUBT, DOUBT_OF_TWO = 0.0025, 0.004  # The logarithm of a spread is no surer than this.
OF_UNEVEN, OF_STRAY, OF_FAINT = 0.05, 0.5, 0.2  # Each adds so much to the doubt, the last divided by the contrast.
LEVEL = 2  # The face is measured as if its stack were that high.
LEAST_PX = 8.0  # A die is no smaller along its shorter way in the picture.


@dataclass(frozen=True)
class Spacing:
    """The distance between the pips of a face.

    spread  half sides of a die from the middle of the face to its outer pips, along an edge, as if two levels high
    doubt   standard deviation of the spread's logarithm
    """

    spread: float
    doubt: float


def grid_of(places: tuple[int, ...]) -> np.ndarray:
    """(n, 2) where the pips of a pattern lie, from -1 to 1."""
    return np.array([(place % 3 - 1, place // 3 - 1) for place in places], float)


def patch_indices(places: np.ndarray) -> np.ndarray:
    """Half sides (…, 2) → flat indices of the patch's pixels."""
    pixels = np.round(places * FACE_PX / 2 + PATCH_PX / 2 - 0.5).astype(int)
    return np.asarray(pixels[..., 1] * PATCH_PX + pixels[..., 0])


@dataclass(frozen=True, eq=False)
class PatternPlaces:
    """The places where the n pips of a pattern may lie.

    grid    (n, 2) from -1 to 1
    places  (m, n, 2) in half sides, for each spread, turn and shift
    pixels  (m, n) of the patch, as flat indices
    """

    grid: np.ndarray
    places: np.ndarray
    pixels: np.ndarray

    @classmethod
    def of(cls, grid: np.ndarray, spreads: tuple[float, ...]) -> "PatternPlaces":
        """The places for every spread, turn and shift."""
        places_in_all = []
        for spread, turn, x, y in product(spreads, np.radians(TURNS_DEG), SHIFTS, SHIFTS):
            axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
            places_in_all.append(spread * grid @ axes + [x, y])
        return cls(grid, np.array(places_in_all), patch_indices(np.array(places_in_all)))


USUAL = {
    value: [PatternPlaces.of(grid_of(places), SPREADS) for other, places in PATTERNS if other == value]
    for value in range(2, 7)
}
CLOSE = [PatternPlaces.of(grid_of(places), CLOSE_SPREADS) for _value, places in CLOSE_PATTERNS]
STEPS_PX = (np.arange(PATCH_PX) + 0.5 - PATCH_PX / 2) * 2 / FACE_PX  # They are in half sides.
HERE = np.stack(np.meshgrid(STEPS_PX, STEPS_PX), axis=-1)
REACH_PX = int((PIP_REACH + RIM) * FACE_PX / 2) + 1
WINDOW = (np.arange(-REACH_PX, REACH_PX + 1)[:, None] * PATCH_PX + np.arange(-REACH_PX, REACH_PX + 1)).ravel()
INSIDE = np.abs(HERE).max(axis=-1) < MIDDLE


def spacing_of(frame_bgr: np.ndarray, pose: Pose, side_mm: float, die: DieReading) -> Spacing | None:
    """The spacing on a die's top face, or None for a one and where pips are not seen well enough."""
    if die.value not in USUAL:
        return None
    patch_bgr = face_patch(frame_bgr, pose, side_mm, die)
    return None if patch_bgr is None else measure_spacing(pip_contrast(patch_bgr), die.value)


def face_patch(frame_bgr: np.ndarray, pose: Pose, side_mm: float, die: DieReading) -> np.ndarray | None:
    """(PATCH_PX, PATCH_PX, 3) the top face from straight above, as if LEVEL levels high; None if it is too small."""
    top = pose.on_plane(np.array([die.cx, die.cy]), LEVEL * side_mm)
    here, right, far = pose.project(top + np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]]) * side_mm / 2)
    axes = np.stack([right - here, far - here], axis=1)
    if not np.isfinite(axes).all() or 2 * np.linalg.norm(axes, -2) < LEAST_PX:
        return None
    angle = np.radians(die.angle_deg)
    across = np.linalg.solve(axes, [np.cos(angle), np.sin(angle)])
    across /= np.linalg.norm(across)
    down = np.array([across[1], -across[0]])  # The picture shows the world's y upwards.
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * PATCH_PX / FACE_PX
    world = top + np.hstack([corners @ np.stack([across, down]), np.zeros((4, 1))]) * side_mm / 2
    patch = np.array([[0, 0], [PATCH_PX, 0], [PATCH_PX, PATCH_PX], [0, PATCH_PX]], np.float32) - np.float32(0.5)
    matrix = cv2.getPerspectiveTransform(patch, pose.project(world).astype(np.float32))
    return cv2.warpPerspective(
        frame_bgr, matrix, (PATCH_PX, PATCH_PX), flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip


def pip_contrast(patch_bgr: np.ndarray) -> np.ndarray:
    """(PATCH_PX, PATCH_PX) how much each pixel differs from the body, in the colour that differs most."""
    body = np.median(patch_bgr[INSIDE], axis=0)
    different = patch_bgr.astype(np.float32) - np.float32(body)
    inside = different[INSIDE]
    colour = np.linalg.eigh(inside.T @ inside)[1][:, -1]
    return cv2.GaussianBlur(different @ colour, (0, 0), BLUR_PX)


def measure_spacing(apart: np.ndarray, value: int) -> Spacing | None:
    """The spacing of the pips of a face with that value, or None where they are not seen well.

    contrast    (PATCH_PX, PATCH_PX), see `pip_contrast`
    """
    here = np.stack([apart.ravel(), -apart.ravel()])  # Pips are brighter or darker.
    contrast, sign, places, grid = max((best_places(here, start) for start in USUAL[value]), key=lambda best: best[0])
    close = max(best_places(here, start)[0] for start in CLOSE) if value == 2 else 0.0
    if contrast < LEAST_CONTRAST or close > contrast:
        return None
    for _ in range(STEPS):
        places, weights = middles_near(here[sign], places)
    spread, stray = fit_grid(grid, places)
    uneven = float(np.log(weights + 1).std())
    most_uneven, least = (UNEVEN_TWO, DOUBT_OF_TWO) if value == 2 else (MOST_UNEVEN, DOUBT)
    if not LEAST_SPREAD < spread < MOST_SPREAD or stray > MOST_STRAY * spread or uneven > most_uneven:
        return None
    doubts = (least, OF_UNEVEN * uneven, OF_STRAY * stray / spread, OF_FAINT / contrast)
    return Spacing(spread, float(np.linalg.norm(doubts)))


def best_places(here: np.ndarray, start: PatternPlaces) -> tuple[float, int, np.ndarray, np.ndarray]:
    """Contrast of the faintest pip, index of its sign, places (n, 2) and grid (n, 2), where pips show best."""
    faintest = here[:, start.pixels].min(axis=2)
    sign, best = np.unravel_index(int(faintest.argmax()), faintest.shape)
    return float(faintest[sign, best]), int(sign), start.places[best], start.grid


def middles_near(apart: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, 2) middles of the pips near the places, and (n,) their contrast against their surroundings in all."""
    around = np.clip(patch_indices(places)[:, None] + WINDOW, 0, PATCH_PX**2 - 1)
    steps = HERE.reshape(-1, 2)[around] - places[:, None]
    far = np.linalg.norm(steps, axis=-1)
    here = apart[around]
    rims = [np.median(line[rim]) for line, rim in zip(here, np.abs(far - PIP_REACH) < RIM, strict=True)]
    weight = np.where(far < PIP_REACH, np.clip(here - np.array(rims)[:, None], 0, None), 0)
    weights = weight.sum(axis=1)
    return places + (weight[..., None] * steps).sum(axis=1) / (weights[:, None] + 1e-6), weights


def fit_grid(grid: np.ndarray, places: np.ndarray) -> tuple[float, float]:
    """The stretch that lays the grid on the places, turned and shifted freely, and the deviation that remains."""
    model, pips = ((points - points.mean(axis=0)) @ [1, 1j] for points in (grid, places))
    stretch = np.vdot(model, pips) / np.vdot(model, model)
    return float(abs(stretch)), float(np.abs(pips - stretch * model).std())
