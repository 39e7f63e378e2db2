"""The rows of a category pad: how each is written, and the points that dice are in it (PAD-30 … PAD-39).

A row is a line of text, "name: rule", so a whole pad is typed, kept and shared as a few lines: docs/games/score_pad.md
has all rules in words.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement

from companion.errors import IllegalEvent
from companion.game.dice import D6
from companion.words import N_, _

LONGEST_NAME = 40
MOST_ROWS = 40
ALL, THOSE = "all", "those"  # The points are the sum of all dice, or of those that make the pattern.
POINTS = rf"(?: = ({ALL}|{THOSE}|\d{{1,4}}))?"
SUM_OF = re.compile(r"sum of ([1-6](?:[ ,]+[1-6])*)")
ALIKE = re.compile(rf"([1-8](?:\+[1-8])*) alike{POINTS}")
RUN = re.compile(rf"run (?:of ([2-6])|([1-6])-([1-6])){POINTS}")
BONUS = re.compile(r"bonus (\d{1,4}) from (\d{1,4})")
USUAL_NAMES = frozenset(
    {
        *(N_("Ones"), N_("Twos"), N_("Threes"), N_("Fours"), N_("Fives"), N_("Sixes")),
        *(N_("Bonus"), N_("Upper part"), N_("Pair"), N_("Two pairs"), N_("Full house"), N_("Chance")),
        *(N_("Three alike"), N_("Four alike"), N_("Five alike")),
        *(N_("Run of four"), N_("Run of five"), N_("Low run"), N_("High run")),
    }
)


@dataclass(frozen=True)
class SumOf:
    """The sum of the dice that show one of these values (PAD-31)."""

    values: tuple[int, ...]


@dataclass(frozen=True)
class Alike:
    """Groups of dice that show the same, the largest first; without a group any dice will do (PAD-32, PAD-33, PAD-35).

    points  ALL, THOSE, or a number as text
    """

    groups: tuple[int, ...]
    points: str = ALL


@dataclass(frozen=True)
class Run:
    """Dice that show values in a row: any `length` of them, or those from `low` on (PAD-34)."""

    length: int
    low: int | None
    points: str = ALL


@dataclass(frozen=True)
class Bonus:
    """So many points once the rows above have as many as `least` (PAD-36)."""

    points: int
    least: int


@dataclass(frozen=True)
class Sum:
    """The sum of the rows above (PAD-37)."""


DiceRule = SumOf | Alike | Run
Rule = DiceRule | Bonus | Sum


@dataclass(frozen=True)
class Row:
    """A row: its name, and its rule, None where people type its points (PAD-38)."""

    name: str
    rule: Rule | None

    @property
    def word(self) -> str:
        """Its name in the language of the page, if it is a usual one; else as it was typed."""
        return _(self.name) if self.name in USUAL_NAMES else self.name

    @property
    def is_made(self) -> bool:
        """Whether its points are made from other rows, so that nobody writes it."""
        return isinstance(self.rule, Bonus | Sum)


@lru_cache(64)
def rows_of(lines: tuple[str, ...]) -> tuple[Row, ...]:
    """The rows of a pad; raises IllegalEvent for a line that is none, two rows of one name, and too many rows."""
    rows = tuple(map(_row, lines))
    names = [row.name.casefold() for row in rows]
    for row in rows:
        if names.count(row.name.casefold()) > 1:
            raise IllegalEvent(_("Two rows are called {name}. Change one of the names.", name=row.name))
    if len(rows) > MOST_ROWS:
        raise IllegalEvent(_("A pad has {most} rows at most. Leave some out.", most=MOST_ROWS))
    return rows


def _row(line: str) -> Row:
    name, _colon, words = line.partition(":")
    name, words = " ".join(name.split()), " ".join(words.lower().split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise IllegalEvent(
            _("A row's name has 1 to {longest} characters. Change this line: {line}.", longest=LONGEST_NAME, line=line)
        )
    rule = _rule(words)
    if words and rule is None:
        raise IllegalEvent(
            _(
                "The pad doesn't know the rule “{rule}” of the row {name}. Write it as the guide shows.",
                rule=words,
                name=name,
            )
        )
    return Row(name, rule)


def _rule(words: str) -> Rule | None:
    words = words.replace("full house", "3+2 alike")
    if words == "sum":
        return Sum()
    if words == "all dice":
        return Alike(())
    if match := BONUS.fullmatch(words):
        return Bonus(int(match[1]), int(match[2]))
    if match := SUM_OF.fullmatch(words):
        return SumOf(tuple(sorted({*map(int, re.findall(r"\d", match[1]))})))
    if match := ALIKE.fullmatch(words):
        groups = sorted(map(int, match[1].split("+")), reverse=True)
        return Alike(tuple(groups), match[2] or ALL)
    if (match := RUN.fullmatch(words)) and int(match[2] or 1) < int(match[3] or 6):
        length = int(match[1] or int(match[3]) - int(match[2]) + 1)
        return Run(length, int(match[2]) if match[2] else None, match[4] or ALL)
    return None


def points_of(rule: DiceRule, dice: Sequence[int]) -> int:
    """The points of dice in a row: 0 where they do not fit its rule (PAD-31 … PAD-35)."""
    match rule:
        case SumOf(values):
            return sum(value for value in dice if value in values)
        case Alike(groups, points):
            return _worth(_alike(groups, dice), dice, points)
        case Run(length, low, points):
            return _worth(_run(length, low, frozenset(dice)), dice, points)


def _worth(used: Sequence[int] | None, dice: Sequence[int], points: str) -> int:
    """The points for dice of which `used` make the pattern; None: they do not."""
    if used is None:
        return 0
    return sum(dice) if points == ALL else sum(used) if points == THOSE else int(points)


def _alike(groups: tuple[int, ...], dice: Sequence[int]) -> Sequence[int] | None:
    """The dice of the best groups, each of another value; None where there are none (PAD-32)."""
    counts = Counter(dice)
    used: list[int] = []
    for size in groups:
        # A larger group leaves fewer values to choose from, so it chooses first, and the highest is worth most.
        value = max((value for value, count in counts.items() if count >= size), default=None)
        if value is None:
            return None
        used += [value] * size
        del counts[value]
    return used


def _run(length: int, low: int | None, values: frozenset[int]) -> Sequence[int] | None:
    """The highest run among these values; None where there is none (PAD-34)."""
    lows = range(7 - length, 0, -1) if low is None else (low,)
    runs = (range(first, first + length) for first in lows)
    return next((run for run in runs if values.issuperset(run)), None)


@lru_cache(256)
def possible(rule: DiceRule, number: int) -> tuple[int, ...]:
    """All points that so many dice may be in a row, fewest first (PAD-41)."""
    return tuple(sorted({points_of(rule, dice) for dice in combinations_with_replacement(D6, number)}))


def made_points(rows: Sequence[Row], cells: Mapping[int, int], unit: int = 1) -> Iterator[tuple[int, int]]:
    """(number of the row, its points) of each row that is made from others (PAD-36, PAD-37).

    cells   number of the row, from 1 → its points in units; `unit` is how many of them a point has
    """
    above = bonuses = 0
    for number, row in enumerate(rows, start=1):
        match row.rule:
            case Bonus(points, least):
                gained = points * unit if above >= least * unit else 0
                bonuses += gained
                yield number, gained
            case Sum():
                yield number, above + bonuses
                above = bonuses = 0
            case _:
                above += cells.get(number, 0)
