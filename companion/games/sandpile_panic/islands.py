"""Islands and what they are worth: the three scorings and the two pink pieces."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from companion.games.sandpile_panic.board import PINK, Tops, beside

SMALL = 6  # SP-45: subtracted once for every island


class Scoring(StrEnum):
    """A way of scoring (SP-41, SP-44, SP-45)."""

    REGULAR = "regular"
    LANDGRAB = "landgrab"
    NO_SMALL_ISLANDS = "no_small_islands"


class Special(StrEnum):
    """What the pink piece is; only one of the two can be in a game (SP-50)."""

    NONE = "none"
    WILDCARD = "wildcard"
    PENALTY = "penalty"


class Island(NamedTuple):
    """One island: how many of its spaces show the player's colour, and how many pink."""

    own: int
    pink: int

    @property
    def size(self) -> int:
        return self.own + self.pink


Sizes = tuple[int, ...]  # of a player's islands, the largest first


def joined(tops: Tops, colour: str, special: Special) -> tuple[Island, ...]:
    """All islands of a colour, pink spaces among them where there is a special piece.

    Spaces belong together through their four sides; a diagonal touch does not join, a lone space is an island (SP-40).
    Each colour is looked at as if alone, so one pink space may stand in islands of several (SP-54, SP-55).
    """
    counts = (colour,) if special is Special.NONE else (colour, PINK)
    left = {at for at, piece in tops.items() if piece in counts}
    found = []
    while left:
        reached = [left.pop()]
        own = 0
        for at in reached:
            own += tops[at] == colour
            for near in beside(at):
                if near in left:
                    left.remove(near)
                    reached.append(near)
        found.append(Island(own, len(reached) - own))
    return tuple(found)


def counted(islands: Sequence[Island], special: Special, scoring: Scoring) -> Sizes:
    """The sizes of the islands that count for a player, the largest first.

    Penalty: an island with a pink space scores nothing at all (SP-55). Wildcard: a player may leave pink spaces out
    (SP-54). Joining always helps: a pink space beside an own one makes a larger island of it, in every scoring. So the
    best choice takes each island whole, and drops one of pink spaces alone where it would cost points.
    """
    if special is Special.PENALTY:
        islands = [island for island in islands if not island.pink]
    elif scoring is Scoring.NO_SMALL_ISLANDS:
        islands = [island for island in islands if island.own or worth(island.size, scoring) > 0]
    return tuple(sorted((island.size for island in islands), reverse=True))


def worth(size: int, scoring: Scoring) -> int:
    """The points of one island: its square (SP-44), or its square less six, for each island (SP-45, our reading)."""
    return size**2 - SMALL if scoring is Scoring.NO_SMALL_ISLANDS else size**2


def points(sizes: Sizes, scoring: Scoring) -> int:
    """A player's points. Regular scoring compares lists; its points are the first of these, the largest island."""
    if scoring is Scoring.REGULAR:
        return max(sizes, default=0)  # SP-41
    return sum(worth(size, scoring) for size in sizes)


def ranking(points_of: Mapping[str, int], sizes_of: Mapping[str, Sizes]) -> tuple[tuple[str, ...], ...]:
    """Everybody, the best first, those completely equal together.

    Equal points are decided by the regular comparison: largest island, second largest, and so on; a player with no
    further island counts 0 there (SP-41, SP-44, SP-45), which is how tuples compare.
    """
    keys = {player: (points_of[player], sizes_of[player]) for player in points_of}
    return tuple(
        tuple(player for player in keys if keys[player] == key) for key in sorted(set(keys.values()), reverse=True)
    )


def winner(order: Sequence[Sequence[str]]) -> str | None:
    """The one who is first in a ranking; nobody where several are equal: play another game (SP-42)."""
    return order[0][0] if order and len(order[0]) == 1 else None
