"""The referee on paper: what really happened at the tables, and the standings worked out from that alone.

Nothing of the hub is used here. The rules are those of docs/tournament.md: a game gives the share of rivals beaten,
half of one for a tie, a bye one point; of two with equal points the one with more wins is ahead, then the one whose
rivals have more points.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Groups = tuple[tuple[str, ...], ...]
"""Names by place, best first; those in one group tie."""


@dataclass(frozen=True)
class Row:
    """One line of the standings, as the hub's page has them."""

    place: int
    points: Fraction
    wins: int
    rivals: Fraction
    games: int
    byes: int


@dataclass
class Paper:
    """The referee's sheets.

    results     (round, who sat together) → the places that they really took
    sessions    likewise → the game at a table's tablet by which the hub knows it, "" where it was only ruled
    """

    names: list[str] = field(default_factory=list)
    results: dict[tuple[int, frozenset[str]], Groups] = field(default_factory=dict)
    sessions: dict[tuple[int, frozenset[str]], str] = field(default_factory=dict)
    byes: list[str] = field(default_factory=list)

    def write(self, round_: int, groups: Groups, session: str = "") -> None:
        """Notes a result; what was written for these people in this round before is crossed out."""
        together = round_, frozenset(name for group in groups for name in group)
        self.results[together], self.sessions[together] = groups, session

    def standings(self) -> dict[str, Row]:
        """Name → line, of everybody."""
        points = {name: Fraction(self.byes.count(name)) for name in self.names}
        wins, games = dict.fromkeys(self.names, 0), dict.fromkeys(self.names, 0)
        met: dict[str, list[str]] = {name: [] for name in self.names}
        for groups in self.results.values():
            everybody = [name for group in groups for name in group]
            for name in everybody:
                games[name] += 1
                points[name] += share(groups, name)
                met[name] += [rival for rival in everybody if rival != name]
            for name in groups[0]:
                wins[name] += 1
        rivals = {name: sum((points[rival] for rival in met[name]), Fraction()) for name in self.names}
        merits = {name: (points[name], wins[name], rivals[name]) for name in self.names}
        return {
            name: Row(
                1 + sum(merits[other] > merits[name] for other in self.names),
                points[name],
                wins[name],
                rivals[name],
                games[name],
                self.byes.count(name),
            )
            for name in self.names
        }


def share(groups: Groups, name: str) -> Fraction:
    """The share of rivals whom somebody beat, half of one for each in the same group."""
    mine = next(number for number, group in enumerate(groups) if name in group)
    beaten = sum(len(group) for group in groups[mine + 1 :])
    ties = len(groups[mine]) - 1
    return Fraction(2 * beaten + ties, 2 * (sum(map(len, groups)) - 1))


def slipped(groups: Groups) -> Groups:
    """Another result of the same people: whoever was last had really won."""
    everybody = [name for group in groups for name in group]
    return tuple((name,) for name in (everybody[-1], *everybody[:-1]))


def number_of(text: str) -> Fraction:
    """Points as the page writes them, such as "1⅔" and "2 5/12"."""
    whole, rest = "", Fraction()
    for word in text.replace("\N{NARROW NO-BREAK SPACE}", " ").split():
        if "/" in word:
            rest += Fraction(word)
            continue
        for sign in word:
            if sign.isascii():
                whole += sign
            else:
                rest += Fraction(unicodedata.numeric(sign)).limit_denominator(100)
    return int(whole or "0") + rest


def differences(paper: dict[str, Row], hub: dict[str, Row]) -> Sequence[str]:
    """A line for each name whose standing is not the same on both."""
    return [
        f"{name}: on paper {paper.get(name)}, at the hub {hub.get(name)}"
        for name in sorted({*paper, *hub})
        if paper.get(name) != hub.get(name)
    ]
