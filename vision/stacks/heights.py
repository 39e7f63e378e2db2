"""Weighs the heights of all stacks of a picture together by how far the pips of their top faces lie apart.

A top face one level higher is nearer to the camera by the same factor wherever it lies. So the spacings of the pips of
one set of dice differ by fixed steps, one a level. The spacing at the lowest level is unknown, but common to all dice:
what another cue says of their heights tells it, and it settles the heights that the other cue leaves open.

Dice of another colour may be of another make, pips of a six may lie farther apart than those of a four, and dice of one
set may not be alike. How well the spacings fit tells which of these is so. Messages are passed through the tree of
parts (belief propagation); each is a logarithm over a grid of spreads.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vision.stacks.pip_spacing import LEAST_SPREAD, LEVEL, MOST_SPREAD, Spacing

STEP = 0.001  # The grid of logarithms of spreads has this step.
GRID = np.arange(np.log(LEAST_SPREAD) - 0.05, np.log(MOST_SPREAD) + 0.05, STEP)
# Dice of a set that are not all alike deviate so; this share of the sets is such.
DICE_APART, UNLIKE_SHARE = 0.012, 0.5
STRAY_SHARE, STRAY_RANGE = 0.08, 0.5  # This share of spacings says nothing, and lies in this range.
LEAST_CHANCE = 1e-300

# Shares and standard deviations of logarithms; None: anything is as likely.
Apart = tuple[tuple[float, float | None], ...]
OF_WHOLE: Apart = ((1.0, 0.0),)
OF_COLOUR: Apart = ((0.5, 0.003), (0.5, None))  # Dice of another colour are of the same make, or of any other.
OF_VALUE: Apart = ((0.75, 0.0), (0.25, 0.025))  # Pips of a six may lie farther apart than those of a four.


@dataclass(eq=False)
class Part:
    """A part of the dice of a picture; its spread lies near that of the whole it belongs to.

    apart            how far its spread may lie from that of the whole
    parts            the parts of it, none for a die
    log_likelihood   (len(GRID),) for a die: how well each spread of its set fits it
    received         (len(GRID),) what all other parts say of its spread
    """

    apart: Apart
    parts: Sequence["Part"] = ()
    log_likelihood: np.ndarray = field(default_factory=lambda: np.zeros(len(GRID)))
    received: np.ndarray = field(default_factory=lambda: np.zeros(len(GRID)))

    def message(self) -> np.ndarray:
        """(len(GRID),) how well each spread of the whole fits all that is known of this part."""
        return blur_logarithms(self.own_evidence(), self.apart)

    def own_evidence(self) -> np.ndarray:
        """(len(GRID),) how well each spread of this part fits all that is known of it."""
        return self.log_likelihood + sum((part.message() for part in self.parts), np.zeros(len(GRID)))

    def receive(self, beside: np.ndarray) -> None:
        """Takes in how likely each spread of the whole is by all other parts, and passes it on to its own parts."""
        self.received = here = blur_logarithms(beside, self.apart)
        messages = [part.message() for part in self.parts]
        for number, part in enumerate(self.parts):
            part.receive(here + sum((line for i, line in enumerate(messages) if i != number), np.zeros(len(GRID))))


def weigh_heights(
    chances: np.ndarray,
    spacings: Sequence[Spacing | None],
    kinds: Sequence[tuple[str | None, int]],
    log_growths: np.ndarray,
) -> np.ndarray:
    """Probabilities (n, heights) of the heights of n stacks, weighed with the spacings of the pips of all top faces.

    kinds          colour and value of each top face
    log_growths    (heights,) logarithm of how much larger a face of each height looks than one LEVEL levels high
    """
    measured = [number for number, spacing in enumerate(spacings) if spacing is not None]
    if len(measured) < 2:
        return chances
    by_likeness, evidence = [], []
    for apart, share in ((0.0, 1 - UNLIKE_SHARE), (DICE_APART, UNLIKE_SHARE)):
        fits = np.stack([fit_of(spacing, log_growths, apart) for spacing in spacings if spacing is not None])
        dice = [Part(OF_WHOLE, log_likelihood=fit) for fit in np.log(np.einsum("nh,nhg->ng", chances[measured], fits))]
        table = table_of(dice, [kinds[number] for number in measured])
        evidence.append(log_sum_exp(table.own_evidence()) + np.log(share))
        table.receive(np.zeros(len(GRID)))
        beside = np.stack([normalise_exp(die.received) for die in dice])
        likely = chances.copy()
        likely[measured] *= np.einsum("ng,nhg->nh", beside, fits)
        by_likeness.append(likely / likely.sum(axis=1, keepdims=True))
    return np.asarray(np.tensordot(normalise_exp(np.array(evidence)), np.stack(by_likeness), axes=1))


def table_of(dice: list[Part], kinds: list[tuple[str | None, int]]) -> Part:
    """All dice of a picture as one part, grouped by their colours and values."""
    sets: dict[str | None, dict[int, list[Part]]] = {}
    for die, (colour, value) in zip(dice, kinds, strict=True):
        sets.setdefault(colour, {}).setdefault(value, []).append(die)
    colours = [Part(OF_COLOUR, [Part(OF_VALUE, alike) for alike in values.values()]) for values in sets.values()]
    return Part(OF_WHOLE, colours)


def fit_of(spacing: Spacing, log_growths: np.ndarray, apart: float) -> np.ndarray:
    """(heights, len(GRID)) density of a spacing for each height and each spread of the die's set."""
    doubt = float(np.hypot(spacing.doubt, apart))
    off = (np.log(spacing.spread) - log_growths[:, None] - GRID) / doubt
    near = np.exp(-0.5 * off**2) / (doubt * np.sqrt(2 * np.pi))
    return np.asarray((1 - STRAY_SHARE) * near + STRAY_SHARE / STRAY_RANGE)


def log_growths_of(eye_mm: float, side_mm: float, heights: Sequence[int]) -> np.ndarray:
    """(heights,) logarithm of how much larger a face of each height looks than one LEVEL levels high.

    It is the same in every place: along one line of sight everything grows with its nearness, and levels are parallel.
    """
    return np.log((eye_mm - LEVEL * side_mm) / (eye_mm - np.array(heights) * side_mm))


def blur_logarithms(line: np.ndarray, apart: Apart) -> np.ndarray:
    """Logarithms of probabilities, blurred by each share of `apart`."""
    most = line.max()
    likely = np.exp(line - most)
    total = sum((share * blur(likely, width) for share, width in apart), np.zeros(len(line)))
    return np.asarray(np.log(total + LEAST_CHANCE) + most)


def blur(likely: np.ndarray, apart: float | None) -> np.ndarray:
    """Probabilities blurred by a bell with that standard deviation; None spreads them evenly."""
    if apart is None:
        return np.full(len(likely), likely.mean())
    if apart == 0:
        return likely
    steps = np.arange(-round(3 * apart / STEP), round(3 * apart / STEP) + 1) * STEP / apart
    bell = np.exp(-0.5 * steps**2)
    return np.convolve(likely, bell / bell.sum(), "same")


def log_sum_exp(line: np.ndarray) -> float:
    """The logarithm of the sum of the exponentials."""
    most = line.max()
    return float(np.log(np.exp(line - most).sum()) + most)


def normalise_exp(line: np.ndarray) -> np.ndarray:
    """The exponentials, scaled to a sum of one."""
    shares = np.exp(line - line.max())
    return np.asarray(shares / shares.sum())
