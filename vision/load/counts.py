"""Counts the boxes of each size beside the trucks, by what each thing may be and, in a game, by what was rolled.

Without a roll each thing is judged by itself. With one, all are weighed together: every way to call each thing a box of
some size or none counts if it leaves no more boxes of a size over than were rolled. It counts more, the better the rest
of the roll fills the truck. It stays possible that the things are not of the roll at all, and that one box of each size
is hidden.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.load.colours import SIZES

BOX_CHANCE = 0.5  # A box has at least this probability.
HIDDEN = 0.01  # A box of a size is hidden with this probability; only a truck can tell of it.
NO_GAP = 0.8  # So large a share of loads has no gap below their tops.
DEEPER = 0.5  # A gap of one more unit is so many times as common.
# With a truck in view, and without, the boxes are not of the roll with these probabilities.
FOREIGN, FOREIGN_ALONE = 0.05, 0.005


@dataclass(frozen=True, eq=False)
class Roll:
    """The boxes that one player rolled, and how high that player's truck is loaded.

    boxes    (5,) how many of each of SIZES
    heights  (n,) probabilities that the tops on the player's truck are 0, 1, … n - 1 units high together, or None if
             the truck is not in view
    """

    boxes: np.ndarray
    heights: np.ndarray | None


@dataclass(frozen=True, eq=False)
class Count:
    """The boxes beside the trucks.

    sizes       (n,) size of each thing seen, 0 if it is no box
    outside     (5,) number of boxes of each of SIZES; more than are seen where the roll says so
    confidence  0..1, probability that all of `outside` is right
    """

    sizes: np.ndarray
    outside: np.ndarray
    confidence: float

    @property
    def hidden(self) -> int:
        """The number of boxes of `outside` that are not seen."""
        return int(self.outside.sum()) - int(np.count_nonzero(self.sizes))


def count_boxes(likely: np.ndarray, chances: np.ndarray, rolls: Sequence[Roll]) -> Count:
    """The likeliest count of n things, each a box with probability `likely` (n,) and of SIZES with `chances` (n, 5)."""
    if not rolls:
        return count_alone(likely, chances)
    with_truck = any(roll.heights is not None for roll in rolls)
    most = np.max([roll.boxes for roll in rolls], axis=0)
    ways = ways_to_count(likely, chances, most, HIDDEN if with_truck else 0.0)
    chances_of_counts = ways * np.mean([roll_likelihood(roll, ways.shape) for roll in rolls], axis=0)
    total = np.mean([roll.boxes @ SIZES for roll in rolls])
    foreign = (FOREIGN if with_truck else FOREIGN_ALONE) / (total + 1)
    if chances_of_counts.max() <= foreign:
        alone = count_alone(likely, chances)
        return Count(alone.sizes, alone.outside, min(alone.confidence, BOX_CHANCE))
    outside = np.array(np.unravel_index(chances_of_counts.argmax(), chances_of_counts.shape))
    confidence = float(chances_of_counts.max() / (chances_of_counts.sum() + foreign))
    return Count(likeliest_sizes(likely, chances, outside), outside, confidence)


def count_alone(likely: np.ndarray, chances: np.ndarray) -> Count:
    """The likeliest count with each thing judged by itself."""
    is_box = likely >= BOX_CHANCE
    sizes = np.where(is_box, SIZES[chances.argmax(axis=1)], 0)
    confidence = np.prod(np.maximum(likely, 1 - likely)) * np.prod(chances[is_box].max(axis=1))
    return Count(sizes, np.array([np.count_nonzero(sizes == size) for size in SIZES]), float(confidence))


def ways_to_count(likely: np.ndarray, chances: np.ndarray, most: np.ndarray, hidden: float) -> np.ndarray:
    """(most[0] + 1, … most[4] + 1) probability of each count of boxes, at most one of each size hidden."""
    ways = np.zeros(most + 1)
    ways[(0,) * len(SIZES)] = 1.0
    for box, of_size in [*zip(likely, chances, strict=True), *((hidden, alone) for alone in np.eye(len(SIZES)))]:
        more = ways * (1 - box)
        for k in np.flatnonzero(most).tolist():
            more[one_more(k)] += ways[one_less(k)] * box * of_size[k]
        ways = more
    return ways


def one_more(k: int) -> tuple[slice, ...]:
    """The index of the part of an array over counts with at least one box of the size numbered `k`."""
    return tuple(slice(1, None) if axis == k else slice(None) for axis in range(len(SIZES)))


def one_less(k: int) -> tuple[slice, ...]:
    """The index of the same counts as `one_more` with one box fewer of that size."""
    return tuple(slice(None, -1) if axis == k else slice(None) for axis in range(len(SIZES)))


def roll_likelihood(roll: Roll, shape: tuple[int, ...]) -> np.ndarray:
    """An array of `shape`: how likely each count of left-overs is with one player's roll and truck."""
    left = np.indices(shape)
    rest = np.tensordot(SIZES, roll.boxes.reshape(-1, *(1,) * len(SIZES)) - left, axes=1)
    allowed = (left <= roll.boxes.reshape(-1, *(1,) * len(SIZES))).all(axis=0)
    if roll.heights is None:
        return np.where(allowed, 1 / (roll.boxes @ SIZES + 1), 0.0)
    likely = np.zeros(shape)
    for high, probability in enumerate(roll.heights):
        gap = high - rest
        likely += probability * np.where(gap == 0, NO_GAP, (1 - NO_GAP) * DEEPER ** np.maximum(gap, 1)) * (gap >= 0)
    return np.where(allowed, likely, 0.0)


def likeliest_sizes(likely: np.ndarray, chances: np.ndarray, outside: np.ndarray) -> np.ndarray:
    """(n,) size of each thing, 0 for no box, in the likeliest way to reach a count of `outside`."""
    none, boxes = np.log1p(-np.minimum(likely, 1 - 1e-9)), np.log(likely[:, None] * chances + 1e-12)
    best = np.full(outside + 1, -np.inf)
    best[(0,) * len(SIZES)] = 0.0
    steps = []
    for alone, of_size in zip(none, boxes, strict=True):
        options = np.stack([best + alone, *(np.full(best.shape, -np.inf) for _size in SIZES)])
        for k in np.flatnonzero(outside).tolist():
            options[k + 1][one_more(k)] = best[one_less(k)] + of_size[k]
        steps.append(options.argmax(axis=0))
        best = options.max(axis=0)
    hidden = np.indices(best.shape).reshape(len(SIZES), -1).T
    unseen = (outside - hidden).sum(axis=1) * np.log(HIDDEN) + best.ravel()
    count = hidden[int(unseen.argmax())].copy()
    sizes = np.zeros(len(likely), int)
    for i in range(len(likely) - 1, -1, -1):
        sizes[i] = steps[i][tuple(count)]
        if sizes[i]:
            count[sizes[i] - 1] -= 1
    return sizes


def heights_together(levels: np.ndarray) -> np.ndarray:
    """Probabilities that squares with levels (n, 5) are 0, 1, 2, … units high in sum."""
    together = np.array([1.0])
    for of_square in levels:
        together = np.convolve(together, of_square)
    return together
