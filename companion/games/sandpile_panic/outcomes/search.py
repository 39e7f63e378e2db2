"""The search through the ways to topple: the order of the piles, and the starting side of each.

The number of topples of each pile, the final heights and the number of spilled pieces depend on neither (SP-38); only
the colours do. So after equally many topples of each pile, in any order, the heights are the same: such positions form
a stage. A topple moves the same bits to the same places in all positions of a stage, so the search goes from stage to
stage instead of from position to position.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, TypeVar, overload

from companion.games.sandpile_panic.board import BLOCK, READY, SIDES, Board, UnsureTops, beside
from companion.games.sandpile_panic.events import Topple

Member = TypeVar("Member")


class Firings(NamedTuple):
    """The results that no choice affects (SP-38): space → topples, space → final height, number of spilled pieces."""

    topples: Mapping[str, int]
    heights: Mapping[str, int]
    spilled: int

    @property
    def touched(self) -> frozenset[str]:
        """Every space whose pile changes."""
        return frozenset(at for fired in self.topples for at in (fired, *beside(fired)) if at in self.heights)


def firings(board: Board) -> Firings:
    """The firings of a board, from heights alone."""
    heights = {at: len(pile) for at, pile in board.items()}
    topples: dict[str, int] = {}
    spilled = 0
    waiting = [at for at, height in heights.items() if height >= READY]
    while waiting:
        at = waiting.pop()
        times = (heights[at] - 1) // BLOCK  # Of 9 pieces, 5 stay and topple again (SP-31).
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


Position = tuple[str, ...]  # It has the piles of the touched spaces, in the order of Field.spaces.
Code = int  # It is a position as a number: each piece has a few bits, which are 0 for no piece.
Stage = tuple[int, ...]  # Each toppling pile has so many topples left.
Before = dict[Code, Code]  # A single topple leads from the position that is the value to the key.


class Field:
    """The part of a board that toppling touches; its spaces are numbered, toppling piles first.

    near        for each toppling pile, the numbers of its four neighbours clockwise from north, −1 off the board
    sources     for each space, the piles whose topples reach it
    spilled     number of pieces that leave the board
    goal        for each space, the top colour that it must show at the end, None for any; None for no goal
    bits        number of bits for one piece in a code
    base        for each space, the place of its lowest piece in a code; the pieces above follow
    """

    def __init__(self, board: Board, fired: Firings, goal: UnsureTops | None = None) -> None:
        firing = sorted(fired.topples)
        self.spilled = fired.spilled
        self.spaces = (*firing, *sorted(fired.touched - set(firing)))
        self.firing = range(len(firing))
        numbers = {at: number for number, at in enumerate(self.spaces)}
        self.near = tuple(tuple(numbers.get(near, -1) for near in beside(at)) for at in firing)
        self.start: Position = tuple(board[at] for at in self.spaces)
        self.goal = None if goal is None else tuple(goal[at] for at in self.spaces)
        self.first_stage: Stage = tuple(fired.topples[at] for at in firing)
        self.last_stage: Stage = (0,) * len(firing)
        self.regions = tuple(frozenset((pile, *self.near[pile])) - {-1} for pile in self.firing)
        sources: list[list[int]] = [[] for _ in self.spaces]
        for pile, sides in enumerate(self.near):
            for number in sides:
                if number >= 0:
                    sources[number].append(pile)
        self.sources = tuple(map(tuple, sources))

        self.letters = ("", *sorted(set("".join((*self.start, *filter(None, self.goal or ()))))))
        self.bits = (len(self.letters) - 1).bit_length()
        highest = (
            len(pile) + sum(self.first_stage[source] for source in sources)
            for pile, sources in zip(self.start, self.sources, strict=True)
        )
        self.base = tuple(accumulate((height * self.bits for height in highest), initial=0))
        self.everything = (1 << self.base[-1]) - 1

    def coded(self, position: Position) -> Code:
        """The code of a position."""
        return sum(
            self.letters.index(piece) << base + height * self.bits
            for base, pile in zip(self.base, position, strict=False)
            for height, piece in enumerate(pile)
        )

    def position(self, code: Code) -> Position:
        """The position of a code."""
        return tuple(self.pile(code, number) for number in range(len(self.spaces)))

    def pile(self, code: Code, number: int) -> str:
        """One pile of a code."""
        pieces, left = "", self.bits_of(code, number)
        while left:
            pieces += self.letters[left & (1 << self.bits) - 1]
            left >>= self.bits
        return pieces

    def bits_of(self, code: Code, number: int) -> Code:
        """The bits of one pile; a higher pile has a greater number."""
        start, end = self.base[number : number + 2]
        return code >> start & (1 << end - start) - 1

    def board(self, board: Board, position: Position) -> Board:
        """The whole board with the piles of a position."""
        return {**board, **dict(zip(self.spaces, position, strict=True))}

    @cached_property
    def top_places(self) -> tuple[int, ...]:
        """The place in a code of each space's top piece at the end."""
        heights = self.heights(self.last_stage)
        return tuple(base + (height - 1) * self.bits for base, height in zip(self.base, heights, strict=False))

    @cached_property
    def tops(self) -> Code:
        """The bits of all top pieces at the end: `code & tops` is equal for boards that look the same."""
        return sum((1 << self.bits) - 1 << place for place in self.top_places)

    def top_colours(self, code: Code) -> tuple[str, ...]:
        """The top colours of an end, in the order of the spaces."""
        piece = (1 << self.bits) - 1
        return tuple(self.letters[code >> place & piece] for place in self.top_places)

    def heights(self, stage: Stage) -> tuple[int, ...]:
        """The heights of the piles in all positions of a stage."""
        fired = [times - left for times, left in zip(self.first_stage, stage, strict=True)]
        return tuple(
            len(pile)
            + sum(fired[source] for source in sources)
            - (BLOCK * fired[number] if number in self.firing else 0)
            for number, (pile, sources) in enumerate(zip(self.start, self.sources, strict=True))
        )

    def next_piles(self, stage: Stage, heights: Sequence[int]) -> tuple[int, ...]:
        """The ready piles to try next: one group of them, since the others can wait.

        Piles that touch no common space topple independently. So the remaining piles form groups that no longer meet,
        and all orders between two groups lead to the same positions.
        """
        ready = [pile for pile in self.firing if heights[pile] >= READY]
        if len(ready) == 1:
            return tuple(ready)
        groups = grouped((pile for pile in self.firing if stage[pile]), self.regions)
        group = next(group for group in groups if ready[0] in group)
        return tuple(pile for pile in ready if pile in group)

    def topple(self, codes: Collection[Code], stage: Stage, heights: Sequence[int], pile: int) -> tuple[Stage, Before]:
        """(the stage after one more topple of a pile, its distinct positions with those before them).

        Positions with a wrong top on a space that no topple can reach any more are left out.
        """
        block_bits = ((1 << BLOCK * self.bits) - 1) << self.base[pile] + (heights[pile] - BLOCK) * self.bits
        stays = self.everything ^ block_bits
        landings = {block: self.landings(block, heights, pile) for block in {code & block_bits for code in codes}}
        after = {code & stays | landed: code for code in codes for landed in landings[code & block_bits]}
        left = (*stage[:pile], stage[pile] - 1, *stage[pile + 1 :])
        if self.goal is not None:
            bits, wanted = self.final_tops(left, pile)
            after = {code: before for code, before in after.items() if code & bits == wanted}
        return left, after

    def landings(self, block: Code, heights: Sequence[int], pile: int) -> frozenset[Code]:
        """The bits of a block's pieces at their new places, for each starting side (SP-32, SP-35)."""
        bottom = self.base[pile] + (heights[pile] - BLOCK) * self.bits
        piece = (1 << self.bits) - 1
        pieces = [block >> bottom + number * self.bits & piece for number in range(BLOCK)]
        places = [
            (side, self.base[number] + heights[number] * self.bits)
            for side, number in enumerate(self.near[pile])
            if number >= 0
        ]
        return frozenset(sum(pieces[side - turn] << place for side, place in places) for turn in range(BLOCK))

    def final_tops(self, stage: Stage, pile: int) -> tuple[Code, Code]:
        """(bits, their goal) of the top pieces around a pile that no later topple changes.

        pile        the last to topple before the stage
        """
        assert self.goal is not None
        heights = self.heights(stage)
        bits = wanted = 0
        for number in self.regions[pile]:
            if (number in self.firing and stage[number]) or any(stage[source] for source in self.sources[number]):
                continue
            top = self.goal[number]
            if top is None:
                continue
            place = self.base[number] + (heights[number] - 1) * self.bits
            bits |= (1 << self.bits) - 1 << place
            wanted |= self.letters.index(top) << place
        return bits, wanted

    def topple_between(self, before: Code, after: Code) -> Topple:
        """The topple that leads from one position to the next."""
        changed = before ^ after
        pile = next(
            pile
            for pile in self.firing
            if self.bits_of(changed, pile) and self.bits_of(after, pile) < self.bits_of(before, pile)
        )
        block = self.pile(before, pile)[-BLOCK:]
        landed = [(side, self.pile(after, number)[-1]) for side, number in enumerate(self.near[pile]) if number >= 0]
        turn = next(turn for turn in range(BLOCK) if all(block[side - turn] == piece for side, piece in landed))
        return Topple(self.spaces[pile], SIDES[turn])


