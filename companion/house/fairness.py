"""Statistics of the dice: how often each face came, and whether that fits a fair die.

The test is Pearson's chi-square: the sum over the faces of (seen − expected)² / expected. Its p-value is the chance
that a fair die deviates at least as far. As usual, the test needs five expected throws of the rarest face. How often a
face comes in the long run lies in its 95 % Wilson interval, which is told in throws, beside those that were seen.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from companion.game.dice import Thrown
from companion.words import _, _n, number

LEAST_EXPECTED = 5
DOUBTFUL_P, STRANGE_P = 0.05, 0.001
CONFIDENCE_Z = 1.96  # 95 %


@dataclass(frozen=True)
class Tally:
    """One kind of die, or all dice of one player: how often each value came.

    expected    value → how often a fair die would have shown it
    p           chance that a fair die deviates at least as far; None while there are too few throws
    """

    die: str
    throws: int
    counts: Mapping[int, int]
    expected: Mapping[int, float]
    p: float | None

    @property
    def mean(self) -> float:
        return sum(value * count for value, count in self.counts.items()) / self.throws

    def interval(self, value: int) -> tuple[float, float]:
        """In so many throws, how often a die comes to show this value that has its share of them in the long run."""
        low, high = wilson(self.counts[value], self.throws)
        return low * self.throws, high * self.throws

    @property
    def verdict(self) -> str:
        """One sentence for the players."""
        if self.p is None:
            rarest = min(self.expected.values()) / self.throws
            more = math.ceil(LEAST_EXPECTED / rarest) - self.throws
            return _("Not enough throws yet. {more} more and you'll have an answer.", more=more)
        share = number(self.p, 3) if self.p >= STRANGE_P else _("less than {share}", share=number(STRANGE_P, 3))
        if self.p >= DOUBTFUL_P:
            return _n(
                "{n} throw so far; chance alone explains this (p = {share}).",
                "{n} throws so far; chance alone explains this (p = {share}).",
                self.throws,
                share=share,
            )
        if self.p >= STRANGE_P:
            return _(
                "Unusual, but a fair die does this once in {round} games like this (p = {share}).",
                round=round(1 / self.p),
                share=share,
            )
        return _(
            "A fair die hardly ever does this (p is {share}). Try other dice, or watch how they're thrown.",
            share=share,
        )


def tallies(thrown: Iterable[Thrown]) -> tuple[Tally, ...]:
    """A tally for each kind of die, in the order of their first throws."""
    values: dict[tuple[str, tuple[int, ...]], Counter[int]] = {}
    for die_thrown in thrown:
        values.setdefault((die_thrown.die, die_thrown.faces), Counter())[die_thrown.value] += 1
    return tuple(tally(die, faces, counts) for (die, faces), counts in values.items())


def all_alike(thrown: Iterable[Thrown]) -> Tally | None:
    """One tally of all dice, whatever their colours; None where none was thrown, or some have other faces."""
    found = tallies(Thrown("", each.faces, each.value) for each in thrown)
    return found[0] if len(found) == 1 else None


def tally(die: str, faces: tuple[int, ...], values: Mapping[int, int]) -> Tally:
    """The tally of one kind of die.

    faces   its values, each as often as it is on the die
    """
    throws = sum(values.values())
    expected = {value: throws * count / len(faces) for value, count in sorted(Counter(faces).items())}
    counts = {value: values.get(value, 0) for value in expected}
    p = None
    if min(expected.values()) >= LEAST_EXPECTED:
        statistic = sum((counts[value] - mean) ** 2 / mean for value, mean in expected.items())
        p = chi_square_tail(statistic, len(expected) - 1)
    return Tally(die, throws, counts, expected, p)


def wilson(count: int, total: int) -> tuple[float, float]:
    """95 % Wilson interval of a share; (0, 1) when nothing was counted."""
    if not total:
        return 0.0, 1.0
    z2 = CONFIDENCE_Z**2
    share = count / total
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = CONFIDENCE_Z / (1 + z2 / total) * math.sqrt(share * (1 - share) / total + z2 / (4 * total**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def chi_square_tail(statistic: float, degrees: int) -> float:
    """The probability that chi-square with `degrees` degrees of freedom is at least `statistic`.

    The regularised incomplete gamma function Q(degrees / 2, statistic / 2), in closed form for whole degrees.
    """
    if not degrees:
        return 1.0  # A die with only one value cannot deviate.
    half = statistic / 2
    if degrees % 2:
        tail, term, steps = math.erfc(math.sqrt(half)), math.sqrt(half / math.pi) * 2 * math.exp(-half), 1.5
    else:
        tail, term, steps = 0.0, math.exp(-half), 1.0
    for _step in range(degrees // 2):
        tail += term
        term *= half / steps
        steps += 1
    return tail
