"""The best load of a truck, exactly: a search of our own over what may lie where.

No gaps under boxes (PS-43) means that each square of the loading area is filled from the floor up to some level and is
air from there to the top. So a load cuts the cells of a truck into boxes and columns of air, each of which reaches the
top. The search fills the first free cell, in a fixed order, with each box that is left or with the air above it, and
allows only so much air in all. What failed once with so much air is not tried again with less.
"""

from collections.abc import Callable
from dataclasses import dataclass

from companion.equipment.trucks import Truck
from companion.games.pack_and_stack.loads import SIZES, Box, Cell, Counts

COUNT_BITS = 8  # how many boxes of a size are left, packed beside those of the other sizes
COUNT_MASK = (1 << COUNT_BITS) - 1
LOOKS = 128  # steps between two looks at the clock
FIRST_STEPS = 4_000  # what one question may cost before another is asked; fourfold each time


@dataclass(frozen=True)
class BestLoad:
    """The best load that was found, and the volume that no load exceeds: proven when it reaches that."""

    boxes: tuple[Box, ...]
    most: int

    @property
    def loaded(self) -> int:
        """Volume of the boxes in the truck."""
        return sum(box.size for box in self.boxes)

    @property
    def proven(self) -> bool:
        """No load is better."""
        return self.loaded == self.most


def best_load(truck: Truck, rolled: Counts, out_of_time: Callable[[], bool] = lambda: False) -> BestLoad:
    """The load of least loss: as much volume as goes in, since each loaded unit saves 3 (PS-52).

    `out_of_time` is asked now and then; once it says so, the best load found until then is the answer.
    """
    search = _Search(truck, rolled, out_of_time)
    least = search.room - search.bound(search.everything, search.counts)  # no load leaves less air than this
    found: list[_Bar] = []
    asked, steps = least, FIRST_STEPS  # usually the bound is reached at once
    while search.air_of(found) > least and not out_of_time():
        try:
            better = search.fill(asked, steps)
        except _TookTooLong:
            # ask for less: for any load at all, for one that is a little better, then for the best with more patience
            if asked == least:
                asked = search.air_of(found) - 1
            else:
                asked, steps = least, 4 * steps
            continue
        if better is None:
            least = asked + 1  # nothing is as good as was asked
        else:
            found = better
        asked = least
    return BestLoad(search.boxes_of(found), search.room - least)


class _TookTooLong(Exception):
    """The steps allowed, or the time, are used up."""


@dataclass(frozen=True)
class _Bar:
    """A box in one place: its size, the bits of its cells, and one box of its size among the packed counts."""

    size: int
    bits: int
    one: int


