"""How many boxes of each size lie beside the trucks: by what each thing may be and, in a game, by what was rolled.

Without a roll each thing is judged by itself. With one all are weighed together: of all ways to say of each thing
whether it is a box and of which size, those count that leave no more of a size over than were rolled, the more the
better the rest of the roll fills what lies on the truck. That what is seen is no part of the roll at all stays
possible, and so does a box of each size that nobody sees.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.load.colours import SIZES

FOUND = 0.5  # least probability of a box
HIDDEN = 0.01  # probability of a box of a size that is not seen at all; only a truck can tell of it
NO_GAP = 0.8  # of the loads have no gap below their tops
DEEPER = 0.5  # times as many have a gap of two units as of one, of three as of two, and so on
STRANGE, STRANGE_ALONE = 0.05, 0.005  # probability that it is no part of the roll, beside a truck and without one


@dataclass(frozen=True, eq=False)
class Roll:
    """The boxes that one player rolled and where they may lie.

    boxes    (5,) how many of each of SIZES
    heights  (n,) probabilities that the tops on the player's truck are 0, 1, … n - 1 units high together, None where
             the truck is not in view
    """

    boxes: np.ndarray
    heights: np.ndarray | None


@dataclass(frozen=True, eq=False)
class Counted:
    """The boxes beside the trucks.

    sizes       (n,) of each thing that was seen, 0 where it is no box
    outside     (5,) how many boxes of each of SIZES there are; more than are seen where the roll says so
    confidence  0..1, that all of `outside` is right
    """

    sizes: np.ndarray
    outside: np.ndarray
    confidence: float

    @property
    def hidden(self) -> int:
        """How many boxes of `outside` are not seen."""
        return int(self.outside.sum()) - int(np.count_nonzero(self.sizes))


def counted(likely: np.ndarray, chances: np.ndarray, rolls: Sequence[Roll]) -> Counted:
    """The likeliest of all counts of n things, each a box with some probability (n,) and then of size SIZES (n, 5)."""
    if not rolls:
        return counted_alone(likely, chances)
    with_truck = any(roll.heights is not None for roll in rolls)
    most = np.max([roll.boxes for roll in rolls], axis=0)
    ways = ways_to_count(likely, chances, most, HIDDEN if with_truck else 0.0)
    weighed = ways * np.mean([fits(roll, ways.shape) for roll in rolls], axis=0)
    total = np.mean([roll.boxes @ SIZES for roll in rolls])
    strange = (STRANGE if with_truck else STRANGE_ALONE) / (total + 1)
    if weighed.max() <= strange:
        alone = counted_alone(likely, chances)
        return Counted(alone.sizes, alone.outside, min(alone.confidence, FOUND))
    outside = np.array(np.unravel_index(weighed.argmax(), weighed.shape))
    confidence = float(weighed.max() / (weighed.sum() + strange))
    return Counted(likeliest_sizes(likely, chances, outside), outside, confidence)


def counted_alone(likely: np.ndarray, chances: np.ndarray) -> Counted:
    """The likeliest of each by itself."""
    found = likely >= FOUND
    sizes = np.where(found, SIZES[chances.argmax(axis=1)], 0)
    confidence = np.prod(np.maximum(likely, 1 - likely)) * np.prod(chances[found].max(axis=1))
    return Counted(sizes, np.array([np.count_nonzero(sizes == size) for size in SIZES]), float(confidence))


def ways_to_count(likely: np.ndarray, chances: np.ndarray, most: np.ndarray, hidden: float) -> np.ndarray:
    """Probability of each count of boxes, (most[0] + 1, … most[4] + 1), with a hidden one of each size at most."""
    ways = np.zeros(most + 1)
    ways[(0,) * len(SIZES)] = 1.0
    for box, of_size in [*zip(likely, chances, strict=True), *((hidden, alone) for alone in np.eye(len(SIZES)))]:
        more = ways * (1 - box)
        for k in np.flatnonzero(most).tolist():
            more[one_more(k)] += ways[one_less(k)] * box * of_size[k]
        ways = more
    return ways


def one_more(k: int) -> tuple[slice, ...]:
    """Of an array over counts, the part with at least one box of the size numbered `k`."""
    return tuple(slice(1, None) if axis == k else slice(None) for axis in range(len(SIZES)))


def one_less(k: int) -> tuple[slice, ...]:
    """The same counts as `one_more` with one box less of that size."""
    return tuple(slice(None, -1) if axis == k else slice(None) for axis in range(len(SIZES)))


def fits(roll: Roll, shape: tuple[int, ...]) -> np.ndarray:
    """How likely each count of left-overs is with one player's roll and truck, array of `shape`."""
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
    """(n,) size of each thing, 0 for no box, of the likeliest way to come to a count of `outside`."""
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
    """Probabilities that squares with levels (n, 5) are 0, 1, 2, … units high together."""
    together = np.array([1.0])
    for of_square in levels:
        together = np.convolve(together, of_square)
    return together
