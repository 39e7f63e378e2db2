"""The search through the ways to topple: which piles first, and from which side.

How often each pile topples, how high the piles end and how many pieces spill depend on neither (SP-38); only the
colours do. So wherever the same piles have toppled equally often the heights are the same, in whatever order it went:
such positions make a stage. All of a stage topple alike, the same bits of a number moving to the same places, and
the search goes from stage to stage instead of from position to position.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, TypeVar, overload

from companion.games.sandpile_panic.board import BLOCK, READY, SIDES, Board, Seen, beside
from companion.games.sandpile_panic.events import Topple

Member = TypeVar("Member")


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
Code = int  # a position as one number: a few bits a piece, none set where there is no piece
Stage = tuple[int, ...]  # the topples still to come of each pile that topples; all positions there are equally high
Before = dict[Code, Code]  # position → one from which a single topple leads there


class Field:
    """The part of a board that toppling touches, numbered; the piles that topple come first.

    near        for each toppling pile the numbers of its four sides clockwise from north, −1 off the board
    heard_by    for each space the piles whose toppling reaches it
    spilled     the pieces that go over the edge
    goal        the top colour that each space must show at the end, None where anything may; None for no goal
    bits        of a code that one piece takes
    base        for each space where in a code its lowest piece stands; the pieces above follow
    """

    def __init__(self, board: Board, fired: Firings, goal: Seen | None = None) -> None:
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
        heard_by: list[list[int]] = [[] for _ in self.spaces]
        for pile, sides in enumerate(self.near):
            for number in sides:
                if number >= 0:
                    heard_by[number].append(pile)
        self.heard_by = tuple(map(tuple, heard_by))

        self.letters = ("", *sorted(set("".join((*self.start, *filter(None, self.goal or ()))))))
        self.bits = (len(self.letters) - 1).bit_length()
        highest = (
            len(pile) + sum(self.first_stage[source] for source in heard)
            for pile, heard in zip(self.start, self.heard_by, strict=True)
        )
        self.base = tuple(accumulate((height * self.bits for height in highest), initial=0))
        self.everything = (1 << self.base[-1]) - 1

    # positions as numbers

    def coded(self, position: Position) -> Code:
        """A position as one number."""
        return sum(
            self.letters.index(piece) << base + height * self.bits
            for base, pile in zip(self.base, position, strict=False)
            for height, piece in enumerate(pile)
        )

    def position(self, code: Code) -> Position:
        """The piles that a number stands for."""
        return tuple(self.pile(code, number) for number in range(len(self.spaces)))

    def pile(self, code: Code, number: int) -> str:
        """One of these piles."""
        pieces, left = "", self.field(code, number)
        while left:
            pieces += self.letters[left & (1 << self.bits) - 1]
            left >>= self.bits
        return pieces

    def field(self, code: Code, number: int) -> Code:
        """The bits of one pile; those of a higher pile are a greater number."""
        start, end = self.base[number : number + 2]
        return code >> start & (1 << end - start) - 1

    def board(self, board: Board, position: Position) -> Board:
        """The whole board with these piles in it."""
        return {**board, **dict(zip(self.spaces, position, strict=True))}

    @cached_property
    def top_places(self) -> tuple[int, ...]:
        """Where in a code the top piece of every space stands at the end."""
        heights = self.heights(self.last_stage)
        return tuple(base + (height - 1) * self.bits for base, height in zip(self.base, heights, strict=False))

    @cached_property
    def tops(self) -> Code:
        """The bits of every top piece at the end: `code & tops` is the same where the board looks the same."""
        return sum((1 << self.bits) - 1 << place for place in self.top_places)

    def shown(self, code: Code) -> tuple[str, ...]:
        """The top colours of an end, in the order of the spaces."""
        piece = (1 << self.bits) - 1
        return tuple(self.letters[code >> place & piece] for place in self.top_places)

    # from stage to stage

    def heights(self, stage: Stage) -> tuple[int, ...]:
        """How high every pile stands in all positions of a stage."""
        fired = [times - left for times, left in zip(self.first_stage, stage, strict=True)]
        return tuple(
            len(pile) + sum(fired[source] for source in heard) - (BLOCK * fired[number] if number in self.firing else 0)
            for number, (pile, heard) in enumerate(zip(self.start, self.heard_by, strict=True))
        )

    def first(self, stage: Stage, heights: Sequence[int]) -> tuple[int, ...]:
        """The ready piles that need be tried next: one group of them, as the others can wait.

        Piles that touch no common space topple independently. So the piles still to topple fall into groups that
        cannot meet any more, and all orders between two groups lead to the same positions.
        """
        ready = [pile for pile in self.firing if heights[pile] >= READY]
        if len(ready) == 1:
            return tuple(ready)
        groups = grouped((pile for pile in self.firing if stage[pile]), self.regions)
        group = next(group for group in groups if ready[0] in group)
        return tuple(pile for pile in ready if pile in group)

    def topple(self, codes: Collection[Code], stage: Stage, heights: Sequence[int], pile: int) -> tuple[Stage, Before]:
        """The stage after one more topple of a pile, and each distinct position there with the one before it.

        The positions where a space shows a wrong top, and nothing can reach it any more, are left out.
        """
        taken = ((1 << BLOCK * self.bits) - 1) << self.base[pile] + (heights[pile] - BLOCK) * self.bits
        stays = self.everything ^ taken
        lands = {block: self.lands(block, heights, pile) for block in {code & taken for code in codes}}
        after = {code & stays | landed: code for code in codes for landed in lands[code & taken]}
        left = (*stage[:pile], stage[pile] - 1, *stage[pile + 1 :])
        if self.goal is not None:
            seen, wanted = self.settled(left, pile)
            after = {code: before for code, before in after.items() if code & seen == wanted}
        return left, after

    def lands(self, block: Code, heights: Sequence[int], pile: int) -> frozenset[Code]:
        """The bits that are set where the pieces of a block land, for each side it may begin with (SP-32, SP-35)."""
        bottom = self.base[pile] + (heights[pile] - BLOCK) * self.bits
        piece = (1 << self.bits) - 1
        pieces = [block >> bottom + number * self.bits & piece for number in range(BLOCK)]
        places = [
            (side, self.base[number] + heights[number] * self.bits)
            for side, number in enumerate(self.near[pile])
            if number >= 0
        ]
        return frozenset(sum(pieces[side - turn] << place for side, place in places) for turn in range(BLOCK))

    def settled(self, stage: Stage, pile: int) -> tuple[Code, Code]:
        """The top pieces that a pile, the last to topple before a stage, leaves for good around it, and their goal."""
        assert self.goal is not None
        heights = self.heights(stage)
        seen = wanted = 0
        for number in self.regions[pile]:
            if (number in self.firing and stage[number]) or any(stage[source] for source in self.heard_by[number]):
                continue
            top = self.goal[number]
            if top is None:
                continue
            place = self.base[number] + (heights[number] - 1) * self.bits
            seen |= (1 << self.bits) - 1 << place
            wanted |= self.letters.index(top) << place
        return seen, wanted

    def topple_between(self, before: Code, after: Code) -> Topple:
        """The topple that leads from one position to the next."""
        changed = before ^ after
        pile = next(
            pile
            for pile in self.firing
            if self.field(changed, pile) and self.field(after, pile) < self.field(before, pile)
        )
        block = self.pile(before, pile)[-BLOCK:]
        landed = [(side, self.pile(after, number)[-1]) for side, number in enumerate(self.near[pile]) if number >= 0]
        turn = next(turn for turn in range(BLOCK) if all(block[side - turn] == piece for side, piece in landed))
        return Topple(self.spaces[pile], SIDES[turn])


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


class Lazy(Sequence[Member]):
    """A sequence whose members are made from codes when they are looked at: most never are."""

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
    """What a search found, whether that is all there is, and how many positions it looked at."""

    field: Field
    codes: tuple[Code, ...]
    before: Before
    complete: bool
    looked_at: int

    @property
    def found(self) -> Lazy[Found]:
        """Every distinct final position, with a way there."""
        return Lazy(self.codes, self.way_to)

    def way_to(self, end: Code) -> Found:
        """A final position and topples that lead there."""
        topples, after = [], end
        while after in self.before:
            before = self.before[after]
            topples.append(self.field.topple_between(before, after))
            after = before
        return Found(self.field.position(end), tuple(reversed(topples)))


def ends(field: Field, bound: int, most: int | None = None) -> Ends:
    """Every distinct final position.

    bound       how many positions are looked at, or a few more: no topple of a stage is left half done
    most        how many ends are wanted: where a quick look finds so many, nobody knows whether there are more

    Each position is looked at once, however many orders lead there. Beyond the bound a few positions are followed to
    their ends, so that even a bound that is far too small leaves some.
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
            for pile in field.first(stage, heights):
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
    """Some of the ends that positions of a stage lead to: one order of the piles alone, so many positions a stage."""
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
