"""Weighs each space of a board against the others: does it look as the empty ones here, or as the pieces here?

The network sees one space at a time. But an empty space looks as its empty neighbours do, in whatever light, and a
piece as other pieces. That tells a black disc that shines from an empty space, and one stone among many from the wood.
"""

from typing import NamedTuple

import numpy as np

from vision.board.tops import THICK_SHARE
from vision.colour.paints import linear
from vision.scene.pose import Pose
from vision.scene.scene import Piece

NEAR = 2.0  # Fewer spaces around one follow the light, more are steadier: they tell how it would look empty.
# Spaces far off say so much of which look is the usual one, and so much of how it looks here.
FAR_SAY, LEAST_SAY = 0.2, 0.003
LOOSE = 2.0  # Spaces of one look may differ by so many spreads.
SURE_EMPTY, SURE_TAKEN = 0.6, 0.75  # Others are compared with spaces that are empty, or taken, at least so probably.
LEAST_EMPTY = 4  # Fewer of one kind of square say nothing.
LEVELS, SHARE = 5.0, 0.06  # One look spreads by at least so many levels and that share of the level.
LEAST_LIT, FITS = 20, 6  # Seven unknowns take so many empty spaces, and so many rounds.
LIT_ALIKE = 0.03  # A space whose level differs by a larger share counts less.
# The first is added to levels before logarithms; the light's own logarithm is no larger than the second.
DARKEST, MOST_LIT = 10.0, 0.7
SHADES = (0.85, 0.7, 0.55, 0.45)  # An empty space may lie in a shadow, at these shares of its level.
GLARES = (0.04, 0.1, 0.2, 0.35, 0.6)  # A lamp may be mirrored in it, at these shares of the brightest light.
SHADED, GLARED = 1.5, 3.0  # Shade and glare cost this, as logarithms.
# An unknown look is sooner a piece than an empty space, by these least logarithms.
NEITHER_EMPTY, NEITHER_PIECE = 6.0, 3.0
MOST = 5.0  # The looks never weigh more than this, as a logarithm, against the network.
ROUNDS = 4
CORE = 0.55  # Only this share of a piece's radius is looked at: rims shine, and shadows reach the edge.


class Looks(NamedTuple):
    """Colours seen at n spaces.

    feet_rgb    (n, 3) in the middle of each space
    tops_rgb    (n, 3) in the middle of the top if a pile is there
    lamp        (3,) the lamp's colour, 1 for what is brightest
    """

    feet_rgb: np.ndarray
    tops_rgb: np.ndarray
    lamp: np.ndarray


