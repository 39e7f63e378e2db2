"""Settles the sizes of boxes with the help of their colours: boxes of a size have one colour, and no two sizes share
it.

Colours are known by name only, and the lamp is unknown. So the colour of a size is learned from the boxes that are seen
to have it; the usual look of its name counts little, and only where no such box is in view.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

SIZES = np.array([1, 2, 3, 4, 5])
SIZE_OF_KIND = np.array([1, 2, 3, 4, 5, 2, 3, 4, 5])  # They are the sizes of `load.KINDS`.
USUAL_RGB = {
    "white": (222, 218, 208), "grey": (105, 108, 115), "brown": (110, 62, 45), "turquoise": (25, 120, 125),
    "purple": (85, 45, 130), "yellow": (205, 175, 45), "natural": (205, 170, 125), "red": (170, 35, 40),
    "green": (45, 120, 60), "blue": (40, 80, 160), "orange": (215, 105, 35), "black": (40, 40, 43),
    "pink": (220, 130, 170),
}  # fmt: skip
FLOOR = 0.02  # Dark faces differ by noise, not by paint, so there is at least this light.
LIGHTNESS_WEIGHT = 0.45  # Lamps make faces brighter and darker, hardly ever another colour.
# The faces of one paint spread by the first, the look of a name under any lamp by the second.
ALIKE, USUAL = 0.16, 0.55
STRAY = 1e-3  # Nothing is impossible under a lamp, so no colour is less likely.
SHAPE_STRAY = 3e-3  # From straight above a box on its end looks like the smallest, so no size is less likely by shape.
ROUNDS = 6


@dataclass(frozen=True, eq=False)
class SettledSizes:
    """Probabilities (n, 5) of SIZES of the boxes beside the trucks; each loaded top's colour and its probability."""

    chances: np.ndarray
    loaded: tuple[tuple[str | None, float], ...]


def colour_features(rgb: np.ndarray) -> np.ndarray:
    """(n, 3) colours 0..255 → (n, 3): two hues and a little lightness, in logarithms of light."""
    light = np.log((np.clip(np.asarray(rgb, np.float64), 0, 255) / 255) ** 2.2 + FLOOR)
    red, green, blue = light.T
    return np.stack([red - green, blue - green, LIGHTNESS_WEIGHT * light.mean(axis=1)], axis=1)


def settle_sizes(
    beside_rgb: np.ndarray,
    kinds: np.ndarray,
    boxes: np.ndarray,
    loaded_rgb: np.ndarray,
    colour_by_length: Mapping[int, str],
) -> SettledSizes:
    """The sizes of n things by shape (n, 9) and colour (n, 3), and the colours of m loaded tops (m, 3).

    Colours are learned only from things that are surely `boxes` (n,).
    """
    shapes = np.stack([kinds[:, size == SIZE_OF_KIND].sum(axis=1) for size in SIZES], axis=1) + SHAPE_STRAY
    looks = colour_features(beside_rgb)
    usual = usual_looks(colour_by_length)
    chances = shapes / shapes.sum(axis=1, keepdims=True)
    for _ in range(ROUNDS if len(looks) else 0):
        likely = colour_chances(looks, chances, boxes, usual)
        chances = shapes * likely
        chances /= chances.sum(axis=1, keepdims=True)
    return SettledSizes(
        chances, name_loaded(colour_features(loaded_rgb), looks[boxes], chances[boxes], usual, colour_by_length)
    )


def usual_looks(colour_by_length: Mapping[int, str]) -> np.ndarray:
    """(5, 3) usual look of each size; NaN where its colour's name is unknown."""
    paints = [USUAL_RGB.get(colour_by_length.get(int(size), ""), (np.nan,) * 3) for size in SIZES]
    return colour_features(np.array(paints, np.float64))


def expected(weight: np.ndarray, total: np.ndarray, usual: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, 5, 3) looks of the sizes and (n, 5) their spreads: from boxes in view, else from the names.

    weight  (n, 5) number of boxes in view, each weighed by its probability to be of the size
    total   (n, 5, 3) sum of their looks, so weighed
    """
    means = total / np.maximum(weight, 1e-9)[..., None]
    unnamed = np.isnan(usual[:, 0])
    is_named = ((weight > 0.5) & ~unnamed)[..., None]
    cast = np.where(is_named, means - usual, 0.0).sum(axis=1, keepdims=True) / (is_named.sum(axis=1, keepdims=True) + 1)
    pull = weight[..., None] / (weight[..., None] + (ALIKE / USUAL) ** 2)
    mixed = np.where(unnamed[:, None], means, pull * means + (1 - pull) * (usual + cast))
    mixed[(weight < 0.05) & unnamed] = np.nan
    return mixed, np.sqrt(ALIKE**2 + 1 / (1 / USUAL**2 + weight / ALIKE**2))


def likelihood(looks: np.ndarray, middles: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """(n, 5) how well each look fits each size; a size of unknown look fits everything a little."""
    off = ((looks[:, None] - middles) ** 2).sum(axis=-1) / spread**2
    fit = np.exp(-0.5 * off) / spread**2 * ALIKE**2
    return np.where(np.isnan(fit), (ALIKE / USUAL) ** 2 * 0.3, fit) + STRAY


def colour_chances(looks: np.ndarray, chances: np.ndarray, boxes: np.ndarray, usual: np.ndarray) -> np.ndarray:
    """(n, 5): how well the colour of each thing fits each size, judged by all other `boxes` (n,)."""
    others = (boxes & ~np.eye(len(looks), dtype=bool)).astype(np.float64)
    total = others @ (chances[:, :, None] * looks[:, None]).reshape(len(looks), -1)
    return likelihood(looks, *expected(others @ chances, total.reshape(len(looks), -1, 3), usual))


def name_loaded(
    loaded: np.ndarray, looks: np.ndarray, chances: np.ndarray, usual: np.ndarray, names: Mapping[int, str]
) -> tuple[tuple[str | None, float], ...]:
    """The colour of each loaded top and its probability; colours are None where the scene names none."""
    if not names:
        return tuple((None, 1.0) for _ in loaded)
    fits = likelihood(loaded, *expected(chances.sum(axis=0)[None], (chances.T @ looks)[None], usual))
    fits[:, [int(size) not in names for size in SIZES]] = 0
    fits /= np.maximum(fits.sum(axis=1, keepdims=True), 1e-12)
    return tuple((names.get(int(SIZES[row.argmax()])), float(row.max())) for row in fits)
