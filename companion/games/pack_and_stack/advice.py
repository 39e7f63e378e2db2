"""The exact best load of a truck, by a search of our own.

Without gaps under boxes (PS-43), each square of the loading area is filled from the floor up to some level and empty
above it. So a load divides the cells of a truck into boxes and columns of air that reach the top. The search fills the
first free cell, in a fixed order, with each box that is left or with a column of air, within a limit of air. A position
that failed with some air is not tried again with less.
"""

from collections.abc import Callable
from dataclasses import dataclass

from companion.equipment.trucks import Truck
from companion.games.pack_and_stack.loads import SIZES, Box, Cell, Counts

COUNT_BITS = 8  # Packed counts have so many bits for the number of boxes of one size.
COUNT_MASK = (1 << COUNT_BITS) - 1
STEPS_BETWEEN_CLOCKS = 128
FIRST_STEPS = 4_000  # One attempt ends after so many before another is made; each may take four times as many.


@dataclass(frozen=True)
class BestLoad:
    """The best load that was found, and `most`, a volume that no load exceeds."""

    boxes: tuple[Box, ...]
    most: int

    @property
    def loaded(self) -> int:
        """The volume of the boxes in the truck."""
        return sum(box.size for box in self.boxes)

    @property
    def proven(self) -> bool:
        """Whether no load is better."""
        return self.loaded == self.most


def best_load(truck: Truck, rolled: Counts, out_of_time: Callable[[], bool] = lambda: False) -> BestLoad:
    """The load of least loss, which is the one of most volume, since each loaded unit saves 3 (PS-52).

    out_of_time     called now and then; once it returns True, the best load so far is returned
    """
    search = _Search(truck, rolled, out_of_time)
    least = search.room - search.bound(search.everything, search.counts)  # No load leaves less air than this.
    bars: list[_Bar] = []
    air, steps = least, FIRST_STEPS  # The bound is usually reached at once.
    while search.air_of(bars) > least and not out_of_time():
        try:
            better = search.fill(air, steps)
        except _TookTooLong:
            # A load that is only a little better comes next, then the best again with more steps.
            if air == least:
                air = search.air_of(bars) - 1
            else:
                air, steps = least, 4 * steps
            continue
        if better is None:
            least = air + 1  # No load has so little air.
        else:
            bars = better
        air = least
    return BestLoad(search.boxes_of(bars), search.room - least)


class _TookTooLong(Exception):
    """The allowed steps, or the time, are used up."""


@dataclass(frozen=True)
class _Bar:
    """A box in one place: its size, the bits of its cells, and one box of its size in packed counts."""

    size: int
    bits: int
    unit: int


class _Search:
    """The search for one truck and one roll.

    Cells are bits of a number: along the longer side, then across, then upwards. A spare bit ends each row, so that a
    run of bits never goes round a corner.
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
        self.counts = sum(
            min(number, COUNT_MASK) << COUNT_BITS * (size - 1) for size, number in zip(SIZES, rolled, strict=True)
        )
        self.out_of_time = out_of_time
        self.bars = {bit: self._bars_from(cell) for cell, bit in self.bit.items()}
        self.above = {
            bit: sum(1 << self.bit[first, second, higher] for higher in range(level, upwards + 1))
            for (first, second, level), bit in self.bit.items()
        }
        self.colours = {  # A bar covers each colour of its size once, wherever it lies.
            size: tuple(
                sum(1 << bit for cell, bit in self.bit.items() if sum(cell) % size == colour) for colour in range(size)
            )
            for size in SIZES[1:]
        }
        self.failed: dict[tuple[int, int], int] = {}
        self.steps_left = 0

    def _bars_from(self, cell: Cell) -> tuple[_Bar, ...]:
        """Every box with this cell as its first, largest first."""
        bars = []
        for size in reversed(SIZES):
            for way in (0, 1, 2) if size > 1 else (0,):
                first = sum(part * stride for part, stride in zip(cell, self.strides, strict=True))
                places = [first + step * self.strides[way] for step in range(size)]
                if all(bit in self.cell for bit in places):
                    bits = sum(1 << bit for bit in places)
                    bars.append(_Bar(size, bits, 1 << COUNT_BITS * (size - 1)))
        return tuple(bars)

    def fill(self, air: int, steps: int) -> list[_Bar] | None:
        """Boxes that leave at most `air` cells empty, or None; raises _TookTooLong after `steps` steps."""
        self.steps_left = steps
        bars: list[_Bar] = []
        if not self._fits(self.everything, self.counts, air, bars):
            return None
        return bars

    def _fits(self, free: int, counts: int, air: int, bars: list[_Bar]) -> bool:
        """Whether boxes and at most `air` empty cells fill the free cells; `bars` then has the boxes, last first."""
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
                and self._fits(free ^ bar.bits, counts - bar.unit, air, bars)
            ):
                bars.append(bar)
                return True
        above = self.above[first]
        if (
            above & free == above
            and above.bit_count() <= air
            and self._fits(free ^ above, counts, air - above.bit_count(), bars)
        ):
            return True
        self.failed[free, counts] = air
        return False

    def _useful(self, free: int, counts: int) -> int:
        """The packed counts of the boxes that may find a place among the free cells.

        Each size needs free cells in runs of its length, and as many of each colour as there are boxes.
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
        """The bits of the free cells that a box of this size could cover."""
        covered = 0
        for stride in self.strides:
            starts = free
            for step in range(1, size):
                starts &= free >> stride * step
            for step in range(size):
                covered |= starts << stride * step
        return covered

    def bound(self, free: int, counts: int) -> int:
        """A volume that no load into the free cells exceeds."""
        return min(free.bit_count(), _volume(self._useful(free, counts)))

    def _count_step(self) -> None:
        self.steps_left -= 1
        if self.steps_left < 0 or (self.steps_left % STEPS_BETWEEN_CLOCKS == 0 and self.out_of_time()):
            raise _TookTooLong

    def air_of(self, bars: list[_Bar]) -> int:
        """The number of cells that the boxes leave empty."""
        return self.room - sum(bar.size for bar in bars)

    def boxes_of(self, bars: list[_Bar]) -> tuple[Box, ...]:
        """The boxes with their cells as (row, column, level), from the floor up."""
        boxes = []
        for bar in bars:
            cells = [cell for bit, cell in self.cell.items() if bar.bits >> bit & 1]
            if not self.lies_across:
                cells = [(second, first, level) for first, second, level in cells]
            boxes.append(Box(bar.size, tuple(sorted(cells))))
        return tuple(sorted(boxes, key=lambda box: sorted((level, row, column) for row, column, level in box.cells)))


def _volume(counts: int) -> int:
    """The volume of packed counts."""
    return sum(size * (counts >> COUNT_BITS * (size - 1) & COUNT_MASK) for size in SIZES)