def looks_empty(looks: Looks, empty: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """(n,) logarithm of how much sooner the looks make each space empty than taken.

    empty   (n,) probabilities by the network
    hidden  (n,) where the look says nothing, see `hiding_piles`
    """
    gain = np.zeros(len(empty))
    for _round in range(ROUNDS):
        odds = np.log(empty + 1e-9) - np.log(1 - empty + 1e-9) + gain
        sure = 1 / (1 + np.exp(-odds))
        as_empty = np.maximum(empty_costs(looks, sure), -NEITHER_EMPTY)
        as_piece = np.maximum(piece_costs(looks.tops_rgb, sure), -NEITHER_PIECE)
        gain = np.where(hidden | np.isnan(as_empty), 0.0, np.clip(as_empty - as_piece, -MOST, MOST))
    return gain


def empty_costs(looks: Looks, empty: np.ndarray) -> np.ndarray:
    """(n,) log likelihood of each foot as that of an empty space, by the empty ones near it; NaN if those are few."""
    n = round(len(empty) ** 0.5)
    feet_rgb = looks.feet_rgb
    rows, columns = np.divmod(np.arange(n * n), n)
    odd = (rows + columns) % 2
    expected = np.full(feet_rgb.shape, np.nan)
    light = light_here(feet_rgb, empty)
    for kind in (0, 1):
        empties = np.flatnonzero((odd == kind) & (empty > SURE_EMPTY))
        if len(empties) > LEAST_EMPTY:
            mine = np.flatnonzero(odd == kind)
            apart = np.hypot(*(np.subtract.outer(lines[mine], lines[empties]) for lines in (rows, columns)))
            expected[mine] = usual_looks(feet_rgb[empties] / light[empties], empty[empties], apart) * light[mine]
    off = np.abs(feet_rgb - expected)
    usual = np.zeros((2, 3))
    for kind in np.unique(odd[~np.isnan(expected[:, 0])]):
        usual[kind] = np.median(off[(odd == kind) & (empty > SURE_EMPTY)], axis=0)
    spread = np.maximum(LEVELS + SHARE * expected, 1.5 * usual[odd])
    shaded = [shade * expected for shade in SHADES]
    glared = [255 * np.minimum(linear(expected) + glare * looks.lamp, 1) ** (1 / 2.2) for glare in GLARES]
    prices = np.array([0.0, *[SHADED] * len(SHADES), *[GLARED] * len(GLARES)])
    options = np.stack([expected, *shaded, *glared])
    costs = -0.5 * (((feet_rgb - options) / spread) ** 2).sum(axis=2) - prices[:, None]
    return np.asarray(costs.max(axis=0))


def light_here(feet_rgb: np.ndarray, empty: np.ndarray) -> np.ndarray:
    """(n, 3) how much brighter each space would be than one in the middle, as lamps and lenses darken a board evenly.

    It is fitted to the spaces that seem empty, so that few odd ones do not matter; with few empty ones it is 1.
    """
    n = round(len(empty) ** 0.5)
    rows, columns = (line / n - (n - 1) / (2 * n) for line in np.divmod(np.arange(n * n), n))
    odd = np.arange(n * n) // n + np.arange(n * n) % n
    sides = np.stack([np.ones(n * n), odd % 2 - 0.5, rows, columns, rows**2, columns**2, rows * columns], axis=1)
    empties = empty > SURE_EMPTY
    if empties.sum() < LEAST_LIT:
        return np.ones(feet_rgb.shape)
    levels = np.log(feet_rgb + DARKEST)
    light = np.zeros(feet_rgb.shape)
    for colour in range(3):
        weights = empty[empties]
        for _round in range(FITS):
            fit = np.linalg.lstsq(sides[empties] * weights[:, None], levels[empties, colour] * weights, rcond=None)[0]
            off = np.abs(levels[empties, colour] - sides[empties] @ fit)
            weights = empty[empties] / np.sqrt(np.maximum(off, LIT_ALIKE))
        light[:, colour] = sides[:, 2:] @ fit[2:]
    return np.asarray(np.exp(np.clip(light, -MOST_LIT, MOST_LIT)))


def usual_looks(feet_rgb: np.ndarray, empty: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """(m, 3) the look that most of the empty spaces share, as it is near each of m spaces.

    It is no median: where many pieces are taken for empty, that would lie between.

    feet_rgb  (k, 3) of the spaces that seem empty
    empty     (k,) how probably they are
    apart     (m, k) from each space to these, in spaces; 0 for itself, which has no say
    """
    off = ((feet_rgb[:, None] - feet_rgb) / (LEVELS + SHARE * feet_rgb)) ** 2
    alike = np.exp(-0.5 * off.sum(axis=2) / LOOSE**2)
    near = np.where(apart > 0, np.exp(-0.5 * (apart / NEAR) ** 2), 0)
    shared = (FAR_SAY * (apart > 0) + near) * empty @ alike
    weights = (near + LEAST_SAY) * (apart > 0) * empty * alike[shared.argmax(axis=1)]
    return np.asarray(weights @ feet_rgb / weights.sum(axis=1, keepdims=True))


def piece_costs(tops_rgb: np.ndarray, empty: np.ndarray) -> np.ndarray:
    """(n,) log likelihood of each top as that of a piece, by the most alike sure ones."""
    sure = np.flatnonzero(1 - empty > SURE_TAKEN)
    costs = np.full(len(empty), -np.inf)
    if not len(sure):
        return costs
    spread = LEVELS + SHARE * tops_rgb[sure]
    apart = (((tops_rgb[:, None] - tops_rgb[sure]) / spread) ** 2).sum(axis=2)
    apart[sure, np.arange(len(sure))] = np.inf  # Nothing is like itself.
    return np.asarray(-0.5 * apart.min(axis=1))


def hiding_piles(pose: Pose, piece: Piece, middles_mm: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """(n, n) whether the middle of each space may be hidden by the pile on another: a tall one leans over those behind.

    heights  (n, 7) probabilities of the heights 0 to 6; pieces may be as thick as THICK_SHARE
    """
    high = np.where(heights[:, 0] < 0.5, 1 + heights[:, 1:].argmax(axis=1), 0)
    thick_mm = max(piece.thickness_mm, THICK_SHARE * piece.diameter_mm)
    eye = pose.eye_mm
    high_mm = (high * thick_mm)[:, None]
    along = (middles_mm - eye)[:, :2] * high_mm / (eye[2] - middles_mm[:, 2:] - high_mm)  # Each pile hides this.
    to_foot = (middles_mm[:, None] - middles_mm[None])[..., :2]  # It leads from each pile to each space.
    share = np.clip((to_foot * along).sum(axis=2) / np.maximum((along**2).sum(axis=1), 1e-9), 0, 1)
    off = np.linalg.norm(to_foot - share[..., None] * along, axis=2)
    covers = (off < (1 + CORE) * piece.diameter_mm / 2) & (high > 0)
    np.fill_diagonal(covers, False)
    return np.asarray(covers)