def grouped(piles: Iterable[int], regions: tuple[frozenset[int], ...]) -> tuple[frozenset[int], ...]:
    """The piles in groups whose regions meet, directly or through others."""
    groups: list[tuple[frozenset[int], frozenset[int]]] = []  # A group has its piles and all their spaces.
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


class End(NamedTuple):
    """A final position, and topples that lead there."""

    position: Position
    topples: tuple[Topple, ...]


class Lazy(Sequence[Member]):
    """A sequence whose members are made from codes on access, since most are never accessed."""

    def __init__(self, codes: Sequence[Code], make: Callable[[Code], Member]) -> None:
        self.codes = codes
        self.make = make

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, index: int) -> Member: ...
    @overload
    def __getitem__(self, index: slice) -> "Lazy[Member]": ...
    def __getitem__(self, index: int | slice) -> "Member | Lazy[Member]":
        if isinstance(index, slice):
            return Lazy(self.codes[index], self.make)
        return self.make(self.codes[index])


@dataclass(frozen=True)
class Ends:
    """The result of a search: final positions, whether these are all, and the number of positions looked at."""

    field: Field
    codes: tuple[Code, ...]
    before: Before
    complete: bool
    looked_at: int

    @property
    def ends(self) -> Lazy[End]:
        """The distinct final positions, each with topples that lead there."""
        return Lazy(self.codes, self.way_to)

    def way_to(self, end: Code) -> End:
        """The final position of a code, with topples that lead there."""
        topples, after = [], end
        while after in self.before:
            before = self.before[after]
            topples.append(self.field.topple_between(before, after))
            after = before
        return End(self.field.position(end), tuple(reversed(topples)))


