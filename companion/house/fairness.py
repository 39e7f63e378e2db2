"""Statistics of the dice: how often each face came, and whether a fair die would have done that.

The test is Pearson's chi-square: the sum over the faces of (seen − expected)² / expected. Its p-value says how often a
fair die strays at least so far. It is trusted from five expected throws of the rarest face on, as usual.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from companion.game.dice import Thrown
from companion.words import _, number

FEWEST_EXPECTED = 5
DOUBTFUL_P, STRANGE_P = 0.05, 0.001


@dataclass(frozen=True)
class Tally:
    """One kind of die: how often each value came.

    expected    value → how often a fair die would have shown it
    p           chance that a fair die strays at least so far; None while there are too few throws to say
    """

    die: str
    throws: int
    seen: Mapping[int, int]
    expected: Mapping[int, float]
    p: float | None

    @property
    def mean(self) -> float:
        """Mean of the values seen."""
        return sum(value * count for value, count in self.seen.items()) / self.throws

    @property
    def verdict(self) -> str:
        """One sentence for the players."""
        if self.p is None:
            rarest = min(self.expected.values()) / self.throws
            more = math.ceil(FEWEST_EXPECTED / rarest) - self.throws
            return _("Too few throws to say: {more} more and there is an answer.", more=more)
        share = number(self.p, 3) if self.p >= STRANGE_P else _("less than {share}", share=number(STRANGE_P, 3))
        if self.p >= DOUBTFUL_P:
            return _("Nothing speaks against a fair die (p = {share}).", share=share)
        if self.p >= STRANGE_P:
            return _(
                "Odd, but a fair die does that once in {round} such games (p = {share}).",
                round=round(1 / self.p),
                share=share,
            )
        return _(
            "A fair die hardly ever does that (p is {share}): try other dice, or look at how they are thrown.",
            share=share,
        )


def tallies(thrown: Iterable[Thrown]) -> tuple[Tally, ...]:
    """One tally for each kind of die, in the order in which they were first thrown."""
    values: dict[tuple[str, tuple[int, ...]], Counter[int]] = {}
    for one in thrown:
        values.setdefault((one.die, one.faces), Counter())[one.value] += 1
    return tuple(tally(die, faces, seen) for (die, faces), seen in values.items())


def tally(die: str, faces: tuple[int, ...], seen: Mapping[int, int]) -> Tally:
    """The tally of one kind of die; `faces` lists a value as often as it stands on the die."""
    throws = sum(seen.values())
    expected = {value: throws * count / len(faces) for value, count in sorted(Counter(faces).items())}
    counts = {value: seen.get(value, 0) for value in expected}
    p = None
    if min(expected.values()) >= FEWEST_EXPECTED:
        stray = sum((counts[value] - mean) ** 2 / mean for value, mean in expected.items())
        p = chi_square_tail(stray, len(expected) - 1)
    return Tally(die, throws, counts, expected, p)


def chi_square_tail(stray: float, degrees: int) -> float:
    """Chance that chi-square with so many degrees of freedom is at least `stray`.

    The closed forms of the regularised incomplete gamma function Q(degrees / 2, stray / 2), for whole degrees.
    """
    if not degrees:
        return 1.0  # of one value alone nothing strays
    half = stray / 2
    if degrees % 2:
        tail, term, steps = math.erfc(math.sqrt(half)), math.sqrt(half / math.pi) * 2 * math.exp(-half), 1.5
    else:
        tail, term, steps = 0.0, math.exp(-half), 1.0
    for _step in range(degrees // 2):
        tail += term
        term *= half / steps
        steps += 1
    return tail
