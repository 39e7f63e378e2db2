"""Dice that lie on the table, and what they make (TR-03, TR-20 … TR-25)."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from companion.games.dice_tray.options import Counts, Options

COLOURS = ("white", "red", "yellow", "orange", "green", "blue", "purple", "black", "grey", "pink", "brown")
NO_COLOUR = ""


@dataclass(frozen=True)
class Die:
    """A die: what it shows, and its colour as the camera names it; "" where nobody said one (TR-03)."""

    value: int
    colour: str = NO_COLOUR


@dataclass(frozen=True)
class Stayed:
    """A die that was kept: its place in the roll before, from 1, and its colour (TR-12)."""

    place: int
    colour: str = NO_COLOUR


def alike(dice: Sequence[Die]) -> tuple[tuple[int, int], ...]:
    """(value, how many show it) of all values that two dice or more show, the most first."""
    counts = Counter(die.value for die in dice)
    return tuple(sorted(((value, n) for value, n in counts.items() if n > 1), key=lambda pair: (-pair[1], -pair[0])))


def run(dice: Sequence[Die]) -> tuple[int, ...]:
    """The longest row of values, the highest among equals; empty where no two values are neighbours."""
    values, best, row = {die.value for die in dice}, tuple[int, ...](), tuple[int, ...]()
    for value in sorted(values):
        row = (*row, value) if value - 1 in values else (value,)
        best = row if len(row) >= max(2, len(best)) else best
    return best


def points(options: Options, dice: Sequence[Die]) -> int:
    """What the dice of a turn count."""
    values = sorted((die.value for die in dice), reverse=True)
    match options.counts:
        case Counts.BEST:  # TR-21
            return sum(values[: options.best])
        case Counts.FACE:  # TR-22
            return values.count(options.face)
        case Counts.POOL:  # TR-23
            return sum(value >= options.face for value in values)
        case Counts.ALIKE:  # TR-24
            return max((n for _value, n in alike(dice)), default=0)
        case Counts.RUN:  # TR-25
            return len(run(dice))
    return sum(values)  # TR-20


def after_roll(lying: Sequence[Die], kept: Collection[int], thrown: Sequence[Die]) -> tuple[Die, ...]:
    """The dice after a roll: what was kept stays in its place, what was thrown takes the others (TR-12).

    kept    places in `lying`, from 1
    """
    left = list(thrown)
    placed = [die if place in kept else (left.pop(0) if left else None) for place, die in enumerate(lying, start=1)]
    return (*(die for die in placed if die is not None), *left)
