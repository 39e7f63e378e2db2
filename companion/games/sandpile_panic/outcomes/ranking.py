"""A fast ranking, for one player, of many boards that differ only in the same few spaces.

The islands of the common spaces are computed once; for each board, only the differing spaces are joined with them.
"""

from collections.abc import Sequence

from companion.games import rulings as referee
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic import islands
from companion.games.sandpile_panic.board import PINK
from companion.games.sandpile_panic.islands import Island, Sizes, Special
from companion.games.sandpile_panic.state import State

TopColours = tuple[str, ...]  # They are those of the differing spaces, in their order.
# A win is 1, an open game 0, a loss -1; the lead over the best rival and the own islands follow.
Worth = tuple[int, int, Sizes]


class PlayerIslands:
    """The islands of one player on many boards.

    Nodes are numbered: first the differing spaces, then the islands of the common spaces.

    near        the neighbouring nodes of each node
    holds       the own and pink spaces of each node, if they are the same on all boards
    complete    islands that touch no differing space
    joinable    the nodes of islands that do
    """

    def __init__(self, state: State, player: str, differing: Sequence[str]) -> None:
        self.options = state.options
        self.colour = state.colours[player]
        self.ruled = referee.points_of(state.rulings, player)
        self.joining = (self.colour,) if self.options.special_piece is Special.NONE else (self.colour, PINK)
        tops = boards.tops(state.board)
        number_of = {at: number for number, at in enumerate(differing)}
        self.holds = [Island(0, 0)] * len(differing)
        near: list[set[int]] = [set() for _ in differing]
        left = {at for at, piece in tops.items() if piece in self.joining and at not in number_of}
        while left:
            spaces, number = [left.pop()], len(near)
            near.append(set())
            for at in spaces:
                for beside in boards.beside(at):
                    if beside in left:
                        left.remove(beside)
                        spaces.append(beside)
                    elif beside in number_of:
                        near[number].add(number_of[beside])
                        near[number_of[beside]].add(number)
            own = sum(tops[at] == self.colour for at in spaces)
            self.holds.append(Island(own, len(spaces) - own))
        for at, number in number_of.items():
            near[number].update(number_of[beside] for beside in boards.beside(at) if beside in number_of)
        self.near = tuple(map(tuple, near))
        islands_apart = range(len(differing), len(near))
        self.complete = [self.holds[number] for number in islands_apart if not near[number]]
        self.joinable = [number for number in islands_apart if near[number]]

    def sizes(self, tops: TopColours) -> Sizes:
        """The sizes of the islands that count, largest first."""
        left = {number for number, piece in enumerate(tops) if piece in self.joining}
        left.update(self.joinable)
        own_islands = self.complete.copy()
        while left:
            reached = [left.pop()]
            own = pink = 0
            for number in reached:
                if number < len(tops):
                    own += tops[number] == self.colour
                    pink += tops[number] != self.colour
                else:
                    own += self.holds[number].own
                    pink += self.holds[number].pink
                for near in self.near[number]:
                    if near in left:
                        left.remove(near)
                        reached.append(near)
            own_islands.append(Island(own, pink))
        return islands.counted(own_islands, self.options.special_piece, self.options.scoring)

    def points(self, sizes: Sizes) -> int:
        """The points of these islands, with the referee's rulings."""
        return islands.points(sizes, self.options.scoring) + self.ruled


class Ranking:
    """The worth to a player of boards that differ from the given one only in the spaces `differing`."""

    def __init__(self, state: State, player: str, differing: Sequence[str], *, ended: bool) -> None:
        self.islands = {owner: PlayerIslands(state, owner, differing) for owner in state.players}
        self.player = player
        self.ended = ended

    def worth(self, tops: TopColours) -> Worth:
        """The worth of a board: won, open or lost, then the lead over the best rival, then the own islands."""
        sizes = {owner: own.sizes(tops) for owner, own in self.islands.items()}
        points = {owner: own.points(sizes[owner]) for owner, own in self.islands.items()}
        lead = points[self.player] - max(points[rival] for rival in points if rival != self.player)
        winner = islands.winner(islands.ranking(points, sizes)) if self.ended else None
        result = 0 if winner is None else 1 if winner == self.player else -1
        return result, lead, sizes[self.player]
