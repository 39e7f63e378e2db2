"""What a camera learns from the dice of its table: how sure it must be, and which colours the dice have.

Pure functions. The evidence is what people said about dice that the camera had read: answers to its questions, and
corrections of events that it had entered by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean

RGB = tuple[float, float, float]

GAMES = 30  # Only the newest games count: lamps, dice and children change.
NEAR = 0.2  # A die with more doubt says little about where to draw the line.
PRIOR = 1.0  # So many errors stand for the calibration of a new table; with more a table learns slower.
STRICTEST, LAXEST = 8.0, 0.5
MOST_ERRORS = 3.0  # One game counts for no more errors, in case a child corrects at random.
MOST_EXPECTED = 1.0  # One game counts for no more expected errors: no single game makes the camera less strict.
MOST_SILENT = 0.001  # The share of dice that may be entered wrong without a question.
SURE_Z = 1.645  # In one of twenty cases the true rate is more standard deviations above the evidence.
STEPS = 12
ONE_TAP = 1.5  # The earlier colour counts for so many dice: one wrong tap moves nothing, two dice do.


@dataclass(frozen=True)
class Answer:
    """A die whose value a person said.

    doubt   1 less the reader's confidence, 0..1
    usual   the most doubt with which such a die is accepted at a table that has learnt nothing
    wrong   the camera had read another value
    """

    doubt: float
    usual: float
    wrong: bool


@dataclass(frozen=True)
class Evidence:
    """One game.

    answers     dice that people answered or corrected
    accepted    number of other dice that were entered without a question and never corrected
    doubts      the sum of their doubts
    """

    answers: tuple[Answer, ...] = ()
    accepted: int = 0
    doubts: float = 0.0

    @property
    def near(self) -> tuple[Answer, ...]:
        """The answers that say something about where to draw the line."""
        return tuple(answer for answer in self.answers if answer.doubt <= NEAR)


def strictness(games: Sequence[Evidence]) -> float:
    """How many times less doubt is accepted at this table than at one that has learnt nothing.

    games   newest last; the newest GAMES count

    A calibrated reader that states a doubt d is wrong with probability d. At a table whose dice, lamp or camera it was
    not made for it is wrong with probability s·d; accepting doubts up to (the usual one) / s then keeps the share of
    wrong entries as it was calibrated. Errors are rare and independent, so their number is Poisson with the mean s·E,
    E being the sum of all stated doubts, and with a gamma prior of mean 1 the estimate of s is

        (PRIOR + errors found) / (PRIOR + errors expected).

    Above 1 that is the answer: a few corrected dice are enough, for questions cost seconds and silent errors the game.
    Below 1 the upper end of what the evidence allows takes its place, and only as far as the dice that would then be
    accepted at this table, at that upper end, are silently wrong in at most MOST_SILENT of all cases.
    Nothing learnt: 1.
    """
    games = games[-GAMES:]
    errors, expected = PRIOR, PRIOR
    for game in games:
        game_errors, game_expected = weigh(game)
        errors += game_errors
        expected += game_expected
    if errors >= expected:
        return min(STRICTEST, errors / expected)
    worst = upper_end(errors, expected)
    for step in range(STEPS):
        laxer = 1 - (1 - LAXEST) * (1 - step / STEPS)
        if laxer >= worst and silent_share(games, laxer, worst) <= MOST_SILENT:
            return laxer
    return 1.0


def weigh(game: Evidence) -> tuple[float, float]:
    """(errors, expected errors) of one game, both scaled down if it would count for too much."""
    errors = float(sum(answer.wrong for answer in game.near))
    expected = game.doubts + sum(answer.doubt for answer in game.near)
    weight = min(1.0, MOST_ERRORS / max(errors, MOST_ERRORS), MOST_EXPECTED / max(expected, MOST_EXPECTED))
    return weight * errors, weight * expected


def upper_end(errors: float, expected: float) -> float:
    """The rate that the true one exceeds with probability 1/20 (gamma, by Wilson and Hilferty's cube root)."""
    root: float = 1 - 1 / (9 * errors) + SURE_Z / (3 * sqrt(errors))
    return errors / expected * root * root * root


def silent_share(games: Sequence[Evidence], laxer: float, rate: float) -> float:
    """The share of wrong ones among the dice that would be accepted, if each were wrong `rate` times its doubt."""
    let_in = [answer.doubt for game in games for answer in game.near if answer.doubt <= answer.usual / laxer]
    dice = sum(game.accepted for game in games) + len(let_in)
    return rate * (sum(game.doubts for game in games) + sum(let_in)) / max(dice, 1)


def colour_of(bodies: Sequence[RGB], before: RGB | None = None) -> RGB:
    """The colour of dice that people say have the same colour: the medians of red, green and blue.

    bodies  of these dice, at least one
    before  the earlier colour, which counts for ONE_TAP dice; if None, the first of `bodies` counts as that
    """
    bodies = bodies if before is None else (before, *bodies)
    weights = [ONE_TAP] + [1.0] * (len(bodies) - 1)
    red, green, blue = (weighted_median([body[part] for body in bodies], weights) for part in range(3))
    return red, green, blue


def weighted_median(values: Sequence[float], weights: Sequence[float]) -> float:
    """The value with half of the weight on either side, or the mean of the two in the middle."""
    half, passed = sum(weights) / 2, 0.0
    ranked = sorted(zip(values, weights, strict=True))
    for place, (value, weight) in enumerate(ranked):
        passed += weight
        if passed > half:
            return value
        if passed == half:
            return mean((value, ranked[place + 1][0]))
    raise ValueError("no values")
