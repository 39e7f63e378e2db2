"""How good many boards are for a player, where all of them differ in the same few spaces.

The islands of the other spaces are worked out once; a board then only tells which of them its own spaces join.
"""

from collections.abc import Sequence

from companion.games import rulings as referee
from companion.games.sandpile_panic import board as sand
from companion.games.sandpile_panic import islands
from companion.games.sandpile_panic.board import PINK
from companion.games.sandpile_panic.islands import Island, Sizes, Special
from companion.games.sandpile_panic.state import State

Shown = tuple[str, ...]  # the top colours of the spaces that differ, in their order
Worth = tuple[int, int, Sizes]  # won, open or lost; the lead over the best rival; the own islands


class Land:
    """The islands of one player.

    The spaces that differ come first and then the islands of all others, numbered through: `near` has for each what
    lies beside it, `holds` its own and pink spaces where those are always the same.
    """

    def __init__(self, state: State, player: str, differing: Sequence[str]) -> None:
        self.options = state.options
        self.colour = state.colours[player]
        self.ruled = referee.points_of(state.rulings, player)
        self.joining = (self.colour,) if self.options.special_piece is Special.NONE else (self.colour, PINK)
        tops = sand.tops(state.board)
        number_of = {at: number for number, at in enumerate(differing)}
        self.holds = [Island(0, 0)] * len(differing)
        near: list[set[int]] = [set() for _ in differing]
        left = {at for at, piece in tops.items() if piece in self.joining and at not in number_of}
        while left:
            spaces, number = [left.pop()], len(near)
            near.append(set())
            for at in spaces:
                for beside in sand.beside(at):
                    if beside in left:
                        left.remove(beside)
                        spaces.append(beside)
                    elif beside in number_of:
                        near[number].add(number_of[beside])
                        near[number_of[beside]].add(number)
            own = sum(tops[at] == self.colour for at in spaces)
            self.holds.append(Island(own, len(spaces) - own))
        for at, number in number_of.items():
            near[number].update(number_of[beside] for beside in sand.beside(at) if beside in number_of)
        self.near = tuple(map(tuple, near))
        islands_apart = range(len(differing), len(near))
        self.inland = [self.holds[number] for number in islands_apart if not near[number]]
        self.coastal = [number for number in islands_apart if near[number]]

    def sizes(self, shown: Shown) -> Sizes:
        """The sizes of the islands that count, the largest first."""
        left = {number for number, piece in enumerate(shown) if piece in self.joining}
        left.update(self.coastal)
        found = self.inland.copy()
        while left:
            reached = [left.pop()]
            own = pink = 0
            for number in reached:
                if number < len(shown):
                    own += shown[number] == self.colour
                    pink += shown[number] != self.colour
                else:
                    own += self.holds[number].own
                    pink += self.holds[number].pink
                for near in self.near[number]:
                    if near in left:
                        left.remove(near)
                        reached.append(near)
            found.append(Island(own, pink))
        return islands.counted(found, self.options.special_piece, self.options.scoring)

    def points(self, sizes: Sizes) -> int:
        """What these islands are worth, with what the referee gave or took."""
        return islands.points(sizes, self.options.scoring) + self.ruled


class Ranking:
    """What boards are worth to a player. All of them are the given one, but for the spaces in `differing`."""

    def __init__(self, state: State, player: str, differing: Sequence[str], *, ended: bool) -> None:
        self.lands = {each: Land(state, each, differing) for each in state.players}
        self.player = player
        self.ended = ended

    def worth(self, shown: Shown) -> Worth:
        """A game won before one open before one lost, then the lead over the best rival, then the own islands."""
        sizes = {each: land.sizes(shown) for each, land in self.lands.items()}
        points = {each: land.points(sizes[each]) for each, land in self.lands.items()}
        lead = points[self.player] - max(points[rival] for rival in points if rival != self.player)
        winner = islands.winner(islands.ranking(points, sizes)) if self.ended else None
        result = 0 if winner is None else 1 if winner == self.player else -1
        return result, lead, sizes[self.player]
