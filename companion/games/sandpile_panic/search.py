"""The search through the ways to topple: which piles first, and from which side.

How often each pile topples, how high the piles end and how many pieces spill depend on neither (SP-38); only the
colours do. So the topples of every pile are known beforehand, and the search branches over the rest alone.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from companion.games.sandpile_panic.board import BLOCK, READY, SIDES, Board, Tops, beside
from companion.games.sandpile_panic.rules import Topple


class Firings(NamedTuple):
    """What does not depend on any choice (SP-38): topples of each pile, heights at the end, pieces spilled."""

    topples: Mapping[str, int]
    heights: Mapping[str, int]
    spilled: int

    @property
    def touched(self) -> frozenset[str]:
        """Every space whose pile changes by toppling."""
        return frozenset(at for fired in self.topples for at in (fired, *beside(fired)) if at in self.heights)


def firings(board: Board) -> Firings:
    """Topples every pile in whatever order, counting heights alone."""
    heights = {at: len(pile) for at, pile in board.items()}
    topples: dict[str, int] = {}
    spilled = 0
    waiting = [at for at, height in heights.items() if height >= READY]
    while waiting:
        at = waiting.pop()
        times = (heights[at] - 1) // BLOCK  # from 9 pieces 5 stay, which topple again (SP-31)
        if times <= 0:
            continue
        heights[at] -= times * BLOCK
        topples[at] = topples.get(at, 0) + times
        for near in beside(at):
            if near not in heights:
                spilled += times
                continue
            heights[near] += times
            if heights[near] >= READY:
                waiting.append(near)
    return Firings(topples, heights, spilled)


Position = tuple[str, ...]  # the piles of the touched spaces, in the order of Field.spaces


class Step(NamedTuple):
    """One topple in a search: the pile, how far its block was turned, and the topples that are left then."""

    before: Position
    pile: int
    turn: int
    after: Position
    to_fire: tuple[int, ...]


class Field:
    """The part of a board that toppling touches, numbered; the piles that topple come first.

    near        for each toppling pile the numbers of its four sides clockwise from north, −1 off the board
    heard_by    for each space the piles whose toppling reaches it
    goal        the top colour that each space must show at the end, None where anything may
    """

    def __init__(self, board: Board, fired: Firings, goal: Tops | None = None) -> None:
        firing = sorted(fired.topples)
        self.spaces = (*firing, *sorted(fired.touched - set(firing)))
        self.firing = range(len(firing))
        numbers = {at: number for number, at in enumerate(self.spaces)}
        self.near = tuple(tuple(numbers.get(near, -1) for near in beside(at)) for at in firing)
        self.start: Position = tuple(board[at] for at in self.spaces)
        self.goal = None if goal is None else tuple(goal[at] for at in self.spaces)
        self.to_fire = tuple(fired.topples.get(at, 0) for at in self.spaces)
        self.regions = tuple(frozenset((pile, *self.near[pile])) - {-1} for pile in self.firing)
        self.groups: dict[tuple[int, ...], tuple[frozenset[int], ...]] = {}
        heard_by: list[list[int]] = [[] for _ in self.spaces]
        for pile, sides in enumerate(self.near):
            for number in sides:
                if number >= 0:
                    heard_by[number].append(pile)
        self.heard_by = tuple(map(tuple, heard_by))

    def board(self, board: Board, position: Position) -> Board:
        """The whole board with these piles in it."""
        return {**board, **dict(zip(self.spaces, position, strict=True))}

    def steps(self, before: Position, to_fire: tuple[int, ...]) -> Iterator[Step]:
        """Each distinct way to topple one of the piles that are to be tried next."""
        for pile in self.first(before, to_fire):
            block, near = before[pile][-BLOCK:], self.near[pile]
            rest = list(before)
            rest[pile] = before[pile][:-BLOCK]
            left = (*to_fire[:pile], to_fire[pile] - 1, *to_fire[pile + 1 :])
            seen = set()
            for turn in range(BLOCK):
                pieces = block[-turn:] + block[:-turn]  # as they land: north, east, south, west
                if pieces in seen:
                    continue
                seen.add(pieces)
                piles = rest.copy()
                for number, piece in zip(near, pieces, strict=True):
                    if number >= 0:
                        piles[number] += piece
                yield Step(before, pile, turn, tuple(piles), left)

    def first(self, position: Position, to_fire: tuple[int, ...]) -> tuple[int, ...]:
        """The ready piles that need be tried next: one group of them, as the others can wait.

        Piles that touch no common space topple independently. So the piles still to topple fall into groups that
        cannot meet any more, and all orders between two groups lead to the same positions.
        """
        ready = [pile for pile in self.firing if len(position[pile]) >= READY]
        if len(ready) == 1:
            return tuple(ready)
        left = tuple(pile for pile in self.firing if to_fire[pile])
        if left not in self.groups:
            self.groups[left] = grouped(left, self.regions)
        group = next(group for group in self.groups[left] if ready[0] in group)
        return tuple(pile for pile in ready if pile in group)

    def fits(self, step: Step) -> bool:
        """Whether each space around the pile that toppled, if nothing can reach it any more, shows its goal."""
        if self.goal is None:
            return True
        for number in (step.pile, *self.near[step.pile]):
            if number < 0 or step.to_fire[number] or step.after[number][-1:] == self.goal[number]:
                continue
            if not any(step.to_fire[source] for source in self.heard_by[number]):
                return False
        return True


def grouped(piles: Iterable[int], regions: tuple[frozenset[int], ...]) -> tuple[frozenset[int], ...]:
    """Piles whose regions meet, directly or through others, together."""
    groups: list[tuple[frozenset[int], frozenset[int]]] = []  # the piles and all their spaces
    for pile in piles:
        members, spaces = frozenset({pile}), regions[pile]
        apart = []
        for group in groups:
            if group[1].isdisjoint(spaces):
                apart.append(group)
            else:
                members, spaces = members | group[0], spaces | group[1]
        groups = [*apart, (members, spaces)]
    return tuple(members for members, _ in groups)


class Found(NamedTuple):
    """A position where all piles stand, and how it was reached."""

    position: Position
    topples: tuple[Topple, ...]


class Ends(NamedTuple):
    """What a search found, whether that is all there is, and how many positions it looked at."""

    found: tuple[Found, ...]
    complete: bool
    looked_at: int


def ends(field: Field, bound: int, most: int | None = None) -> Ends:
    """Every distinct final position.

    bound       how many positions are looked at
    most        how many ends are wanted: the search stops there, and does not know whether there are more

    Each position is looked at once, however many orders lead there; deep first, so that even a bound that is far too
    small leaves some ends.
    """
    reached: dict[Position, tuple[Position, int, int] | None] = {field.start: None}
    if not any(field.to_fire):
        return Ends((Found(field.start, ()),), True, 1)
    found: list[Position] = []
    path = [field.steps(field.start, field.to_fire)]
    while path:
        step = next(path[-1], None)
        if step is None:
            path.pop()
            continue
        if step.after in reached:
            continue
        if len(reached) >= bound:
            return Ends(ways(field, reached, found), False, len(reached))
        reached[step.after] = (step.before, step.pile, step.turn)
        if not field.fits(step):
            continue
        if any(step.to_fire):
            path.append(field.steps(step.after, step.to_fire))
            continue
        found.append(step.after)
        if len(found) == most:
            return Ends(ways(field, reached, found), False, len(reached))
    return Ends(ways(field, reached, found), True, len(reached))


Steps = Mapping[Position, tuple[Position, int, int] | None]  # position → the one before, pile and turn that led here


def ways(field: Field, reached: Steps, found: Iterable[Position]) -> tuple[Found, ...]:
    """Final positions, each with the topples that lead there."""
    return tuple(Found(end, way_to(field, reached, end)) for end in found)


def way_to(field: Field, reached: Steps, end: Position) -> tuple[Topple, ...]:
    """The topples that lead to a position."""
    topples = []
    step = reached[end]
    while step is not None:
        before, pile, turn = step
        topples.append(Topple(field.spaces[pile], SIDES[turn]))
        step = reached[before]
    return tuple(reversed(topples))
