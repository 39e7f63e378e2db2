"""Heights of all stacks of a picture at once: how far pips lie apart is one comb, and each level one of its teeth.

A top face one level higher is nearer to the camera by the same share wherever it lies, so the spacings of the pips of
one set of dice lie on a comb whose teeth are the levels. Where the comb lies is not known, only that all dice share it:
what another cue says of their heights moves it, and it settles the heights that the other cue leaves open.

Dice of another colour may be of another make, pips of a six may lie farther apart than those of a four, and dice of one
set may not be alike. How well the spacings fit says which of these is so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vision.stacks.pip_spacing import LEAST_SPREAD, LEVEL, MOST_SPREAD, Spacing

STEP = 0.001  # of the grid of logarithms of spreads
GRID = np.arange(np.log(LEAST_SPREAD) - 0.05, np.log(MOST_SPREAD) + 0.05, STEP)
DICE_APART, UNLIKE_SHARE = 0.012, 0.5  # between dice of a set that are not all alike, and how many sets are so
STRAY_SHARE, STRAY_RANGE = 0.08, 0.5  # of spacings that say nothing, and the range where they lie
TINY = 1e-300

# Shares, and standard deviations of logarithms; None: it may be anything.
Apart = tuple[tuple[float, float | None], ...]
OF_WHOLE: Apart = ((1.0, 0.0),)
OF_COLOUR: Apart = ((0.5, 0.003), (0.5, None))  # dice of another colour are of the same make, or of any other
OF_VALUE: Apart = ((0.75, 0.0), (0.25, 0.025))  # pips of a six may lie farther apart than those of a four


@dataclass(eq=False)
class Part:
    """A part of the dice of a picture, whose spread lies near that of what it is part of.

    apart   how far its spread may lie from that of the whole
    parts   what it consists of; none: it is a die
    line    (len(GRID),) of a die: logarithm of how well each spread of its set fits it
    heard   (len(GRID),) the same of all but itself, once it has heard it
    """

    apart: Apart
    parts: Sequence["Part"] = ()
    line: np.ndarray = field(default_factory=lambda: np.zeros(len(GRID)))
    heard: np.ndarray = field(default_factory=lambda: np.zeros(len(GRID)))

    def says(self) -> np.ndarray:
        """(len(GRID),) how well each spread of the whole fits all that is known of this part."""
        return spread_out(self.within(), self.apart)

    def within(self) -> np.ndarray:
        """The same, for its own spread."""
        return self.line + sum((part.says() for part in self.parts), np.zeros(len(GRID)))

    def hear(self, beside: np.ndarray) -> None:
        """Takes in how likely each spread of the whole is by all that is known of the others, and passes it on."""
        self.heard = here = spread_out(beside, self.apart)
        said = [part.says() for part in self.parts]
        for number, part in enumerate(self.parts):
            part.hear(here + sum((each for i, each in enumerate(said) if i != number), np.zeros(len(GRID))))


def heights_together(
    chances: np.ndarray, spacings: Sequence[Spacing | None], kinds: Sequence[tuple[str | None, int]], ups: np.ndarray
) -> np.ndarray:
    """Chances (n, heights) of n stacks, with what the spacings of the pips of all top faces say of each.

    kinds      colour and value of each top face
    ups        (heights,) how much larger a face of each height looks than one LEVEL levels high, as a logarithm
    """
    seen = [number for number, spacing in enumerate(spacings) if spacing is not None]
    if len(seen) < 2:
        return chances
    told, evidence = [], []
    for apart, share in ((0.0, 1 - UNLIKE_SHARE), (DICE_APART, UNLIKE_SHARE)):
        fits = np.stack([fit_of(spacing, ups, apart) for spacing in spacings if spacing is not None])
        dice = [Part(OF_WHOLE, line=line) for line in np.log(np.einsum("nh,nhg->ng", chances[seen], fits))]
        table = table_of(dice, [kinds[number] for number in seen])
        evidence.append(log_sum(table.within()) + np.log(share))
        table.hear(np.zeros(len(GRID)))
        beside = np.stack([normed(die.heard) for die in dice])
        likely = chances.copy()
        likely[seen] *= np.einsum("ng,nhg->nh", beside, fits)
        told.append(likely / likely.sum(axis=1, keepdims=True))
    return np.asarray(np.tensordot(normed(np.array(evidence)), np.stack(told), axes=1))


def table_of(dice: list[Part], kinds: list[tuple[str | None, int]]) -> Part:
    """All dice of a picture, by their colours and values."""
    sets: dict[str | None, dict[int, list[Part]]] = {}
    for die, (colour, value) in zip(dice, kinds, strict=True):
        sets.setdefault(colour, {}).setdefault(value, []).append(die)
    colours = [Part(OF_COLOUR, [Part(OF_VALUE, alike) for alike in values.values()]) for values in sets.values()]
    return Part(OF_WHOLE, colours)


def fit_of(spacing: Spacing, ups: np.ndarray, apart: float) -> np.ndarray:
    """(heights, len(GRID)) density of a spacing for each height and each spread of the die's set."""
    doubt = float(np.hypot(spacing.doubt, apart))
    off = (np.log(spacing.spread) - ups[:, None] - GRID) / doubt
    near = np.exp(-0.5 * off**2) / (doubt * np.sqrt(2 * np.pi))
    return np.asarray((1 - STRAY_SHARE) * near + STRAY_SHARE / STRAY_RANGE)


def ups_of(eye_mm: float, side_mm: float, heights: Sequence[int]) -> np.ndarray:
    """How much larger a face of each height looks than one LEVEL levels high, from a camera so high above the table.

    The same for every place: along one line of sight everything grows with its nearness, and levels are parallel.
    """
    return np.log((eye_mm - LEVEL * side_mm) / (eye_mm - np.array(heights) * side_mm))


def spread_out(line: np.ndarray, apart: Apart) -> np.ndarray:
    """A line of logarithms, blurred by so much."""
    most = line.max()
    likely = np.exp(line - most)
    total = sum((share * blurred(likely, each) for share, each in apart), np.zeros(len(line)))
    return np.asarray(np.log(total + TINY) + most)


def blurred(likely: np.ndarray, apart: float | None) -> np.ndarray:
    """With a bell of that standard deviation; None: all over."""
    if apart is None:
        return np.full(len(likely), likely.mean())
    if apart == 0:
        return likely
    steps = np.arange(-round(3 * apart / STEP), round(3 * apart / STEP) + 1) * STEP / apart
    bell = np.exp(-0.5 * steps**2)
    return np.convolve(likely, bell / bell.sum(), "same")


def log_sum(line: np.ndarray) -> float:
    """The logarithm of the sum of what these are logarithms of."""
    most = line.max()
    return float(np.log(np.exp(line - most).sum()) + most)


def normed(line: np.ndarray) -> np.ndarray:
    """What these are logarithms of, with a sum of one."""
    shares = np.exp(line - line.max())
    return np.asarray(shares / shares.sum())