class _Search:
    """One truck and one roll. Cells are bits of a number: along the longer side first, then across, then upwards.

    A spare bit ends each row, so that a run of bits never goes round a corner.
    """

    def __init__(self, truck: Truck, rolled: Counts, out_of_time: Callable[[], bool]) -> None:
        squares = sorted(truck.squares)
        lies_across = max((row for row, _ in squares), default=0) > max((column for _, column in squares), default=0)
        self.lies_across = lies_across
        places = [(row, column) if lies_across else (column, row) for row, column in squares]
        across = max((second for _, second in places), default=0)
        upwards = max(0, truck.height)
        self.strides = ((across + 1) * (upwards + 1), upwards + 1, 1)
        self.bit = {
            (first, second, level): first * self.strides[0] + second * self.strides[1] + level
            for first, second in places
            for level in range(1, upwards + 1)
        }
        self.cell = {bit: cell for cell, bit in self.bit.items()}
        self.everything = sum(1 << bit for bit in self.cell)
        self.room = len(self.cell)
        self.counts = sum(min(number, COUNT_MASK) << COUNT_BITS * (size - 1) for size, number in _sized(rolled))
        self.out_of_time = out_of_time
        self.bars = {bit: self._bars_from(cell) for cell, bit in self.bit.items()}
        self.above = {
            bit: sum(1 << self.bit[first, second, higher] for higher in range(level, upwards + 1))
            for (first, second, level), bit in self.bit.items()
        }
        self.colours = {  # a bar of a size covers each colour of its size once, wherever it lies
            size: tuple(
                sum(1 << bit for cell, bit in self.bit.items() if sum(cell) % size == colour) for colour in range(size)
            )
            for size in SIZES[1:]
        }
        self.failed: dict[tuple[int, int], int] = {}
        self.steps_left = 0

    def _bars_from(self, cell: Cell) -> tuple[_Bar, ...]:
        """Every box that has this cell as its first, the largest first."""
        found = []
        for size in reversed(SIZES):
            for way in (0, 1, 2) if size > 1 else (0,):
                first = sum(part * stride for part, stride in zip(cell, self.strides, strict=True))
                places = [first + step * self.strides[way] for step in range(size)]
                if all(bit in self.cell for bit in places):
                    bits = sum(1 << bit for bit in places)
                    found.append(_Bar(size, bits, 1 << COUNT_BITS * (size - 1)))
        return tuple(found)

    def fill(self, air: int, steps: int) -> list[_Bar] | None:
        """Boxes that leave at most so much air, None when there are none; raises _TookTooLong after so many steps."""
        self.steps_left = steps
        found: list[_Bar] = []
        if not self._fits(self.everything, self.counts, air, found):
            return None
        return found

    def _fits(self, free: int, counts: int, air: int, found: list[_Bar]) -> bool:
        """Whether boxes and at most so much air fill the free cells; the boxes are then in `found`, last first."""
        if not free:
            return True
        counts = self._useful(free, counts)
        if free.bit_count() - air > _volume(counts) or self.failed.get((free, counts), -1) >= air:
            return False
        self._count_step()
        first = (free & -free).bit_length() - 1
        for bar in self.bars[first]:
            if (
                counts >> COUNT_BITS * (bar.size - 1) & COUNT_MASK
                and bar.bits & free == bar.bits
                and self._fits(free ^ bar.bits, counts - bar.one, air, found)
            ):
                found.append(bar)
                return True
        above = self.above[first]
        if (
            above & free == above
            and above.bit_count() <= air
            and self._fits(free ^ above, counts, air - above.bit_count(), found)
        ):
            return True
        self.failed[free, counts] = air
        return False

    def _useful(self, free: int, counts: int) -> int:
        """The boxes left, without those for which there can be no place among the free cells.

        A size needs free cells in runs of its length, and as many of each of its colours as there are boxes.
        """
        useful = min(counts & COUNT_MASK, free.bit_count())
        for size in SIZES[1:]:
            number = counts >> COUNT_BITS * (size - 1) & COUNT_MASK
            if number:
                covered = self._runs(free, size)
                number = min(number, *((covered & colour).bit_count() for colour in self.colours[size]))
                useful |= number << COUNT_BITS * (size - 1)
        return useful

    def _runs(self, free: int, size: int) -> int:
        """The free cells that a box of this size could cover."""
        covered = 0
        for stride in self.strides:
            starts = free
            for step in range(1, size):
                starts &= free >> stride * step
            for step in range(size):
                covered |= starts << stride * step
        return covered

    def bound(self, free: int, counts: int) -> int:
        """A volume that no load of the free cells exceeds."""
        return min(free.bit_count(), _volume(self._useful(free, counts)))

    def _count_step(self) -> None:
        self.steps_left -= 1
        if self.steps_left < 0 or (self.steps_left % LOOKS == 0 and self.out_of_time()):
            raise _TookTooLong

    def air_of(self, found: list[_Bar]) -> int:
        """Spaces that the boxes leave empty."""
        return self.room - sum(bar.size for bar in found)

    def boxes_of(self, found: list[_Bar]) -> tuple[Box, ...]:
        """The boxes with their cells as (row, column, level), from the floor up."""
        boxes = []
        for bar in found:
            cells = [cell for bit, cell in self.cell.items() if bar.bits >> bit & 1]
            if not self.lies_across:
                cells = [(second, first, level) for first, second, level in cells]
            boxes.append(Box(bar.size, tuple(sorted(cells))))
        return tuple(sorted(boxes, key=lambda box: sorted((level, row, column) for row, column, level in box.cells)))


def _sized(counts: Counts) -> list[tuple[int, int]]:
    return list(zip(SIZES, counts, strict=True))


def _volume(counts: int) -> int:
    """Units of volume of packed counts."""
    return sum(size * (counts >> COUNT_BITS * (size - 1) & COUNT_MASK) for size in SIZES)