def ends(field: Field, bound: int, most: int | None = None) -> Ends:
    """The distinct final positions.

    bound       number of positions to look at, exceeded only to finish a topple of a stage
    most        number of ends wanted; if a quick look finds so many, the search stops and is not complete

    Each position is looked at once, however many orders lead there. Beyond the bound, a few positions are followed to
    their ends, so that even a small bound gives some ends.
    """
    if bound < 1:
        return Ends(field, (), {}, complete=False, looked_at=0)
    start = field.coded(field.start)
    if most is not None:
        before: Before = {}
        codes = followed(field, field.first_stage, {start: start}, before, most)
        if len(codes) >= most:
            return Ends(field, codes[:most], before, complete=False, looked_at=len(before) + 1)
    before = {}
    stages: dict[Stage, Before] = {field.first_stage: {start: start}}
    while field.last_stage not in stages and stages:
        reached: dict[Stage, Before] = {}
        for stage, positions in stages.items():
            heights = field.heights(stage)
            for pile in field.next_piles(stage, heights):
                if len(before) >= bound:
                    width = max(1, bound // sum(field.first_stage))
                    codes = followed(field, stage, positions, before, width)
                    return Ends(field, codes, before, complete=False, looked_at=len(before) + 1)
                left, after = field.topple(positions, stage, heights, pile)
                before.update(after)
                if after:
                    reached.setdefault(left, {}).update(after)
        stages = reached
    codes = tuple(stages.get(field.last_stage, ()))
    complete = most is None or len(codes) < most
    return Ends(field, codes[:most], before, complete, looked_at=len(before) + 1)


def followed(field: Field, stage: Stage, positions: Iterable[Code], before: Before, width: int) -> tuple[Code, ...]:
    """Some of the ends of positions in a stage: by only one order of the piles, with `width` positions a stage."""
    codes = tuple(positions)
    heights = list(field.heights(stage))
    while stage != field.last_stage:
        pile = next(pile for pile in field.firing if heights[pile] >= READY)
        stage, after = field.topple(codes[:width], stage, heights, pile)
        before.update(after)
        codes = tuple(after)
        heights[pile] -= BLOCK
        for number in field.regions[pile] - {pile}:
            heights[number] += 1
    return codes
