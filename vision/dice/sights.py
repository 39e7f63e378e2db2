"""Facts about each place where a die may lie, and facts that the dice of one frame tell about each other."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import hypot

import numpy as np

from vision.dice.faces import NO_DIE, UNREADABLE
from vision.dice.finder import Candidate, same_die

MERGED = 1.22  # times the usual side: as large may be two dice that touch
FAINT_HEAT, SURE_OF_FAINT = 0.38, 0.95  # found so faintly, a die must be read as one so surely, and is asked
SURELY_NONE = 0.97  # what the first look calls no die so surely is not looked at again
SURE_HEAT = 0.6  # so hot that it is asked about unless it is SURELY_NONE
SURE_OF_DIE = 0.7  # what the face reader takes less surely for a die, and the finder not surely, gets no value
HARDLY = 0.1  # a face that is less likely than that to be unreadable has the value that networks and pips agree on
FACES_APART = 0.6  # sides: top faces that lie closer are one; of the dice of all photographs none are closer than 0.74
SIZE_RANGE = 2.2  # dice of one table are at most this many times larger than their median, as seen
SURE_THOUGH_ODD = 0.98  # least confidence of a value that is named for a die of another size


@dataclass(frozen=True)
class Sight:
    """A candidate with everything known about it.

    chances   (8,) calibrated probabilities of no die, 1..6, unreadable
    agreed    the looks name the same value
    pips      value that the pips of the upright face spell, None where no pattern stands out
    upright   (PIP_CROP_PX, PIP_CROP_PX, 3) the top face turned upright, None where no die is seen
    """

    candidate: Candidate
    face: tuple[float, float, float, float]
    chances: np.ndarray
    agreed: bool
    pips: int | None
    upright: np.ndarray | None = field(default=None, compare=False)
    odd_size: bool = False

    @cached_property
    def value(self) -> int:
        return int(self.chances[1:7].argmax()) + 1

    @cached_property
    def confidence(self) -> float:
        """The probability of the value."""
        return float(self.chances[1:7].max())

    @cached_property
    def some_value(self) -> float:
        """The probability that it is a die whose value can be read."""
        return float(self.chances[1:7].sum())

    @cached_property
    def is_die(self) -> bool:
        """Both networks have a say: a faint find must be read surely, a hot one surely rejected."""
        word = 1 - float(self.chances[NO_DIE])
        if self.candidate.heat < FAINT_HEAT:
            return word > SURE_OF_FAINT
        return word > (1 - SURELY_NONE if self.candidate.heat > SURE_HEAT else 0.5)

    @property
    def is_sure_die(self) -> bool:
        return self.is_die and self.confidence > 0.9

    @cached_property
    def readable(self) -> bool:
        """Whether a value is named; one that networks and pips agree on is, though the networks doubt the die."""
        surely_one = self.candidate.heat > SURE_HEAT or 1 - float(self.chances[NO_DIE]) > SURE_OF_DIE
        agreed = self.pips == self.value and float(self.chances[UNREADABLE]) < HARDLY
        return self.upright is not None and surely_one and (self.some_value > 0.5 or agreed)


def may_hide_dice(sight: Sight, usual: float) -> bool:
    """Whether a closer look is due: one thing as large as two dice, or a faint one that reads like a die."""
    if sight.is_sure_die or sight.candidate.side < usual / 2:
        return False
    merged = sight.is_die and sight.candidate.side > MERGED * usual
    return merged or (not sight.is_die and sight.some_value > 0.5)


def parted(sights: list[Sight], doubt: Sight, closer: list[Sight]) -> list[Sight]:
    """The sights with what a closer look at a doubtful one shows in its place, if it shows dice."""
    reach = 0.5 * doubt.candidate.side
    dice = [
        sight
        for sight in closer
        if sight.is_die
        and sight.confidence > 0.5
        and hypot(sight.candidate.cx - doubt.candidate.cx, sight.candidate.cy - doubt.candidate.cy) < 2 * reach
    ]
    if not any(
        hypot(die.candidate.cx - doubt.candidate.cx, die.candidate.cy - doubt.candidate.cy) < reach for die in dice
    ):
        return sights
    others = [sight for sight in sights if sight is not doubt]
    fresh = [
        die for die in dice if not any(same_die(die.candidate, other.candidate) and other.is_die for other in others)
    ]
    return others + fresh


def drop_inner(sights: list[Sight]) -> list[Sight]:
    """Without those inside a surer die: a pip seen large looks like a die showing one."""
    ordered = sorted(sights, key=lambda s: -s.candidate.side)
    places = np.array([(s.candidate.cx, s.candidate.cy, s.candidate.side) for s in ordered]).reshape(-1, 3)
    xs, ys, sides = places.T
    apart = np.maximum(np.abs(xs[:, None] - xs), np.abs(ys[:, None] - ys))
    inside = (apart < 0.5 * sides[:, None] - 0.25 * sides) & (sides < 0.75 * sides[:, None])  # the second in the first
    free = np.ones(len(ordered), bool)
    for i, sight in enumerate(ordered):
        if free[i] and sight.readable:
            free &= ~inside[i]
    return sorted((sight for i, sight in enumerate(ordered) if free[i]), key=lambda s: -s.candidate.heat)


def one_a_face(sights: list[Sight]) -> list[Sight]:
    """Without the less sure of two with one top face: a die may be found anew with its shadow; asked if read unlike."""
    read = sorted((i for i, sight in enumerate(sights) if sight.readable), key=lambda i: -sights[i].confidence)
    xs, ys, sides, _ = np.array([sights[i].face for i in read]).reshape(-1, 4).T
    apart = np.hypot(xs[:, None] - xs, ys[:, None] - ys)
    kept: dict[int, Sight | None] = dict(enumerate(sights))
    for surer, other in np.argwhere(np.triu(apart < FACES_APART * (sides[:, None] + sides) / 2, 1)):
        one, twin = kept[read[surer]], kept[read[other]]
        if one and twin:
            kept[read[surer]] = replace(one, agreed=one.agreed and one.value == twin.value)
            kept[read[other]] = None
    return [sight for sight in kept.values() if sight]


def one_size(sights: list[Sight]) -> list[Sight]:
    """Dice of one table look about equally large: odd ones are asked, without a value where it is in doubt; what is
    odd and can hardly be read is none."""
    sides = [sight.candidate.side for sight in sights if sight.readable and sight.confidence > 0.9]
    if len(sides) < 3:
        return sights
    usual = float(np.median(sides))
    kept = []
    for sight in sights:
        odd = not usual / SIZE_RANGE < sight.candidate.side < usual * SIZE_RANGE
        if odd and sight.confidence < SURE_THOUGH_ODD:
            if sight.readable:
                kept.append(replace(sight, odd_size=True, upright=None))
            continue
        kept.append(replace(sight, odd_size=odd))
    return kept
