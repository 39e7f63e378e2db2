"""Facts about each place where a die may lie, and facts that the dice of one frame tell about each other."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import hypot

import numpy as np

from vision.dice.faces import NO_DIE, UNREADABLE
from vision.dice.finder import Candidate, same_die

MERGED = 1.22  # A candidate so many times the usual side may be two dice that touch.
FAINT_HEAT, SURE_OF_FAINT = 0.38, 0.95  # A candidate below that heat must be read as a die so surely, and is asked.
SURELY_NONE = 0.97  # A candidate that is no die so surely gets no second look.
SURE_HEAT = 0.6  # A candidate of that heat is asked about unless it is SURELY_NONE.
SURE_OF_DIE = 0.7  # One less surely a die, and without SURE_HEAT, gets no value.
HARDLY_UNREADABLE = 0.1  # A face less likely unreadable gets a value that networks and pips agree on.
SURE_OF_VALUE = 0.9  # A likelier value is sure for what the dice of one frame tell about each other.
HARDLY_KNOWN = 0.7  # A thing less likely a die to the network that sees more around it is none ...
BESIDE, ALIKE = 1.4, 1.5  # A thing so close to a sure die, in sides, and so much like it in size, touches it.
SURELY_A_DIE = 0.97  # ... unless it is likelier one to the readers, or its pips confirm a sure value.
FACES_APART = 0.6  # Top faces closer, in sides, are one; in no photograph are two closer than 0.74.
SIZE_RANGE = 2.2  # A die may be this many times larger or smaller than the median.
SURE_THOUGH_ODD = 0.98  # A die of an odd size keeps its value only if it is this sure.


@dataclass(frozen=True)
class Sight:
    """A candidate with everything known about it.

    chances   (8,) calibrated probabilities of no die, 1..6, unreadable
    agreed    the looks name the same value
    pips      value that the pips of the upright face spell, None where no pattern stands out
    upright   (PIP_CROP_PX, PIP_CROP_PX, 3) the top face turned upright, None where no die is seen
    known     0..1, how likely it is a die to the network that sees more around it; 1 where it was not asked
    """

    candidate: Candidate
    face: tuple[float, float, float, float]
    chances: np.ndarray
    agreed: bool
    pips: int | None
    upright: np.ndarray | None = field(default=None, compare=False)
    odd_size: bool = False
    known: float = 1.0

    @cached_property
    def value(self) -> int:
        return int(self.chances[1:7].argmax()) + 1

    @cached_property
    def confidence(self) -> float:
        """The probability of the value."""
        return float(self.chances[1:7].max())

    @cached_property
    def some_value(self) -> float:
        """The probability that it is a die with a readable value."""
        return float(self.chances[1:7].sum())

    @cached_property
    def is_die(self) -> bool:
        """Whether it counts as a die: a faint candidate must be read surely, a hot one surely rejected."""
        if self.is_strange:
            return False
        die_chance = 1 - float(self.chances[NO_DIE])
        if self.candidate.heat < FAINT_HEAT:
            return die_chance > SURE_OF_FAINT
        return die_chance > (1 - SURELY_NONE if self.candidate.heat > SURE_HEAT else 0.5)

    @property
    def is_strange(self) -> bool:
        """Whether it is no die by what lies around it, as numerals, dominoes, tokens and print; none is surely read."""
        confirmed = self.pips == self.value and self.confidence > SURE_OF_VALUE
        in_doubt = not confirmed and 1 - float(self.chances[NO_DIE]) <= SURELY_A_DIE
        return in_doubt and self.known < HARDLY_KNOWN

    @property
    def is_sure_die(self) -> bool:
        return self.is_die and self.confidence > SURE_OF_VALUE

    @cached_property
    def readable(self) -> bool:
        """Whether its value is named: also where the networks doubt the die, but agree with the pips on the value."""
        surely_one = self.candidate.heat > SURE_HEAT or 1 - float(self.chances[NO_DIE]) > SURE_OF_DIE
        agreed = self.pips == self.value and float(self.chances[UNREADABLE]) < HARDLY_UNREADABLE
        return self.upright is not None and surely_one and (self.some_value > 0.5 or agreed)


def ask_beside_dice(sights: list[Sight]) -> list[Sight]:
    """The sights without a silent loss among dice that touch.

    The network that sees more around a thing doubts a die whose surroundings are another die. Where its pips spell the
    value that the readers name, and it is as large as the sure die that it touches, it is asked.
    """
    sure = [sight.candidate for sight in sights if sight.is_sure_die]
    return [
        replace(sight, known=HARDLY_KNOWN)
        if sight.is_strange
        and sight.pips == sight.value
        and sight.confidence > 0.5
        and any(touches(sight.candidate, c) for c in sure)
        else sight
        for sight in sights
    ]


def touches(candidate: Candidate, other: Candidate) -> bool:
    """Whether two candidates of about the same size lie side by side, neither within the other."""
    apart, usual = hypot(candidate.cx - other.cx, candidate.cy - other.cy), (candidate.side + other.side) / 2
    alike = max(candidate.side, other.side) < ALIKE * min(candidate.side, other.side)
    return alike and 0.5 * usual < apart < BESIDE * usual


def with_far(sights: list[Sight], far: list[Sight]) -> list[Sight]:
    """The sights with the dice of the far looks that hold no sure die.

    From afar a tray of dice may look like one die; a pip of a near die is no sure one.
    """
    sure = [sight.candidate for sight in sights if sight.is_sure_die]
    return sights + [
        large
        for large in far
        if large.is_die
        and not any(
            max(abs(c.cx - large.candidate.cx), abs(c.cy - large.candidate.cy)) < large.candidate.side / 2 for c in sure
        )
    ]


def may_hide_dice(sight: Sight, usual: float) -> bool:
    """Whether a closer look is due: at one thing as large as two dice, or a faint one that reads like a die."""
    if sight.is_sure_die or sight.candidate.side < usual / 2:
        return False
    merged = sight.is_die and sight.candidate.side > MERGED * usual
    return merged or (not sight.is_die and sight.some_value > 0.5)


def split_sight(sights: list[Sight], doubt: Sight, closer: list[Sight]) -> list[Sight]:
    """The sights with the dice of a closer look in place of the doubtful one, if that look shows any."""
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
    """The sights without those inside a surer die: a pip seen large looks like a die showing one."""
    ordered = sorted(sights, key=lambda s: -s.candidate.side)
    places = np.array([(s.candidate.cx, s.candidate.cy, s.candidate.side) for s in ordered]).reshape(-1, 3)
    xs, ys, sides = places.T
    apart = np.maximum(np.abs(xs[:, None] - xs), np.abs(ys[:, None] - ys))
    # The second is in the first.
    inside = (apart < 0.5 * sides[:, None] - 0.25 * sides) & (sides < 0.75 * sides[:, None])
    free = np.ones(len(ordered), bool)
    for i, sight in enumerate(ordered):
        if free[i] and sight.readable:
            free &= ~inside[i]
    return sorted((sight for i, sight in enumerate(ordered) if free[i]), key=lambda s: -s.candidate.heat)


def drop_same_face(sights: list[Sight]) -> list[Sight]:
    """The sights without the less sure one of any two with the same top face.

    A die may be found once more with its shadow. If the two differ in value, the die is asked.
    """
    order = sorted((i for i, sight in enumerate(sights) if sight.readable), key=lambda i: -sights[i].confidence)
    xs, ys, sides, _ = np.array([sights[i].face for i in order]).reshape(-1, 4).T
    apart = np.hypot(xs[:, None] - xs, ys[:, None] - ys)
    remaining: dict[int, Sight | None] = dict(enumerate(sights))
    for surer, other in np.argwhere(np.triu(apart < FACES_APART * (sides[:, None] + sides) / 2, 1)):
        surest, twin = remaining[order[surer]], remaining[order[other]]
        if surest and twin:
            remaining[order[surer]] = replace(surest, agreed=surest.agreed and surest.value == twin.value)
            remaining[order[other]] = None
    return [sight for sight in remaining.values() if sight]


def mark_odd_sizes(sights: list[Sight]) -> list[Sight]:
    """The sights, those of an odd size marked: dice of one table look about equally large.

    An odd one without a sure value keeps no value; if it could hardly be read, it is dropped.
    """
    sides = [sight.candidate.side for sight in sights if sight.readable and sight.confidence > 0.9]
    if len(sides) < 3:
        return sights
    usual = float(np.median(sides))
    usual_sized = []
    for sight in sights:
        odd = not usual / SIZE_RANGE < sight.candidate.side < usual * SIZE_RANGE
        if odd and sight.confidence < SURE_THOUGH_ODD:
            if sight.readable:
                usual_sized.append(replace(sight, odd_size=True, upright=None))
            continue
        usual_sized.append(replace(sight, odd_size=odd))
    return usual_sized
