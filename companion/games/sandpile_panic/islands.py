"""Islands and their points: the three scorings and the two pink pieces."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from companion.games.sandpile_panic.board import PINK, Tops, beside

SMALL = 6  # SP-45: it is subtracted for every island


class Scoring(StrEnum):
    """A way of scoring (SP-41, SP-44, SP-45)."""

    REGULAR = "regular"
    LANDGRAB = "landgrab"
    NO_SMALL_ISLANDS = "no_small_islands"


class Special(StrEnum):
    """The pink piece of a game: none, wildcard or penalty (SP-50)."""

    NONE = "none"
    WILDCARD = "wildcard"
    PENALTY = "penalty"


class Island(NamedTuple):
    """One island: the numbers of its spaces with the player's colour and with pink on top."""

    own: int
    pink: int

    @property
    def size(self) -> int:
        return self.own + self.pink


Sizes = tuple[int, ...]  # A player's largest island comes first.


def joined(tops: Tops, colour: str, special: Special) -> tuple[Island, ...]:
    """All islands of a colour; with a special piece, pink spaces belong to them.

    Spaces join through their four sides, not diagonally; a single space is an island (SP-40). Each colour is counted
    separately, so one pink space may belong to islands of several colours (SP-54, SP-55).
    """
    counts = (colour,) if special is Special.NONE else (colour, PINK)
    left = {at for at, piece in tops.items() if piece in counts}
    islands = []
    while left:
        reached = [left.pop()]
        own = 0
        for at in reached:
            own += tops[at] == colour
            for near in beside(at):
                if near in left:
                    left.remove(near)
                    reached.append(near)
        islands.append(Island(own, len(reached) - own))
    return tuple(islands)


def counted(islands: Sequence[Island], special: Special, scoring: Scoring) -> Sizes:
    """The sizes of the islands that count for a player, largest first.

    Penalty: an island with a pink space scores nothing (SP-55). Wildcard: a player may leave pink spaces out (SP-54).
    Since joining helps in every scoring, the best choice takes each island whole, and drops an island of only pink
    spaces if it would cost points.
    """
    if special is Special.PENALTY:
        islands = [island for island in islands if not island.pink]
    elif scoring is Scoring.NO_SMALL_ISLANDS:
        islands = [island for island in islands if island.own or worth(island.size, scoring) > 0]
    return tuple(sorted((island.size for island in islands), reverse=True))


def worth(size: int, scoring: Scoring) -> int:
    """The points of one island: its squared size (SP-44), less six in no small islands (SP-45, our reading)."""
    return size**2 - SMALL if scoring is Scoring.NO_SMALL_ISLANDS else size**2


def points(sizes: Sizes, scoring: Scoring) -> int:
    """A player's points; in regular scoring, which compares lists, the size of the largest island."""
    if scoring is Scoring.REGULAR:
        return max(sizes, default=0)  # SP-41
    return sum(worth(size, scoring) for size in sizes)


def ranking(points_of: Mapping[str, int], sizes_of: Mapping[str, Sizes]) -> tuple[tuple[str, ...], ...]:
    """Groups of players, best first; completely equal players share a group.

    Equal points are decided by the largest island, then the second largest, and so on; a missing island counts 0
    (SP-41, SP-44, SP-45), as in a comparison of tuples.
    """
    keys = {player: (points_of[player], sizes_of[player]) for player in points_of}
    return tuple(
        tuple(player for player in keys if keys[player] == key) for key in sorted(set(keys.values()), reverse=True)
    )


def winner(order: Sequence[Sequence[str]]) -> str | None:
    """The first player of a ranking, or None if several are equal: they play another game (SP-42)."""
    return order[0][0] if order and len(order[0]) == 1 else None
